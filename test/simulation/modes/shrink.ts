import type { PlannedFault, Play, Played, RunCase, Struck } from './run-case.ts';
import { leftOut } from './without-orders.ts';

export interface Shrunk {
  readonly runCase: RunCase;
  readonly played: Played;
  /** Runs it took. */
  readonly tried: number;
}

const MOST_TRIES = 250;
/** Of real time; people wait for the report, and a run that goes round takes seconds. */
const MOST_MS = 60_000;
const MOST_ORDERS = 3;

/**
 * Looks for a smaller run that breaks the same promise: no fault at all, fewer orders, then fewer faults. Faults are planned by the name of their point
 * while one is left out, because with a fault less everything after it is numbered anew; what a smaller run did is then its plan.
 *
 * Does not protect against another, smaller run that no single omission leads to.
 *
 * @returns undefined when the run cannot be repeated by its faults alone (a class that stays on, a run without a verdict)
 */
export async function shrink(broken: Played, invariant: string, play: Play): Promise<Shrunk | undefined> {
  if (broken.runCase.frozen !== undefined || broken.hash === '') return undefined;
  let tried = 0;
  const startedMs = Date.now();
  const attempt = async (runCase: RunCase): Promise<Shrunk | undefined> => {
    if (tried >= MOST_TRIES || Date.now() - startedMs > MOST_MS) return undefined;
    tried++;
    const played = await play(runCase);
    if (!played.broken.some((one) => one.invariant === invariant)) return undefined;
    return { runCase: { ...runCase, faults: played.struck.map(exactly) }, played, tried };
  };
  let best = await attempt({ ...broken.runCase, faults: broken.struck.map(exactly) });
  if (best === undefined) return undefined;
  best = (await attempt({ ...best.runCase, faults: [] })) ?? best;
  const hasOrders = broken.runCase.mode === 'safety' && broken.runCase.own === undefined;
  for (let number = 1; hasOrders && number <= MOST_ORDERS; number++) {
    const { runCase, played }: Shrunk = best;
    const fewer = [...(runCase.withoutOrders ?? []), number];
    const smaller = await attempt({ ...runCase, faults: played.struck.map(byName), withoutOrders: fewer });
    // An order that nobody would have placed is no omission.
    if (smaller?.played.situations[leftOut(number)] !== undefined) best = smaller;
  }
  for (let size = Math.ceil(best.played.struck.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < best.played.struck.length; ) {
      const { runCase, played }: Shrunk = best;
      const kept = [...played.struck.slice(0, start), ...played.struck.slice(start + size)];
      const smaller = await attempt({ ...runCase, faults: kept.map(byName) });
      if (smaller !== undefined && smaller.played.struck.length < played.struck.length) best = smaller;
      else start += size;
    }
  }
  return { ...best, tried };
}

const exactly = ({ at, fault }: Struck): PlannedFault => ({ at, fault });
const byName = ({ label, nth, fault }: Struck): PlannedFault => ({ label, nth, fault });

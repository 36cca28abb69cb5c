import type { Invariant } from '../invariant.ts';
import { invariants } from '../invariants/index.ts';
import { ownKindInvariants } from '../invariants/own-kind.ts';
import { START_MS } from '../kernel/virtual-globals.ts';
import type { Fault, Faults } from '../network/fault.ts';
import { type RunOptions, type RunResult, run } from '../run.ts';
import { oneOrder } from '../scenario/one-order.ts';
import { type OwnKind, ownKindStory } from '../scenario/own-kind.ts';
import { frozenClassNamed } from './frozen-classes.ts';
import { frozenPlan, frozenStory, goalsReached } from './frozen-run.ts';
import { goesRound } from './goes-round.ts';
import { ownKindPlan } from './own-kind-weather.ts';
import { plannedFaults } from './planned-faults.ts';
import { type BrokenPromise, HARNESS_PROMISES, type Played, type RunCase, type Struck, unplayed, type Wanted } from './run-case.ts';
import { situations } from './situations.ts';
import { withoutOrders } from './without-orders.ts';

const DAY_MS = 86_400_000;
/** A long run has a few ten thousand; one that goes round and round has more before its real time limit. */
const MOST_EVENTS = 300_000;
/** What is due every few seconds comes to that many in a day in which nothing else happens; orders that nobody is told about take weeks. */
const MOST_EVENTS_OF_SCHEDULES_PER_DAY = 20_000;

/**
 * Plays runs in this process, which must have virtual time (kernel/virtual-globals.ts first of all).
 *
 * Does not protect against a run that never lets go of the processor; who started this process has to watch it.
 */
export function createPlayer(): (runCase: RunCase, wanted?: Wanted) => Promise<Played> {
  const knownLabels = new Set<string>();
  return async (runCase, wanted = {}) => {
    try {
      const options = optionsOf(runCase);
      const result = await run({ ...options, keepPoints: true, keepTrace: wanted.trace === true });
      return playedOf(runCase, { result, watched: options.invariants, wanted, knownLabels });
    } catch (error) {
      return unplayed(runCase, 'threw', error instanceof Error ? (error.stack ?? error.message) : String(error));
    }
  };
}

type Options = RunOptions & { readonly invariants: readonly Invariant[] };

function optionsOf(runCase: RunCase): Options {
  const { seed, rate, faults, skew, withoutOrders: without = [] } = runCase;
  const own = runCase.own as OwnKind | undefined;
  const common = {
    seed,
    ...(faults === undefined ? {} : { plan: plannedFaults(faults) }),
    invariants: [
      ...(own === undefined ? invariants : [...ownKindInvariants(own), goesRound(own)]),
      situations,
      ...(without.length === 0 ? [] : [withoutOrders(without)]),
    ],
  };
  switch (runCase.mode) {
    case 'safety':
      return {
        ...common,
        ...(rate === undefined ? {} : { rate }),
        ...(own === undefined ? {} : ownKindOptions(own, runCase)),
        skew: skew ?? true,
      };
    case 'exhaustive':
      return { ...common, plan: plannedFaults(faults ?? []), story: { ...oneOrder, keepsFaults: true }, skew: skew ?? false };
    case 'liveness': {
      const frozen = frozenClassNamed(runCase.frozen ?? '');
      return {
        ...common,
        plan: frozenPlan(frozen),
        story: frozenStory(frozen),
        skew: frozen.clockAheadMs ?? skew ?? false,
        invariants: [...common.invariants, goalsReached(frozen)],
      };
    }
  }
}

/** Planned faults, or a rate that was asked for, are left as they are. */
function ownKindOptions(own: OwnKind, { seed, rate, faults }: RunCase): Partial<RunOptions> {
  const story = ownKindStory(own);
  return rate === undefined && faults === undefined ? { story, plan: ownKindPlan(seed, story.stormMs) } : { story };
}

interface Playing {
  readonly result: RunResult;
  readonly watched: readonly Invariant[];
  readonly wanted: Wanted;
  readonly knownLabels: Set<string>;
}

function playedOf(runCase: RunCase, { result, watched, wanted, knownLabels }: Playing): Played {
  const broken: BrokenPromise[] = result.violations.map(({ invariant, how, atMs }) => ({
    invariant,
    promise: watched.find(({ id }) => id === invariant)?.promise ?? '',
    how,
    afterMs: atMs - START_MS,
  }));
  if (result.events > MOST_EVENTS + (result.virtualMs / DAY_MS) * MOST_EVENTS_OF_SCHEDULES_PER_DAY) {
    broken.push({
      invariant: 'rest',
      promise: HARNESS_PROMISES['rest'] ?? '',
      how: `${result.events} events and counting`,
      afterMs: result.virtualMs,
    });
  }
  const met: Record<string, number> = {};
  const nthOf = result.seen.map(({ label }) => (met[label] = (met[label] ?? 0) + 1));
  return {
    runCase,
    story: result.story,
    hash: result.hash,
    broken,
    struck: result.injected.map(({ index, label, fault }): Struck => ({ at: index, label, nth: nthOf[index] ?? 1, fault })),
    situations: result.situations,
    met,
    possible: newlyPossible(result.seen, knownLabels),
    events: result.events,
    virtualMs: result.virtualMs,
    ...(wanted.trace === true ? { lines: result.lines } : {}),
    ...(wanted.points === true ? { points: result.seen.map(({ possible }) => possible) } : {}),
  };
}

function newlyPossible(seen: Faults['seen'], knownLabels: Set<string>): Record<string, readonly Fault[]> {
  const found: Record<string, readonly Fault[]> = {};
  for (const { label, possible } of seen) if (!knownLabels.has(label)) found[label] = possible;
  for (const label of Object.keys(found)) knownLabels.add(label);
  return found;
}

import { setTimeout as wait } from 'node:timers/promises';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { CliError } from '../output/cli-error.ts';
import type { ActOn } from './acts.ts';
import { type Canary, canGoFirst, watchCanary } from './canary.ts';
import type { HeldBack } from './held-back.ts';
import { isMissingQueue, type LetterDesk } from './letter-desk.ts';
import { type LetterFilter, matches } from './letter-filter.ts';
import { createPace, unpaced } from './pace.ts';
import { keepTally, sumOf, type Tally, type TallyKeeper } from './tally.ts';
import { type WorkOff, workOff } from './work-off.ts';

export interface RunOptions {
  readonly filter: LetterFilter;
  readonly ratePerSecond?: number | undefined;
  /** Fewer than usual, for an act that asks much of others. */
  readonly lanes?: number | undefined;
  readonly max?: number | undefined;
  /** The first letter goes alone, and the others only if it ends well within this time. */
  readonly canaryWithinMs?: number | undefined;
  readonly store: Pick<ItemStore, 'read'>;
  /** Why jobs of a kind are not begun now. */
  readonly heldBack: (kind: string) => Promise<HeldBack | undefined>;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

export interface Run extends Tally {
  readonly canary: Canary | null;
  readonly interrupted: boolean;
  /** So many failures in a row that going on made no sense. */
  readonly gaveUp: boolean;
  readonly lastError: unknown;
  readonly missing: readonly string[];
  /** About how many letters lie in the queues that were worked on. */
  readonly stillThere: number;
  /** How many of them somebody else hides. */
  readonly hidden: number;
}

const MOST_FAILURES_IN_A_ROW = 20;

/** Acts on every letter that is meant: the canary first if there is to be one, then queue after queue. */
export async function runAct(actOn: ActOn, desks: readonly LetterDesk[], options: RunOptions): Promise<Run> {
  const { canaryWithinMs, max } = options;
  const crew = createCrew(actOn, options);
  const first = keepTally();
  const canary = canaryWithinMs === undefined ? null : await sendCanary(desks, crew, first, { ...options, withinMs: canaryWithinMs });
  const mayGoOn = canaryWithinMs === undefined || canary?.end.state === 'well';
  // What was refused before the canary is met once more, and counted then.
  const rest = keepTally(first.result());
  const budget = max === undefined ? undefined : { left: max - first.done };
  if (mayGoOn) for (const desk of desks) await crew.work(desk, { tally: rest, budget });
  const tally = mayGoOn ? rest : first;
  return {
    ...tally.result(),
    canary,
    interrupted: options.signal.aborted,
    lastError: tally.lastError,
    gaveUp: crew.gaveUp(),
    missing: [...crew.missing],
    ...(await countLetters(desks.filter(({ name }) => !crew.missing.has(name)))),
  };
}

interface Task extends Pick<Partial<WorkOff>, 'budget' | 'lanes' | 'isWanted'> {
  readonly tally: TallyKeeper;
  readonly onDone?: (letter: DeadLetter) => void;
}

interface Crew {
  work(desk: LetterDesk, task: Task): Promise<void>;
  /** Names of queues that were not there. */
  readonly missing: ReadonlySet<string>;
  gaveUp(): boolean;
}

function createCrew(actOn: ActOn, { filter, ratePerSecond, lanes, signal, onProgress }: RunOptions): Crew {
  const giveUp = new AbortController();
  const missing = new Set<string>();
  const common = {
    sentBeforeMs: Date.now(),
    isWanted: matches(filter, Date.now()),
    pace: ratePerSecond === undefined ? unpaced : createPace(ratePerSecond, clock),
    signal: AbortSignal.any([signal, giveUp.signal]),
    ...lanesFor(ratePerSecond, lanes),
  };
  return {
    missing,
    gaveUp: () => giveUp.signal.aborted,
    async work(desk, { tally, onDone, ...task }) {
      if (common.signal.aborted) return;
      const onOutcome: WorkOff['onOutcome'] = (outcome, letter) => {
        tally.add(desk.name, outcome, letter);
        onProgress(tally.done);
        if (outcome.kind === 'done') onDone?.(letter);
        if (tally.failuresInARow >= MOST_FAILURES_IN_A_ROW) giveUp.abort();
      };
      await workOff(desk, { ...common, ...task, act: actOn(desk), onOutcome }).catch((error: unknown) => {
        if (!isMissingQueue(error)) throw error;
        missing.add(desk.name);
      });
    },
  };
}

/** A slow pace with letters held by many lanes would hold them longer than they are hidden. */
const lanesFor = (ratePerSecond = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY): { lanes?: number } => {
  const lanes = Math.min(most, 1 + Math.ceil(ratePerSecond / 20));
  return Number.isFinite(lanes) ? { lanes } : {};
};

/**
 * @returns null when there was no letter at all, or none that might be replayed
 * @throws CliError when there are letters and none of them could show anything: nothing was done then
 */
async function sendCanary(
  desks: readonly LetterDesk[],
  crew: Crew,
  tally: TallyKeeper,
  { filter, store, heldBack, signal, withinMs }: RunOptions & { readonly withinMs: number },
): Promise<Canary | null> {
  const isMeant = matches(filter, Date.now());
  const gone: DeadLetter[] = [];
  const passedOver: Passed = { pausedKinds: new Map(), noJobs: 0 };
  for (const desk of desks) {
    if (gone.length > 0) break;
    const held = await heldBack(desk.name);
    const isWanted = (letter: DeadLetter): boolean => isMeant(letter) && !isPassedOver(letter, held, passedOver);
    await crew.work(desk, { tally, budget: { left: 1 }, lanes: 1, isWanted, onDone: (letter) => gone.push(letter) });
  }
  const [letter] = gone;
  if (letter?.job === undefined) {
    refuseWithoutCanary(passedOver, tally);
    return null;
  }
  const end = await watchCanary(letter, { ...clock, store, heldBack, withinMs, signal });
  return { messageId: letter.received.messageId, key: letter.job.key, end };
}

interface Passed {
  readonly pausedKinds: Map<string, HeldBack>;
  noJobs: number;
}

/** Neither a message that is no job nor a job of a paused kind comes to an end that could be waited for. */
function isPassedOver(letter: DeadLetter, held: HeldBack | undefined, passed: Passed): boolean {
  if (!canGoFirst(letter)) {
    passed.noJobs++;
    return true;
  }
  if (held?.by === 'pause') passed.pausedKinds.set(held.kind, held);
  return held?.by === 'pause';
}

function refuseWithoutCanary({ pausedKinds, noJobs }: Passed, tally: TallyKeeper): void {
  const [paused] = pausedKinds.values();
  const { refused, failed } = tally.result();
  if (sumOf(refused) + sumOf(failed) > 0) return;
  if (paused !== undefined) throw new CliError(`A first letter would come to no end: ${paused.sentence} Nothing was done. ${paused.next}`);
  if (noJobs > 0) throw new CliError('None of these letters is a job whose end could be waited for. Nothing was done. Leave out --canary.');
}

const clock = {
  nowMs: () => Date.now(),
  sleep: (durationMs: number, signal: AbortSignal): Promise<void> => wait(durationMs, undefined, { signal }).catch(() => undefined),
};

async function countLetters(desks: readonly LetterDesk[]): Promise<Pick<Run, 'stillThere' | 'hidden'>> {
  const facts = await Promise.all(desks.map((desk) => desk.facts().catch(() => ({ waiting: 0, inFlight: 0 }))));
  const hidden = facts.reduce((sum, { inFlight }) => sum + inFlight, 0);
  return { stillThere: facts.reduce((sum, { waiting }) => sum + waiting, hidden), hidden };
}

/** Whether nothing at all was there to act on. */
export const metNothing = ({ done, refused, failed }: Tally): boolean => done + sumOf(refused) + sumOf(failed) === 0;

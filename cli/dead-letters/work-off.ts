import type { ReceivedLetter } from '#shared/dead-letter/letter-queue-port.ts';
import { type DeadLetter, readLetter } from '#shared/dead-letter/read-letter.ts';
import type { LetterDesk } from './letter-desk.ts';
import { type Pace, unpaced } from './pace.ts';
import { giveBack, receiptOf } from './receipts.ts';
import type { ActOutcome } from './tally.ts';

/** Does one thing with one letter. What it throws counts as that letter's failure. */
export type LetterAct = (letter: DeadLetter) => Promise<ActOutcome>;

export interface WorkOff {
  readonly act: LetterAct;
  readonly isWanted: (letter: DeadLetter) => boolean;
  /** Letters sent later are none of this run's: what it brings back may come again at once. */
  readonly sentBeforeMs: number;
  /** How many may still be acted on with effect, over all queues; undefined for no limit. */
  readonly budget?: { left: number } | undefined;
  readonly pace?: Pace;
  /** Ends the run between two letters. */
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: ActOutcome, letter: DeadLetter) => void;
  /** Receiving side by side. While letters of a FIFO group are held by one of them, SQS gives none of that group to another. */
  readonly lanes?: number;
}

/** Longer than ten letters take one after the other, with every repetition; a run that is killed gives back this much later. */
const HIDDEN_SECONDS = 120;
const LETTERS_PER_CALL = 10;
const LANES = 80;
const EMPTY_CALLS = 4;

/**
 * Works off one dead-letter queue: takes letters, lets the wanted ones pass the pace, acts, and gives back whatever is still there at
 * the end. Letters that are not wanted, refused or failed stay hidden until then, so that none is met twice; only their receipts
 * are kept.
 *
 * Does not protect against a clock of this machine that is ahead of SQS: a letter that comes again at once may then be taken again.
 */
export async function workOff(desk: LetterDesk, options: WorkOff): Promise<void> {
  const { lanes = LANES } = options;
  const left = new Map<string, ReceivedLetter>();
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const lane = () =>
    workLane(desk, { ...options, signal }, left).catch((error: unknown) => {
      stop.abort();
      throw error;
    });
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  await giveBack(desk.letters, [...left.values()]);
  const failed = ended.find((end) => end.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function workLane(desk: LetterDesk, options: WorkOff, left: Map<string, ReceivedLetter>): Promise<void> {
  const { signal, budget } = options;
  for (let empty = 0; empty < EMPTY_CALLS && !signal.aborted && !isSpent(budget); ) {
    const page = await desk.letters.receive(LETTERS_PER_CALL, HIDDEN_SECONDS);
    // Met again: hidden for too short a time. It is hidden anew, and this lane has found nothing.
    const fresh = page.filter(({ messageId }) => !left.has(messageId));
    for (const received of page) left.set(received.messageId, receiptOf(received));
    empty = fresh.length === 0 ? empty + 1 : 0;
    await workPage(fresh, desk, options, left);
  }
}

/** Together, as many as the pace lets through; the letters of one FIFO group one after the other. */
async function workPage(
  page: readonly ReceivedLetter[],
  desk: LetterDesk,
  options: WorkOff,
  left: Map<string, ReceivedLetter>,
): Promise<void> {
  const { budget, pace = unpaced, signal, sentBeforeMs, isWanted } = options;
  const running: Promise<void>[] = [];
  const groups = new Map<string, Promise<void>>();
  for (const received of page) {
    const letter = readLetter(received, desk.source);
    if (received.sentAtMs >= sentBeforeMs || !isWanted(letter)) continue;
    // Those under way may be refused, and then count for nothing.
    if (isSpent(budget)) await Promise.all(running);
    if (isSpent(budget)) break;
    if (budget !== undefined) budget.left--;
    if (!(await pace.pass(1, signal))) break;
    const before = received.group === undefined ? undefined : groups.get(received.group);
    const acting =
      before === undefined ? actOn(letter, options, left) : before.then(() => (signal.aborted ? undefined : actOn(letter, options, left)));
    if (received.group !== undefined) groups.set(received.group, acting);
    running.push(acting);
  }
  await Promise.all(running);
}

async function actOn(letter: DeadLetter, { act, budget, onOutcome }: WorkOff, left: Map<string, ReceivedLetter>): Promise<void> {
  const outcome = await act(letter).catch(
    (error: unknown): ActOutcome => ({ kind: 'failed', code: error instanceof Error ? error.name : 'unknown', error }),
  );
  if (outcome.kind === 'done') left.delete(letter.received.messageId);
  else if (budget !== undefined) budget.left++;
  onOutcome(outcome, letter);
}

const isSpent = (budget: WorkOff['budget']): boolean => budget !== undefined && budget.left <= 0;

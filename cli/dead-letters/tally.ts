import type { Discarded } from '#shared/dead-letter/discard-letter.ts';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import type { Replayed } from '#shared/dead-letter/replay-letter.ts';

import { causeOf } from './cause.ts';

/** What became of one letter. */
export type ActOutcome =
  | { readonly kind: 'done' }
  /** It may not be done; the letter is where it was. */
  | { readonly kind: 'refused'; readonly code: string }
  /** Something did not answer, or refused the tool itself. */
  | { readonly kind: 'failed'; readonly code: string; readonly error?: unknown };

export function outcomeOf(answer: Replayed | Discarded): ActOutcome {
  switch (answer.outcome) {
    case 'replayed':
    case 'discarded':
      return { kind: 'done' };
    case 'refused':
      return { kind: 'refused', code: answer.code };
    case 'not-sent':
    case 'not-deleted':
      return { kind: 'failed', code: `${answer.outcome}: ${answer.code}` };
  }
}

/** Letters that went the same way. */
export interface Tallied {
  readonly code: string;
  readonly count: number;
  readonly queue: string;
  readonly example: { readonly messageId: string; readonly key: string | null };
}

export interface Tally {
  readonly done: number;
  /** Queues and reasons of the letters that were done. */
  readonly doneIn: readonly string[];
  readonly doneFor: readonly { readonly reason: string }[];
  readonly refused: readonly Tallied[];
  readonly failed: readonly Tallied[];
}

export interface TallyKeeper {
  add(queue: string, outcome: ActOutcome, letter: DeadLetter): void;
  readonly done: number;
  /** Failures since something last went well. */
  readonly failuresInARow: number;
  readonly lastError: unknown;
  result(): Tally;
}

/** Counts outcomes by queue and code; however many letters there are, one of each is remembered by name. */
export function keepTally(before: Pick<Tally, 'done' | 'doneIn' | 'doneFor'> = { done: 0, doneIn: [], doneFor: [] }): TallyKeeper {
  const doneIn = new Set<string>(before.doneIn);
  const doneFor = new Set<string>(before.doneFor.map(({ reason }) => reason));
  const groups = { refused: new Map<string, Tallied>(), failed: new Map<string, Tallied>() };
  const keeper = {
    done: before.done,
    failuresInARow: 0,
    lastError: undefined as unknown,
    add(queue: string, outcome: ActOutcome, letter: DeadLetter) {
      const { received, job } = letter;
      keeper.failuresInARow = outcome.kind === 'failed' ? keeper.failuresInARow + 1 : 0;
      if (outcome.kind === 'done') {
        keeper.done++;
        doneIn.add(queue);
        doneFor.add(causeOf(letter).reason);
        return;
      }
      if (outcome.kind === 'failed') keeper.lastError = outcome.error;
      const group = groups[outcome.kind];
      const name = `${queue} ${outcome.code}`;
      const known = group.get(name) ?? {
        code: outcome.code,
        queue,
        count: 0,
        example: { messageId: received.messageId, key: job?.key ?? null },
      };
      group.set(name, { ...known, count: known.count + 1 });
    },
    result: () => ({
      done: keeper.done,
      doneIn: [...doneIn],
      doneFor: [...doneFor].map((reason) => ({ reason })),
      refused: [...groups.refused.values()],
      failed: [...groups.failed.values()],
    }),
  };
  return keeper;
}

export const sumOf = (tallied: readonly Tallied[]): number => tallied.reduce((sum, { count }) => sum + count, 0);

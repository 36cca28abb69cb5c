import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';

/** How long SQS has kept a letter, and how long it still will. */
export interface LetterAge {
  readonly sentAtMs: number;
  readonly ageMs: number;
  readonly deletedAtMs: number;
  readonly leftMs: number;
  /**
   * Since when the letter lies where it is. A worker's letter is a message of its own; one that SQS moved keeps the age of the
   * message it was, and when it was moved nobody tells.
   */
  readonly deadSinceMs: number | null;
}

/**
 * Counted from the first send of the message, which on a standard queue is what SQS counts from.
 *
 * Does not protect against a FIFO queue, whose count begins anew when SQS moves a message: there it is deleted later than said.
 */
export function ageOf({ received: { sentAtMs }, movedBySqs }: DeadLetter, retentionMs: number, nowMs: number): LetterAge {
  const deletedAtMs = sentAtMs + retentionMs;
  return {
    sentAtMs,
    ageMs: Math.max(0, nowMs - sentAtMs),
    deletedAtMs,
    leftMs: Math.max(0, deletedAtMs - nowMs),
    deadSinceMs: movedBySqs ? null : sentAtMs,
  };
}

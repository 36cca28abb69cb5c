import { MAX_RECEIVE_COUNT, QUEUE_RETENTION_DAYS } from '#shared/contract/limits.ts';
import type { DerivedTiming } from '#shared/contract/timing.ts';

const DAY_SECONDS = 86_400;
const SHORTEST_OBJECTIVE_SECONDS = 300;

/**
 * How old the oldest message may be: two visibility timeouts, for one run may die unseen and the next has to have begun. It follows from
 * what the kind declares about its speed, so a new kind has one from its first day.
 */
export const lagObjectiveSeconds = ({ visibilityTimeoutSeconds }: Pick<DerivedTiming, 'visibilityTimeoutSeconds'>): number =>
  Math.max(SHORTEST_OBJECTIVE_SECONDS, 2 * visibilityTimeoutSeconds);

/** What people get to deal with a letter once they are told of its age. */
const TIME_TO_ACT_SECONDS = 7 * DAY_SECONDS;
const OLD_LETTER_SECONDS = { shortest: DAY_SECONDS, longest: 4 * DAY_SECONDS };

/**
 * From which age on a letter is about to be lost. SQS shows how long a message has been in the dead-letter queue, yet deletes it (on a
 * standard queue) 14 days after it was *first* sent. A worker's letters are new messages, so for them the two are one; a message that
 * SQS moved by itself has lived through a thousand receives before, and that much is taken off.
 */
export function oldLetterSeconds(visibilityTimeoutSeconds: number, maxReceiveCount: number = MAX_RECEIVE_COUNT): number {
  const livedBefore = maxReceiveCount * visibilityTimeoutSeconds;
  const left = QUEUE_RETENTION_DAYS * DAY_SECONDS - livedBefore - TIME_TO_ACT_SECONDS;
  return Math.min(OLD_LETTER_SECONDS.longest, Math.max(OLD_LETTER_SECONDS.shortest, left));
}

import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { causeOf } from './cause.ts';
import { formatDuration } from './duration.ts';

/** Which letters are meant. What is left out leaves the choice open; what is given has to hold all together. */
export interface LetterFilter {
  /** A message id, or how one begins. */
  readonly id?: string | undefined;
  /** Name of a queue: a job kind, `outbox-failed` or `invalidation-retry`. */
  readonly kind?: string | undefined;
  /** A fingerprint, or how one begins. */
  readonly fingerprint?: string | undefined;
  readonly cause?: string | undefined;
  readonly olderThanMs?: number | undefined;
  readonly newerThanMs?: number | undefined;
  /** An idempotency key, or `<userId>/<orderId>` for every job of an order. */
  readonly key?: string | undefined;
}

export const isOpenFilter = (filter: LetterFilter): boolean => Object.values(filter).every((part) => part === undefined);

/** Whether a letter is meant. The queue it lies in is chosen before. */
export const matches =
  (filter: LetterFilter, nowMs: number) =>
  (letter: DeadLetter): boolean => {
    const { messageId, sentAtMs } = letter.received;
    const ageMs = nowMs - sentAtMs;
    const { reason, fingerprint } = causeOf(letter);
    return (
      beginsWith(messageId, filter.id) &&
      beginsWith(fingerprint, filter.fingerprint) &&
      (filter.cause === undefined || reason === filter.cause) &&
      (filter.olderThanMs === undefined || ageMs > filter.olderThanMs) &&
      (filter.newerThanMs === undefined || ageMs < filter.newerThanMs) &&
      isAbout(letter.job?.key, filter.key)
    );
  };

const beginsWith = (text: string, start: string | undefined): boolean => start === undefined || text.startsWith(start);

/** Keys are written `<operation>:<subject>:<attempt>`; the subject of an order's jobs is its name. */
function isAbout(key: string | undefined, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  return key === wanted || key?.split(':')[1] === wanted;
}

/** As a person would say it: `kind capture-payment, cause attempts-spent, older than 2 h`. */
export function describeFilter(filter: LetterFilter): string {
  const { id, kind, fingerprint, cause, olderThanMs, newerThanMs, key } = filter;
  const parts = [
    id === undefined ? [] : [`id ${id}`],
    kind === undefined ? [] : [`kind ${kind}`],
    fingerprint === undefined ? [] : [`fingerprint ${fingerprint}`],
    cause === undefined ? [] : [`cause ${cause}`],
    olderThanMs === undefined ? [] : [`older than ${formatDuration(olderThanMs)}`],
    newerThanMs === undefined ? [] : [`newer than ${formatDuration(newerThanMs)}`],
    key === undefined ? [] : [`key ${key}`],
  ].flat();
  return parts.length === 0 ? 'all letters' : parts.join(', ');
}

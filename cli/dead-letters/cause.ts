import { writeLetter } from '#shared/dead-letter/letter.ts';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';

/** What letters of one trouble have in common. */
export interface Cause {
  readonly reason: string;
  readonly detail: string | null;
  readonly fingerprint: string;
}

export const MOVED_BY_SQS = 'moved-by-sqs';
export const NO_REASON = 'no-reason';

/** A letter without a reason of ours gets one, and a fingerprint by the same rule, so that it can be grouped and named, too. */
export function causeOf({ why, movedBySqs, unreadable, source }: DeadLetter): Cause {
  if (why !== undefined) return { reason: why.reason, detail: why.detail ?? null, fingerprint: why.fingerprint };
  const reason = movedBySqs ? MOVED_BY_SQS : NO_REASON;
  const detail = source.definition === undefined ? undefined : unreadable?.detail;
  const kind = source.definition?.kind ?? source.deadLetterQueueName;
  const { fingerprint } = writeLetter({ kind, reason, detail, attempts: 0, firstSeenAtMs: 0, lastSeenAtMs: 0 });
  return { reason, detail: detail ?? null, fingerprint };
}

const MOST_DETAIL = 48;

/** What a validator complains of, in a table's cell: the field and its trouble, or how many there are. */
export function shortDetail(detail: string): string {
  const problems = detail.split('; ');
  const fields = problems.map((problem) => problem.split(':')[0] ?? '');
  if (problems.length > 1) return cut(`${problems.length} fields do not fit: ${fields.join(', ')}`);
  return cut(detail.replace(/: Invalid (?:input|option|string|key)\b:? ?/, ': ').replace(/expected [^,]+, received undefined$/, 'missing'));
}

const cut = (text: string): string => (text.length <= MOST_DETAIL ? text : `${text.slice(0, MOST_DETAIL - 1).trimEnd()}…`);

const SENTENCES: Readonly<Record<string, string>> = {
  [MOVED_BY_SQS]: 'SQS moved it by itself: it was received again and again and no code ever came to an end with it, or it is no job.',
  [NO_REASON]: 'Nobody wrote why: it was put here by hand, or is too large to carry a reason.',
  malformed: 'The body is no job this code can read; no attempt was made.',
  'unsupported-version': 'Newer code wrote it, and that code had not come here within a day.',
  'attempts-spent': 'Its attempts failed; nothing went out, or the outside knew of nothing when asked.',
  unresolved: 'An attempt may have reached the outside, and nobody answered what became of it.',
  'payload-mismatch': 'Its key belongs to a job with another payload.',
  'order-not-found': 'There is no such order.',
  'order-unreadable': 'The item is there and is no order this code can read.',
  'attempt-not-opened': 'The order is not at this attempt yet.',
  'captured-amount-differs': 'The provider charged another amount than the order says.',
  'refunded-at-provider': 'The provider says the money was given back already.',
  'nothing-captured-at-provider': 'The provider knows of no charge that could be given back.',
  'stock-insufficient': 'There was not enough in stock.',
  'export-part-missing': 'A part of the export is gone: it expired, or was deleted.',
};

/** Why a letter is one, for a person; undefined for a code that says it all. */
export const describeReason = (reason: string): string | undefined => SENTENCES[reason];

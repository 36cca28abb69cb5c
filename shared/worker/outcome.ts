import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { JobReference } from './define-job.ts';

/** The business change a run asks for; the worker writes it together with lease, record and outbox, so no job can forget one of them. */
export interface Change {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
}

/** An answer. A decline is one too: it is committed, never retried. */
export interface Decision<Result = unknown> {
  readonly answer: 'done' | 'declined' | 'obsolete';
  readonly result: Result;
  readonly change?: Change;
  readonly enqueue: readonly JobReference[];
  /** Changes of other items, committed in the same transaction or not at all. */
  readonly also: readonly ItemChange[];
  /** When the rescue shall look at this item again (milliseconds since the epoch), for what is to happen later by itself. */
  readonly wakeAtMs?: number | undefined;
}

/** A change of an item the job does not hold: it carries a condition of its own and meets no lease. */
export interface ItemChange {
  readonly key: ItemKey;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  /** The number that must not fall below this for the change to hold, e.g. the quantity a withdrawal needs. */
  readonly atLeast?: { readonly attribute: string; readonly value: number };
}

interface Further {
  readonly enqueue?: readonly JobReference[];
  readonly also?: readonly ItemChange[];
  readonly wakeAtMs?: number | undefined;
}

export const done = <Result>(result: Result, change?: Change, { enqueue = [], also = [], wakeAtMs }: Further = {}): Decision<Result> => ({
  answer: 'done',
  result,
  ...(change === undefined ? {} : { change }),
  enqueue,
  also,
  ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
});

export const declined = <Result>(result: Result, change: Change, { wakeAtMs }: Pick<Further, 'wakeAtMs'> = {}): Decision<Result> => ({
  answer: 'declined',
  result,
  change,
  enqueue: [],
  also: [],
  ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
});

/** The job no longer matters (already paid, an older attempt): recorded, nothing else changes. */
export const obsolete = <Result>(result: Result): Decision<Result> => ({ answer: 'obsolete', result, enqueue: [], also: [] });

/** Why a run gave no answer. Each says what happens next; everything else thrown is retried as possibly sent. */
export abstract class RunFailure extends Error {
  readonly code: string;
  constructor(code: string, options?: { cause?: unknown }) {
    super(code, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The side effect may have happened. Held, and asked about before anything is called again. */
export class UnknownOutcome extends RunFailure {}

/** Failed for now. `sent: 'no'` only when the provider is known not to have acted. */
export class RetryableError extends RunFailure {
  readonly sent: 'no' | 'maybe';
  readonly retryAfterMs: number | undefined;
  constructor(code: string, { sent, retryAfterMs, cause }: { sent: 'no' | 'maybe'; retryAfterMs?: number | undefined; cause?: unknown }) {
    super(code, { cause });
    this.sent = sent;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Put off before anything was tried (rate limited, circuit open): costs no attempt. */
export class Deferral extends RunFailure {
  readonly retryAfterMs: number | undefined;
  /** A wait of its own, where the message's age says nothing about when to come back. */
  readonly delayMs: number | undefined;
  constructor(
    code: string,
    { retryAfterMs, delayMs, cause }: { retryAfterMs?: number | undefined; delayMs?: number; cause?: unknown } = {},
  ) {
    super(code, { cause });
    this.retryAfterMs = retryAfterMs;
    this.delayMs = delayMs;
  }
}

/** No repetition can help: straight to the dead-letter queue, using no more attempts. */
export class PermanentError extends RunFailure {
  /** The outside was asked and this is what its answer means; the outcome is not open. */
  readonly answered: boolean;
  constructor(code: string, { answered = false, cause }: { answered?: boolean; cause?: unknown } = {}) {
    super(code, { cause });
    this.answered = answered;
  }
}

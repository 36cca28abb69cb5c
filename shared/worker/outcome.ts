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
}

export const done = <Result>(result: Result, change?: Change, { enqueue = [] }: { enqueue?: readonly JobReference[] } = {}): Decision<Result> => ({
  answer: 'done',
  result,
  ...(change === undefined ? {} : { change }),
  enqueue,
});

export const declined = <Result>(result: Result, change: Change): Decision<Result> => ({ answer: 'declined', result, change, enqueue: [] });

/** The job no longer matters (already paid, an older attempt): recorded, nothing else changes. */
export const obsolete = <Result>(result: Result): Decision<Result> => ({ answer: 'obsolete', result, enqueue: [] });

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

/** No repetition can help: straight to the dead-letter queue, using no more attempts. */
export class PermanentError extends RunFailure {}

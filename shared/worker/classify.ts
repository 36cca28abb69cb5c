import { ProviderError } from '#shared/payments/payment-port.ts';
import type { Verdict } from '#shared/retry/verdict.ts';
import { Deferral, PermanentError, RetryableError, UnknownOutcome } from './outcome.ts';

/** Total: whatever is thrown, undefined included, gets a verdict. Judged by class and code, never by text. */
export function classify(thrown: unknown): Verdict {
  if (thrown instanceof PermanentError) return { kind: 'permanent', code: thrown.code, sent: 'maybe' };
  if (thrown instanceof Deferral)
    return { kind: 'deferred', code: thrown.code, retryAfterMs: thrown.retryAfterMs, delayMs: thrown.delayMs };
  if (thrown instanceof UnknownOutcome) return { kind: 'unknown', code: thrown.code };
  if (thrown instanceof RetryableError) return { kind: 'retry', code: thrown.code, sent: thrown.sent, retryAfterMs: thrown.retryAfterMs };
  if (thrown instanceof ProviderError) return classifyProviderError(thrown);
  return { kind: 'retry', code: unexpectedCode(thrown), sent: 'maybe' };
}

function classifyProviderError({ code, sent, permanent, retryAfterMs }: ProviderError): Verdict {
  if (permanent) return { kind: 'permanent', code, sent };
  // The dependency did not act: that says nothing about the job, so an outage costs no attempt.
  if (sent === 'no') return { kind: 'deferred', code, retryAfterMs };
  return { kind: 'unknown', code, retryAfterMs };
}

/** The class of what was thrown; its text may hold data and stays out of records and logs. */
export function unexpectedCode(thrown: unknown): string {
  if (thrown instanceof Error) return /^[A-Za-z]{1,40}$/.test(thrown.name) ? `unexpected-${thrown.name}` : 'unexpected-error';
  return `unexpected-${thrown === null ? 'null' : typeof thrown}`;
}

import { ProviderError } from '#shared/payments/payment-port.ts';
import type { Verdict } from '#shared/retry/verdict.ts';
import { PermanentError, RetryableError, UnknownOutcome } from './outcome.ts';

/** Total: whatever is thrown, undefined included, gets a verdict. Judged by class and code, never by text. */
export function classify(thrown: unknown): Verdict {
  if (thrown instanceof PermanentError) return { kind: 'permanent', code: thrown.code, sent: 'maybe' };
  if (thrown instanceof UnknownOutcome) return { kind: 'unknown', code: thrown.code };
  if (thrown instanceof RetryableError) return { kind: 'retry', code: thrown.code, sent: thrown.sent, retryAfterMs: thrown.retryAfterMs };
  if (thrown instanceof ProviderError) return classifyProviderError(thrown);
  return { kind: 'retry', code: unexpectedCode(thrown), sent: 'maybe' };
}

function classifyProviderError({ code, sent, permanent, retryAfterMs }: ProviderError): Verdict {
  if (permanent) return { kind: 'permanent', code, sent };
  if (sent === 'no') return { kind: 'retry', code, sent, retryAfterMs };
  return { kind: 'unknown', code, retryAfterMs };
}

/** The class of what was thrown; its text may hold data and stays out of records and logs. */
export function unexpectedCode(thrown: unknown): string {
  if (thrown instanceof Error) return /^[A-Za-z]{1,40}$/.test(thrown.name) ? `unexpected-${thrown.name}` : 'unexpected-error';
  return `unexpected-${thrown === null ? 'null' : typeof thrown}`;
}

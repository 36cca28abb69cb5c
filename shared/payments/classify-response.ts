import { failureCode, isNeverSent } from './connection-failure.ts';
import { ProviderError } from './payment-port.ts';
import { retryAfterMs } from './retry-after.ts';

/** How a call ended, without its body: what a provider writes for people never decides and never travels in an error. */
export type CallEnding =
  | { readonly failure: unknown }
  | {
      readonly status: number;
      /** The problem document's `code`, if there is one. */
      readonly problemCode: string | undefined;
      readonly retryAfter: string | null;
      readonly date: string | null;
    };

/**
 * The one place that decides what a call's ending means for the money; total, by status and code only.
 *
 * | ending | code | sent | permanent |
 * | --- | --- | --- | --- |
 * | refused connection, name look-up, handshake | provider-unreachable | no | |
 * | our own time limit | provider-timeout | maybe | |
 * | the caller's signal | call-abandoned | maybe | |
 * | reset, cut-off, anything else thrown | provider-connection-lost | maybe | |
 * | 2xx | none: the answer is to be read | | |
 * | 429 | provider-rate-limited | no | |
 * | 401, 403 | provider-authentication | no | |
 * | 404, 405 | provider-endpoint-unknown: a wrong address, not a wrong order | no | |
 * | 409 | idempotency-key-in-use | maybe | |
 * | 400 idempotency-key-reused | idempotency-key-reused: something was done under this key | maybe | yes |
 * | 400, 413, 414, 415, 422, 431 | provider-rejected-request: refused before it was acted on | no | yes |
 * | everything else, 5xx above all | provider-answered-<status> | maybe | |
 *
 * Does not protect against a provider that charges and then answers 400, 401 or 429.
 *
 * @returns nothing for an answer worth reading
 */
export function classifyEnding(ending: CallEnding): ProviderError | undefined {
  if ('failure' in ending) return classifyFailure(ending.failure);
  const { status, problemCode } = ending;
  const wait = retryAfterMs(ending.retryAfter, ending.date);
  const waiting = wait === undefined ? {} : { retryAfterMs: wait };
  if (status >= 200 && status <= 299) return undefined;
  if (status === 429) return new ProviderError('provider-rate-limited', { sent: 'no', ...waiting });
  if (status === 401 || status === 403) return new ProviderError('provider-authentication', { sent: 'no' });
  if (status === 404 || status === 405) return new ProviderError('provider-endpoint-unknown', { sent: 'no' });
  if (status === 409) return new ProviderError('idempotency-key-in-use', { sent: 'maybe', ...waiting });
  if (status === 400 && problemCode === 'idempotency-key-reused') return new ProviderError(problemCode, { sent: 'maybe', permanent: true });
  if (REJECTED.has(status)) return new ProviderError('provider-rejected-request', { sent: 'no', permanent: true });
  return new ProviderError(`provider-answered-${status}`, { sent: 'maybe', ...waiting });
}

const REJECTED = new Set([400, 413, 414, 415, 422, 431]);
const ENDED_BY_US = new Map([
  ['TimeoutError', 'provider-timeout'],
  ['AbortError', 'call-abandoned'],
]);

function classifyFailure(failure: unknown): ProviderError {
  const cause = new Error(failureCode(failure));
  if (isNeverSent(failure)) return new ProviderError('provider-unreachable', { sent: 'no', cause });
  const name = failure instanceof Error ? failure.name : '';
  return new ProviderError(ENDED_BY_US.get(name) ?? 'provider-connection-lost', { sent: 'maybe', cause });
}

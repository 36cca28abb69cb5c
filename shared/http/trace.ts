import type { HttpRequest } from './read-parts.ts';

/** W3C trace context: version, trace id, parent id, flags. A later version may have more behind them. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
/** X-Ray writes the same 32 digits in two parts. */
const X_RAY = /(?:^|;)\s*Root=1-([0-9a-f]{8})-([0-9a-f]{24})(?:;|$)/;

/**
 * What a request and everything it sets off is found by: the trace id of the caller's `traceparent` if that is one, else the id under
 * which X-Ray knows the request, else the API's own request id. The id alone: spans belong to whoever draws them, and what travels in an
 * item has to be short.
 *
 * Does not protect against a caller who uses one trace id for many requests; nothing is decided by it.
 */
export function traceOf({ headers, requestContext }: Pick<HttpRequest, 'headers' | 'requestContext'>): string {
  const named = (wanted: string): string => Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';
  const [, theirs] = TRACEPARENT.exec(named('traceparent').trim()) ?? [];
  if (theirs !== undefined) return theirs;
  const [, time, rest] = X_RAY.exec(named('x-amzn-trace-id')) ?? [];
  return time === undefined || rest === undefined ? requestContext.requestId : `${time}${rest}`;
}

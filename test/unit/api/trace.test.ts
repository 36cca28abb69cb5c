import { describe, expect, it } from 'vitest';
import { traceOf } from '#shared/http/trace.ts';

const ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const trace = (headers: Record<string, string>) => traceOf({ headers, requestContext: { requestId: 'request-1' } });
const X_RAY = `Root=1-${ID.slice(0, 8)}-${ID.slice(8)};Parent=00f067aa0ba902b7;Sampled=1`;

describe('a request is found by', () => {
  it.each([
    ['the trace id its caller brought', { traceparent: `00-${ID}-00f067aa0ba902b7-01` }],
    ['that id, whatever the case of the header', { Traceparent: `00-${ID}-00f067aa0ba902b7-00` }],
    ['that id, when a later version says more', { traceparent: `cc-${ID}-00f067aa0ba902b7-01-what-else` }],
    ['the id under which X-Ray knows it, when the caller brought none', { 'x-amzn-trace-id': X_RAY }],
    ["the caller's id before X-Ray's", { traceparent: `00-${ID}-00f067aa0ba902b7-01`, 'X-Amzn-Trace-Id': X_RAY.replace('4bf9', '0000') }],
    ["X-Ray's id, when the caller's is none", { traceparent: 'mine', 'X-Amzn-Trace-Id': X_RAY }],
  ])('%s', (_what, headers) => expect(trace(headers)).toBe(ID));

  it.each([
    ['no header', {}],
    ['zeros for an id', { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }],
    ['zeros for a parent', { traceparent: `00-${ID}-${'0'.repeat(16)}-01` }],
    ['a version that is forbidden', { traceparent: `ff-${ID}-00f067aa0ba902b7-01` }],
    ['capitals, which the standard forbids', { traceparent: `00-${ID.toUpperCase()}-00f067aa0ba902b7-01` }],
    ['something else in the header', { traceparent: `person@example.test ${ID}` }],
    ['a broken X-Ray header', { 'x-amzn-trace-id': 'Root=1-xyz' }],
  ])('its own id, given %s', (_what, headers) => expect(trace(headers)).toBe('request-1'));
});

import { describe, expect, it } from 'vitest';
import { problem } from '#shared/contract/problem.ts';

describe('a problem document', () => {
  it('carries type, title, status, detail and code, as RFC 9457 asks', () => {
    const { statusCode, headers, body } = problem(409, 'order-busy', 'A payment is under way. Ask again in a few seconds.', {
      headers: { 'retry-after': '5' },
      members: { requestId: 'req-1' },
    });
    expect(statusCode).toBe(409);
    expect(headers).toEqual({ 'content-type': 'application/problem+json', 'retry-after': '5' });
    expect(JSON.parse(body)).toEqual({
      type: 'urn:andal:problem:order-busy',
      title: 'Order busy',
      status: 409,
      code: 'order-busy',
      detail: 'A payment is under way. Ask again in a few seconds.',
      requestId: 'req-1',
    });
  });

  it('lets no further member replace the document’s own', () => {
    expect(JSON.parse(problem(400, 'body-malformed', 'No JSON.', { members: { status: 200, detail: 'fine' } }).body)).toMatchObject({
      status: 400,
      detail: 'No JSON.',
    });
  });
});

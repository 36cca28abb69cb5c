import { describe, expect, it } from 'vitest';
import { retryInvalidation } from '../../../functions/retry-invalidation/handler.ts';

const bench = (...failing: string[]) => {
  const invalidated: string[] = [];
  const counted: number[] = [];
  const lines: { level: string; fields: Record<string, unknown> }[] = [];
  const handler = retryInvalidation({
    async invalidate(key) {
      if (failing.includes(key)) throw new Error('the cache said no');
      invalidated.push(key);
    },
    measure: (count) => ({ counted: counted.push(count) }),
    log: { info: (_, fields) => lines.push({ level: 'info', fields }), error: (_, fields) => lines.push({ level: 'error', fields }) },
  });
  const handle = (...bodies: string[]) => handler({ Records: bodies.map((body, index) => ({ messageId: `m-${index}`, body })) });
  return { invalidated, counted, lines, handle };
};
const parked = (key: string) => JSON.stringify({ key });

describe('invalidating again', () => {
  it('invalidates every parked key, in one log line', async () => {
    const { handle, invalidated, counted, lines } = bench();
    expect(await handle(parked('order:u-1/ord-1'), parked('order_summary:user:u-1'))).toEqual({ batchItemFailures: [] });
    expect(invalidated).toEqual(['order:u-1/ord-1', 'order_summary:user:u-1']);
    expect(counted).toEqual([]);
    expect(lines).toEqual([{ level: 'info', fields: { invalidated: 2, keys: invalidated } }]);
  });

  it('hands back alone the message whose key fails again, and counts it', async () => {
    const { handle, invalidated, counted } = bench('order:u-1/ord-1');
    expect(await handle(parked('order:u-1/ord-1'), parked('order:u-1/ord-2'))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-0' }] });
    expect(invalidated).toEqual(['order:u-1/ord-2']);
    expect(counted).toEqual([1]);
  });

  it.each([
    '',
    'no json',
    'null',
    '[]',
    '{}',
    '{"key":""}',
    '{"key":7}',
    '{"key":"a","more":1}',
    JSON.stringify({ unreadable: { keys: {} } }),
  ])('hands back alone the body it cannot read: %s', async (body) => {
    const { handle, invalidated, lines } = bench();
    expect(await handle(body, parked('order:u-1/ord-2'))).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-0' }] });
    expect(invalidated).toEqual(['order:u-1/ord-2']);
    expect(lines).toMatchObject([{ level: 'error', fields: { failed: [{ messageId: 'm-0', problem: 'unreadable' }] } }]);
  });
});

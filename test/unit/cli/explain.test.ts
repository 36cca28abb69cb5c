import { describe, expect, it } from 'vitest';
import { parseLogLine } from '../../../cli/aws/log-lines.ts';
import { formatAmount } from '../../../cli/explain/amount.ts';
import { explain, formatExplanation } from '../../../cli/explain/explanation.ts';
import { NOTHING_HELD_BACK } from '../../../cli/explain/load-control.ts';
import { parseOrderName } from '../../../cli/explain/order-name.ts';
import type { Sources } from '../../../cli/explain/sources.ts';
import { timelineOf } from '../../../cli/explain/timeline.ts';

const name = { userId: 'u-17', orderId: 'ord1' };
const key = 'capture:u-17/ord1:1';
const line = (atMs: number, fields: Record<string, unknown>) => ({ atMs, logGroup: 'g', fields });

const sources: Sources = {
  name,
  order: {
    ...name,
    status: 'paid',
    version: 2,
    fence: 2,
    amountMinor: 1250,
    currency: 'EUR',
    createdAtMs: 1_000,
    paymentIntentId: 'pi-ord1-1',
    lease: 'free',
    'op:capture:1': { status: 'completed', result: { captureId: 'cap-1' }, hash: 'h', by: 'owner-two', fence: 2, tries: 2, atMs: 5_000 },
  },
  account: {
    reference: 'u-17/ord1',
    captures: [{ captureId: 'cap-1', paymentIntentId: 'pi-ord1-1', key, amountMinor: 1250, currency: 'EUR', atMs: 2_000 }],
    refunds: [],
  },
  requests: [
    { paymentIntentId: 'pi-ord1-1', requestId: 'request-1', atMs: 1_900, operation: 'capture', key },
    { paymentIntentId: 'pi-ord1-1', requestId: 'request-2', atMs: 4_000, operation: 'find' },
  ],
  receipts: [{ sentAtMs: 6_000, captureId: 'cap-1' }],
  cacheEntry: { key: 'order:u-17/ord1', value: '{}', version: 2, expiresAtMs: 90_000 },
  lines: [
    line(1_500, { message: 'dispatched', keys: [key, 'capture:u-17/other:1'] }),
    line(3_000, {
      message: 'batch',
      jobs: [
        { key, trace: 'trace-1', outcome: 'retry', owner: 'owner-one', fence: 1, attempt: 1, durationMs: 1_200 },
        { key: 'capture:u-17/other:1', trace: 'trace-2', outcome: 'committed' },
      ],
    }),
    line(5_100, { message: 'batch', jobs: [{ key, outcome: 'committed', owner: 'owner-two', fence: 2, attempt: 2, durationMs: 1_150 }] }),
    line(5_200, { message: 'invalidated', keys: ['order:u-17/ord1', 'order_summary:user:u-17'] }),
    line(5_300, { message: 'invalidated', keys: ['order:u-17/other', 'order_summary:user:u-17'] }),
  ],
  letters: [],
  lookedThrough: [{ queue: 'capture-payment', seen: 3, unseen: 0, state: 'there' }],
  provider: { paymentIntentId: 'pi-ord1-1', status: 'captured', captureId: 'cap-1', refundId: null },
  acts: [],
  heldBack: NOTHING_HELD_BACK,
};

it('an order tells the traces of its own jobs', () => {
  const explanation = explain(sources, 10_000);
  expect(explanation.traces).toEqual(['trace-1']);
  expect(formatExplanation(explanation, 10_000)).toContain('Trace: trace-1');
});

describe('the timeline of an order', () => {
  const timeline = timelineOf(sources);

  it('tells its life in the order it happened', () => {
    expect(timeline.map(({ atMs, stage }) => [atMs, stage])).toEqual([
      [1_000, 'created'],
      [1_500, 'enqueued'],
      [1_800, 'claim'],
      [1_900, 'provider'],
      [2_000, 'capture'],
      [3_950, 'claim'],
      [4_000, 'provider'],
      [5_000, 'commit'],
      [5_200, 'invalidation'],
      [6_000, 'receipt'],
    ]);
  });

  it('leaves other orders out, also of the same user and in the same line', () => {
    expect(JSON.stringify(timeline)).not.toContain('other');
  });

  it('names owner, fence and attempt of each claim', () => {
    const claims = timeline.filter(({ stage }) => stage === 'claim').map(({ what }) => what);
    expect(claims).toEqual([
      `${key} → retry, attempt 1, owner owner-on, fence 1, 1200 ms`,
      `${key} → committed, attempt 2, owner owner-tw, fence 2, 1150 ms`,
    ]);
  });
});

describe('an explanation', () => {
  it('says whether the cache tells what the table says', () => {
    expect(explain(sources, 10_000).cache).toEqual({ state: 'value', version: 2, current: true });
    expect(explain({ ...sources, cacheEntry: { ...sources.cacheEntry, version: 1 } }, 10_000).cache.current).toBe(false);
    expect(explain(sources, 100_000).cache.state).toBe('expired');
    expect(explain({ ...sources, cacheEntry: undefined }, 10_000).cache.state).toBe('none');
  });

  it('cries out when the provider charged twice', () => {
    const [capture] = sources.account?.captures ?? [];
    const twice = {
      ...sources,
      account: { reference: 'u-17/ord1', captures: [capture!, { ...capture!, captureId: 'cap-2' }], refunds: [] },
    };
    expect(formatExplanation(explain(twice, 10_000), 10_000)).toContain('2: charged more than once');
  });

  it('covers what a customer wrote, in its text and in its document', () => {
    const noted = { ...sources, order: { ...sources.order, note: 'leave it with Mrs Neighbour' } };
    expect(JSON.stringify(explain(noted, 10_000)) + formatExplanation(explain(noted, 10_000), 10_000)).not.toContain('Neighbour');
  });

  it('says what letters there are and how many were looked through, and what operators did', () => {
    expect(formatExplanation(explain(sources, 10_000), 10_000)).toContain('Dead letters: none (3 letters in 1 queues looked through)');
    const letter = { queue: 'capture-payment', messageId: '0123456789', sentAtMs: 7_000, reason: 'attempts-spent', attempts: 6, key };
    const act = { id: 'a', what: 'replay', who: 'somebody', why: 'again', atMs: 8_000, queue: 'q', messageId: '0123456789', key };
    const missing = [...sources.lookedThrough, { queue: 'send-receipt', seen: 0, unseen: 0, state: 'missing' as const }];
    const explanation = explain({ ...sources, letters: [letter], lookedThrough: missing, acts: [act] }, 10_000);
    expect(explanation.timeline.slice(-2).map(({ stage, what }) => [stage, what])).toEqual([
      ['dead letter', 'capture-payment: attempts-spent (message 01234567)'],
      ['operator', 'replay by somebody (again): nobody saw its end: look at the item'],
    ]);
    const text = formatExplanation(explanation, 10_000);
    expect(text).toContain('Dead letters: capture-payment (attempts-spent); missing: send-receipt');
    expect(text).toContain('npm run andal -- dlq inspect --key u-17/ord1');
  });

  it('names the holder while the order is held', () => {
    const held = {
      ...sources,
      order: { ...sources.order, lease: 'held', leaseOwner: 'abcdefghij', leaseOp: 'capture:1', leaseUntilMs: 12_000 },
    };
    expect(formatExplanation(explain(held, 10_000), 10_000)).toContain('Held now: capture:1 by abcdefgh for another 2 s');
  });
});

describe('what a person types and reads', () => {
  it.each(['u-17', 'u-17/ord1/x', '/ord1', 'u 17/ord1', ''])('refuses the order name "%s"', (text) => {
    expect(() => parseOrderName(text)).toThrow('<userId>/<orderId>');
  });

  it('writes money as its currency does', () => {
    const written = [formatAmount(1250, 'EUR'), formatAmount(4200, 'JPY'), formatAmount(1, 'KWD'), formatAmount(19_900_000, 'IDR')];
    expect(written).toEqual(['12.50 EUR', '4200 JPY', '0.001 KWD', '199000.00 IDR']);
  });

  it('reads a structured line with and without the prefix Lambda puts before it', () => {
    expect(parseLogLine('2026-11-30T10:00:00Z\tid\tINFO\t{"message":"batch"}\n')).toEqual({ message: 'batch' });
    expect(parseLogLine('{"message":"batch"}')).toEqual({ message: 'batch' });
    expect(parseLogLine('START RequestId: 1')).toBeUndefined();
    expect(parseLogLine('broken {')).toBeUndefined();
  });
});

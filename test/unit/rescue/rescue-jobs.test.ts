import { describe, expect, it, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { rescueItem } from '#shared/rescue/rescue-item.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const timeout = (): ProviderError => new ProviderError('provider-timeout', { sent: 'maybe' });

/** Orders whose capture failed once and whose messages are gone; their marks have come due. */
async function overdueOrders(...orderIds: string[]): Promise<PipelineBench> {
  const bench = createPipelineBench();
  for (const orderId of orderIds) {
    const body = await bench.createOrder(orderId);
    bench.payments.scripts.push({ charge: false, throws: timeout() });
    await bench.deliverNow('capture-payment', body);
  }
  bench.loseStream();
  bench.clock.advance(10 * MINUTE_MS);
  return bench;
}

const markOf = (bench: PipelineBench, orderId = 'ord-1'): number => Number(bench.order(orderId).overdueAtMs);

describe('an item whose mark has come due', () => {
  it('is left alone before', async () => {
    const bench = await overdueOrders('ord-1');
    bench.clock.advance(-3 * MINUTE_MS);
    expect(await bench.rescue()).toEqual({});
    expect(bench.queued).toEqual([]);
  });

  it('has its mark moved on before its job is sent, so that a queue that takes nothing costs one wait', async () => {
    const bench = await overdueOrders('ord-1');
    bench.deafQueues.add('capture-payment');
    expect(await bench.rescue()).toEqual({ 'not-sent': 1 });
    expect(markOf(bench)).toBeGreaterThan(bench.clock.nowMs());
    expect(await bench.rescue()).toEqual({});
    bench.deafQueues.clear();
    bench.clock.advance(markOf(bench) - bench.clock.nowMs());
    expect(await bench.rescue()).toEqual({ sent: 1 });
    expect(bench.queued).toHaveLength(1);
  });

  it('is sent again after waits that double up to six hours, as long as nothing answers', async () => {
    const bench = await overdueOrders('ord-1');
    const waits: number[] = [];
    for (let round = 0; round < 9; round++) {
      bench.clock.advance(Math.max(0, markOf(bench) - bench.clock.nowMs()));
      await bench.rescue();
      waits.push(Math.round((markOf(bench) - bench.clock.nowMs()) / MINUTE_MS));
    }
    expect(waits.slice(0, 3).map((wait, index) => Math.round((waits[index + 1] ?? 0) / wait))).toEqual([2, 2, 2]);
    expect(waits.at(-1)).toBe(360);
    expect(bench.queued).toHaveLength(9);
  });

  it('is sent once by two rescues at the same moment', async () => {
    const bench = await overdueOrders('ord-1');
    const tallies = await Promise.all([bench.rescue(), bench.rescue()]);
    expect(bench.queued).toHaveLength(1);
    expect(tallies.flatMap(Object.keys).sort()).toEqual(['lost', 'sent']);
  });

  it('waits while its kind is paused or behind an open circuit, and is not forgotten for hours when that ends', async () => {
    const bench = await overdueOrders('ord-1');
    bench.closedKinds.add('capture-payment');
    await bench.pass(5 * HOUR_MS, { rescue: true });
    expect(bench.sent).toEqual([]);
    bench.closedKinds.clear();
    await bench.pass(11 * MINUTE_MS, { rescue: true });
    expect(bench.order('ord-1').status).toBe('paid');
  });

  it('waits while a worker is at it', async () => {
    const bench = await overdueOrders('ord-1');
    bench.restore({
      ...bench.order('ord-1'),
      lease: 'held',
      leaseOwner: 'o',
      leaseOp: 'capture:1',
      leaseUntilMs: bench.clock.nowMs() + 20_000,
    });
    expect(await bench.rescue()).toEqual({ waiting: 1 });
    expect(bench.queued).toEqual([]);
  });

  it('with nothing left to do loses its mark', async () => {
    const bench = await overdueOrders('ord-1');
    const { 'try:capture:1': _, ...order } = bench.order('ord-1');
    bench.restore({ ...order, status: 'paid', 'sent:capture:1': undefined, 'op:capture:1': { status: 'completed', atMs: 0 } });
    expect(await bench.rescue()).toEqual({ 'mark-removed': 1 });
    expect(bench.order('ord-1')).not.toHaveProperty('overdueAtMs');
    expect(bench.order('ord-1')).not.toHaveProperty('overdueShard');
  });

  it('keeps the mark that a fresh failure has set meanwhile', async () => {
    const bench = await overdueOrders('ord-1');
    const key = orderItemKey(USER, 'ord-1');
    const stale = bench.order('ord-1');
    bench.restore({ ...stale, fence: 9 });
    const world = {
      store: { ...bench.store, read: async () => stale },
      isClosedFor: async () => false,
      visibilityTimeoutMs: () => 1,
      keyHorizonMs: 1,
      timeScale: 1,
      clock: bench.clock,
      random: bench.worker().random,
      queueUrls: {},
      sender: { send: async () => ({ failed: [] }) },
    };
    expect(await rescueItem(key, world)).toBe('lost');
    expect(markOf(bench)).toBe(stale.overdueAtMs);
  });
});

describe('one item', () => {
  it('that cannot be read holds up no other, is counted, and steps back', async () => {
    const bench = await overdueOrders('ord-1', 'ord-2');
    bench.restore({ ...bench.order('ord-1'), status: 'nonsense' });
    expect(await bench.rescue()).toEqual({ unreadable: 1, sent: 1 });
    expect(bench.counted).toEqual({ RescueUnreadable: 1 });
    expect(markOf(bench)).toBeGreaterThan(bench.clock.nowMs());
  });

  it('whose read fails holds up no other and keeps its mark', async () => {
    const bench = await overdueOrders('ord-1', 'ord-2');
    const due = markOf(bench);
    bench.aws.fault = ({ operation, input }) =>
      operation === 'GetItem' && JSON.stringify(input).includes('ord-1') ? { error: 'ResourceNotFoundException' } : undefined;
    expect(await bench.rescue()).toEqual({ failed: 1, sent: 1 });
    expect(bench.counted).toEqual({ RescueFailed: 1 });
    expect(markOf(bench)).toBe(due);
  });

  it('that the index still tells of, though it is done, is passed over', async () => {
    const bench = await overdueOrders('ord-1');
    const body = await bench.createOrder('ord-2');
    bench.aws.fault = ({ operation }) => (operation === 'Query' ? { changesBehind: 3 } : undefined);
    await bench.deliverNow(
      'capture-payment',
      JSON.stringify({
        ...JSON.parse(body),
        idempotencyKey: `capture:${USER}/ord-1:1`,
        payload: { userId: USER, orderId: 'ord-1', attempt: 1 },
      }),
    );
    expect(bench.order('ord-1').status).toBe('paid');
    expect(await bench.rescue()).toEqual({ late: 1 });
  });
});

test('an item that has failed again since the index was written waits for its new mark', async () => {
  const bench = await overdueOrders('ord-1');
  const stale = markOf(bench);
  bench.restore({ ...bench.order('ord-1'), overdueAtMs: stale + HOUR_MS });
  bench.aws.fault = ({ operation }) => (operation === 'Query' ? { changesBehind: 1 } : undefined);
  expect(await bench.rescue()).toEqual({ late: 1 });
  expect(bench.queued).toEqual([]);
  expect(markOf(bench)).toBe(stale + HOUR_MS);
});

test('250 overdue items are looked after in one run, in pages', async () => {
  const bench = createPipelineBench();
  for (let index = 0; index < 250; index++) {
    await bench.createOrder(`ord-${index}`);
    bench.putItem({
      ...bench.order(`ord-${index}`),
      'try:capture:1': 1,
      'sent:capture:1': 1,
      overdueShard: '0',
      overdueAtMs: bench.clock.nowMs() - index,
    });
  }
  bench.loseStream();
  bench.clock.advance(HOUR_MS);
  bench.aws.calls.length = 0;
  expect(await bench.rescue()).toEqual({ sent: 250 });
  expect(bench.aws.calls.filter(({ operation }) => operation === 'Query')).toHaveLength(3);
  expect(new Set(bench.queued.map(({ body }) => body))).toHaveLength(250);
});

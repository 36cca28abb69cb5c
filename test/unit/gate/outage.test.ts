import { describe, expect, it } from 'vitest';
import { breakerRow, pauseRow } from '#shared/control/rows.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import { executeBatch } from '#shared/worker/execute-batch.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { createGate } from '#shared/worker/gate.ts';
import type { Ports } from '#shared/worker/ports.ts';
import type { Delivery, Worker } from '#shared/worker/worker.ts';
import { createHandler } from '../../../functions/govern-queues/handler.ts';
import { busiestWindow, seededFraction } from '../../support/limited-callers.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualTime } from '../../support/virtual-time.ts';
import { createWorkerBench, USER } from '../../support/worker-bench.ts';

// B25 B69, I3 I4
const MINUTE_MS = 60_000;
const BATCH = 10;
const FUNCTION_MS = 25_000;

interface Message {
  readonly body: string;
  dueAtMs: number;
  firstReceivedAtMs: number | undefined;
  receiveCount: number;
}

interface Outage {
  readonly untilMs: number;
  readonly callsPerSecond?: number;
  readonly error?: () => ProviderError;
}

/** Orders waiting in a queue, pollers whose number the real governor decides, the real worker and gate, and a provider that is away for a while. */
async function pipeline({
  untilMs,
  callsPerSecond = 100,
  error = () => new ProviderError('provider-unreachable', { sent: 'no' }),
}: Outage) {
  const time = createVirtualTime({ turns: 8 });
  const clock = time.clock();
  const bench = createWorkerBench();
  const control = createMemoryControl();
  const fraction = seededFraction(4);
  const queue: Message[] = [];
  const calls: { atMs: number; ok: boolean }[] = [];
  const endings: { atMs: number; outcome: string }[] = [];
  const mapping = { kind: capturePayment.kind, enabled: true, maxConcurrency: 20, changing: false };
  const enabledAt: { atMs: number; enabled: boolean; width: number }[] = [];

  const payments: PaymentPort = {
    ...bench.payments,
    async capture(request, call) {
      const call_ = { atMs: time.nowMs, ok: time.nowMs >= untilMs };
      calls.push(call_);
      await time.sleep(call_.ok ? 100 : 5);
      if (!call_.ok) throw error();
      return bench.payments.capture(request, call);
    },
  };
  let tokens = 0;
  const random = { fraction, token: () => `own-${++tokens}` };
  const worker = (): Worker => {
    const gate = createGate({
      control,
      clock,
      random,
      timeScale: 1,
      callsPerSecond: { 'payment-provider': callsPerSecond },
      ports: { payments } as Ports,
    });
    return { ...bench.worker(), clock, random, gate };
  };
  const arrive = async (orderId: string) => {
    queue.push({ body: await bench.createOrder(orderId), dueAtMs: time.nowMs, firstReceivedAtMs: undefined, receiveCount: 0 });
  };

  /** One batch of one execution environment. */
  const consume = async (environment: Worker): Promise<void> => {
    const batch = queue.filter(({ dueAtMs }) => dueAtMs <= time.nowMs).slice(0, BATCH);
    for (const message of batch) {
      message.dueAtMs = time.nowMs + 150_000;
      message.receiveCount++;
      message.firstReceivedAtMs ??= clock.nowMs();
    }
    const byId = new Map(batch.map((message, index) => [String(index), message]));
    const deliveries: Delivery[] = [...byId].map(([messageId, { body, receiveCount, firstReceivedAtMs = 0 }]) => {
      return { messageId, receiptHandle: messageId, body, receiveCount, firstReceivedAtMs };
    });
    for (const { delivery, ending } of await executeBatch(deliveries, (one) => executeJob(one, environment, FUNCTION_MS), fraction)) {
      const message = byId.get(delivery.messageId)!;
      endings.push({ atMs: time.nowMs, outcome: ending.outcome });
      if (ending.action === 'ack') queue.splice(queue.indexOf(message), 1);
      else message.dueAtMs = time.nowMs + ending.delayMs;
    }
  };
  const poll = async (index: number): Promise<void> => {
    const environment = worker();
    for (;;) {
      await time.sleep(500 + index * 20);
      if (mapping.enabled && index < mapping.maxConcurrency && queue.some(({ dueAtMs }) => dueAtMs <= time.nowMs))
        await consume(environment);
    }
  };
  const govern = createHandler({
    jobs: [capturePayment],
    control,
    clock,
    timeScale: 1,
    mappings: {
      list: async () => [{ ...mapping }],
      enable: async (_kind, maxConcurrency) => void Object.assign(mapping, { enabled: true, maxConcurrency }),
      disable: async () => void Object.assign(mapping, { enabled: false }),
    },
    log: () => enabledAt.push({ atMs: time.nowMs, enabled: mapping.enabled, width: mapping.maxConcurrency }),
  });
  const governEachMinute = async (): Promise<void> => {
    for (;;) {
      await time.sleep(MINUTE_MS);
      await govern();
    }
  };
  for (let index = 0; index < 5; index++) void poll(index);
  void governEachMinute();
  const attemptsOf = (orderId: string) => Number(bench.order(orderId)['try:capture:1'] ?? 0);
  return { time, bench, control, queue, calls, endings, enabledAt, arrive, attemptsOf };
}

const names = (count: number, prefix = 'ord'): string[] => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

describe('an hour without the provider, 300 orders waiting', () => {
  it('costs no attempt, no dead letter and a handful of calls; consumption stops and resumes by itself, and every order is paid once', async () => {
    const hourMs = 60 * MINUTE_MS;
    const world = await pipeline({ untilMs: hourMs });
    const { time, bench, queue, calls, endings, enabledAt, arrive, attemptsOf } = world;
    const orders = names(300);
    for (const order of orders) await arrive(order);

    await time.runUntil(hourMs - 1);
    expect(queue).toHaveLength(300);
    expect(orders.filter((order) => attemptsOf(order) > 0)).toEqual([]);
    expect(orders.filter((order) => Number(bench.order(order)['sent:capture:1'] ?? 0) > 0)).toEqual([]);
    // Those under way when the fifth failed, then one for each cool-down.
    expect(calls.filter(({ atMs }) => atMs > MINUTE_MS).length).toBeLessThanOrEqual(16);
    expect(calls.length).toBeLessThanOrEqual(35);
    expect(enabledAt.filter(({ enabled }) => !enabled).length).toBeGreaterThan(30);
    expect(endings.some(({ outcome }) => outcome === 'circuit-open')).toBe(true);

    await time.runUntil(hourMs + 45 * MINUTE_MS);
    expect(queue).toEqual([]);
    expect(bench.letters).toEqual([]);
    for (const order of orders) {
      expect(bench.order(order).status).toBe('paid');
      expect(bench.payments.settledCaptures(`${USER}/${order}`)).toBe(1);
    }
    expect(enabledAt.at(-1)).toMatchObject({ enabled: true, width: 20 });
    expect(world.control.rows.has(breakerRow('payment-provider'))).toBe(false);
  }, 60_000);
});

describe('a minute without the provider', () => {
  it('lets calls come back in steps of the limit, never all at once', async () => {
    const outageMs = MINUTE_MS;
    const world = await pipeline({ untilMs: outageMs, callsPerSecond: 8 });
    const { time, bench, queue, calls, arrive } = world;
    for (const order of names(150)) await arrive(order);
    for (const order of names(20, 'more')) {
      await time.runUntil(time.nowMs + 2_000);
      await arrive(order);
    }
    await time.runUntil(30 * MINUTE_MS);
    expect(queue).toEqual([]);
    expect(bench.letters).toEqual([]);
    const answered = calls.filter(({ ok }) => ok).map(({ atMs }) => atMs);
    expect(answered).toHaveLength(170);
    const [firstMs = 0] = answered;
    const within = (fromMs: number, untilMs: number) => answered.filter((atMs) => atMs >= firstMs + fromMs && atMs < firstMs + untilMs);
    expect(busiestWindow(within(0, 15_000), 1_000)).toBeLessThanOrEqual(2);
    expect(within(0, 15_000).length).toBeLessThanOrEqual(16);
    expect(within(15_000, 30_000).length).toBeLessThanOrEqual(31);
    expect(within(30_000, 45_000).length).toBeLessThanOrEqual(61);
    expect(busiestWindow(answered, 1_000)).toBeLessThanOrEqual(8);
  }, 60_000);

  it('spends attempts only on calls that may have been sent, and those are few', async () => {
    const world = await pipeline({ untilMs: MINUTE_MS, error: () => new ProviderError('provider-timeout', { sent: 'maybe' }) });
    const { time, bench, queue, arrive, attemptsOf } = world;
    const orders = names(100);
    for (const order of orders) await arrive(order);
    await time.runUntil(MINUTE_MS - 1);
    expect(orders.filter((order) => attemptsOf(order) > 0).length).toBeLessThanOrEqual(40);
    expect(Math.max(...orders.map(attemptsOf))).toBeLessThanOrEqual(2);
    await time.runUntil(40 * MINUTE_MS);
    expect(queue).toEqual([]);
    expect(bench.letters).toEqual([]);
    for (const order of orders) expect(bench.payments.settledCaptures(`${USER}/${order}`)).toBe(1);
  }, 60_000);
});

describe('a paused kind', () => {
  it('keeps its messages, fifty deliveries of each cost nothing, and all are done once it is resumed', async () => {
    const world = await pipeline({ untilMs: 0 });
    const { time, control, queue, calls, arrive, attemptsOf, endings } = world;
    control.rows.set(pauseRow(capturePayment.kind), { pausedAtMs: 0, by: 'x', reason: 'y' });
    await arrive('ord-1');
    for (let delivery = 0; delivery < 50; delivery++) {
      queue[0]!.dueAtMs = 0;
      await time.runUntil(time.nowMs + 1_000);
    }
    expect(endings.filter(({ outcome }) => outcome === 'paused').length).toBeGreaterThanOrEqual(50);
    expect(attemptsOf('ord-1')).toBe(0);
    control.rows.delete(pauseRow(capturePayment.kind));
    await time.runUntil(time.nowMs + 20 * MINUTE_MS);
    expect(queue).toEqual([]);
    expect(calls).toHaveLength(1);
  }, 30_000);
});

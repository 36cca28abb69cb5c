import { describe, expect, test } from 'vitest';
import { done } from '#shared/worker/outcome.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';
import { gate, messageOf, scriptedItem, scriptedJob, until } from './scripted-job.ts';

// B03 B27
describe('with too little function time left', () => {
  test.each([0, -20, 40, 12_999, Number.NaN, Number.NEGATIVE_INFINITY])(
    '(%s ms) nothing is written and the message goes back at once, unspent',
    async (remainingMs) => {
      const bench = createWorkerBench();
      const body = await bench.createOrder('ord-1');
      bench.aws.calls.length = 0;
      const before = bench.order('ord-1');
      expect(await bench.deliver(body, { remainingMs })).toMatchObject({ action: 'hand-back', outcome: 'too-little-time', delayMs: 1_000 });
      expect(bench.aws.calls).toEqual([]);
      expect(bench.order('ord-1')).toEqual(before);
    },
  );

  test('the margin counts to the millisecond: what is just enough is started', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    expect(await bench.deliver(body, { remainingMs: 13_000 })).toMatchObject({ outcome: 'committed' });
  });
});

describe('a lease', () => {
  test.each([
    [13_000, 15_000],
    [25_000, 27_000],
    // A clock or context that promises too much does not stretch it.
    [900_000, 27_000],
  ])('ends two seconds after a function that has %d ms left, and never later than the kind allows', async (remainingMs, leaseMs) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    const running = gate();
    bench.payments.scripts.push({ hold: running.opened });
    const job = bench.deliver(body, { remainingMs });
    await until(() => bench.payments.captureCalls.length === 1);
    expect(bench.order('ord-1')).toMatchObject({ lease: 'held', leaseUntilMs: bench.clock.nowMs() + leaseMs });
    running.open();
    await job;
  });

  test('can be taken over when it has passed and not a millisecond before', async () => {
    const bench = createWorkerBench();
    const held = gate();
    const slow = scriptedJob(async () => {
      await held.opened;
      return done({});
    });
    const body = messageOf(slow, { id: 'a' });
    const first = bench.deliver(body, { definition: slow, remainingMs: 9_000 });
    await until(() => bench.item(scriptedItem('a'))?.['lease'] === 'held');
    bench.clock.advance(11_000);
    const quick = scriptedJob(async () => done({}));
    expect(await bench.deliver(body, { definition: quick })).toMatchObject({ action: 'hand-back', outcome: 'busy', delayMs: 1_000 });
    bench.clock.advance(1);
    expect(await bench.deliver(body, { definition: quick })).toMatchObject({ action: 'ack', outcome: 'committed', facts: { fence: 2 } });
    held.open();
    expect(await first).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
  });
});

// B15
describe('an item of a job’s own', () => {
  test('expires in whole seconds, 45 days after each claim and each commit, and keeps its message', async () => {
    const bench = createWorkerBench();
    const definition = scriptedJob(async () => done({}));
    const body = messageOf(definition, { id: 'a' });
    await bench.deliver(body, { definition });
    const item = bench.item(scriptedItem('a'));
    expect(item).toMatchObject({ expiresAt: Math.floor(bench.clock.nowMs() / 1000) + 45 * 86_400, message: body, version: 1 });
  });

  test('is renewed by the commit, too', async () => {
    const bench = createWorkerBench();
    const definition = scriptedJob(async () => {
      bench.clock.advance(5_000);
      return done({});
    });
    await bench.deliver(messageOf(definition, { id: 'a' }), { definition });
    expect(bench.item(scriptedItem('a'))?.['expiresAt']).toBe(Math.floor(bench.clock.nowMs() / 1000) + 45 * 86_400);
  });

  test('keeps lease and expiry apart, each in its own unit', async () => {
    const bench = createWorkerBench();
    const held = gate();
    const definition = scriptedJob(async () => {
      await held.opened;
      return done({});
    });
    const running = bench.deliver(messageOf(definition, { id: 'a' }), { definition });
    await until(() => bench.item(scriptedItem('a')) !== undefined);
    const { expiresAt, leaseUntilMs } = bench.item(scriptedItem('a')) as { expiresAt: number; leaseUntilMs: number };
    expect(Number.isInteger(expiresAt)).toBe(true);
    expect(expiresAt).toBeLessThan(1e11);
    expect(leaseUntilMs - bench.clock.nowMs()).toBeLessThanOrEqual(30_000);
    held.open();
    await running;
  });

  test('that has expired and still lies there is taken over after its lease, and answers duplicates when finished', async () => {
    const bench = createWorkerBench();
    const nowMs = bench.clock.nowMs();
    const definition = scriptedJob(async () => done({ ok: true }));
    const body = messageOf(definition, { id: 'a' });
    bench.putItem({
      ...scriptedItem('a'),
      expiresAt: Math.floor(nowMs / 1000) - 86_400,
      lease: 'held',
      leaseOwner: 'gone',
      leaseOp: 'run',
      leaseUntilMs: nowMs - 1,
      fence: 4,
      version: 0,
      'try:run': 1,
      'sent:run': 1,
    });
    expect(await bench.deliver(body, { definition })).toMatchObject({
      action: 'ack',
      outcome: 'committed',
      facts: { fence: 5, attempt: 2 },
    });
    bench.putItem({ ...bench.item(scriptedItem('a')), expiresAt: 1 });
    expect(await bench.deliver(body, { definition })).toMatchObject({ action: 'ack', outcome: 'duplicate' });
  });

  test('an order never expires', async () => {
    const bench = createWorkerBench();
    await bench.deliver(await bench.createOrder('ord-1'));
    expect(bench.order('ord-1').expiresAt).toBeUndefined();
  });
});

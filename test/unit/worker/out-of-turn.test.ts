import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { requestOnOrder } from '#shared/requests/request-on-order.ts';
import { payAgain } from '#shared/requests/wishes.ts';
import { createWorkerBench, USER } from '../../support/worker-bench.ts';

const captureMessage = (orderId: string, attempt: number): string =>
  JSON.stringify({
    kind: 'capture-payment',
    version: 1,
    idempotencyKey: `capture:${USER}/${orderId}:${attempt}`,
    payload: { userId: USER, orderId, attempt },
    enqueuedAt: '2026-11-30T10:00:00.000Z',
  });

describe('a message of an attempt that is not open yet', () => {
  test('becomes a letter and leaves no trace on the item, however often it comes', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    const before = bench.order('ord-1');
    for (let attempt = 2; attempt < 30; attempt++) {
      expect(await bench.deliver(captureMessage('ord-1', attempt))).toMatchObject({ action: 'ack', facts: { code: 'attempt-not-opened' } });
    }
    expect(bench.letters).toHaveLength(28);
    expect(bench.order('ord-1')).toEqual(before);
  });

  test('does not close the door for the attempt that is opened later', async () => {
    const bench = createWorkerBench();
    const first = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, answer: { status: 'declined', reason: 'card-declined' } });
    await bench.deliver(first);
    await bench.deliver(captureMessage('ord-1', 2));
    const world = { store: bench.store, clock: bench.clock, random: { token: () => 'token-1' } };
    const opened = await requestOnOrder(orderItemKey(USER, 'ord-1'), 'again', payAgain(bench.clock.nowMs()), world);
    expect(opened.kind).toBe('new');
    expect(await bench.deliver(captureMessage('ord-1', 2))).toMatchObject({ outcome: 'committed' });
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });
  });
});

test('a dead letter that somebody moves back by plain redrive becomes a letter again and is not swallowed', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ answer: { status: 'captured', captureId: 'cap-x', amountMinor: 1, currency: 'EUR' } });
  await bench.deliver(body);
  expect(bench.letters).toHaveLength(1);
  expect(await bench.deliver(body)).toMatchObject({ outcome: 'duplicate-of-discarded' });
  expect(await bench.deliver(body, { carriesLetter: true })).toMatchObject({ outcome: 'dead-lettered' });
  expect(bench.letters).toHaveLength(2);
});

describe('a run that asks before it calls', () => {
  test('waits for each answer no longer than the function lives', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    const waits: number[] = [];
    const { capture } = bench.payments;
    bench.payments.capture = (request, call) => {
      waits.push(call.timeoutMs);
      return capture(request, call);
    };
    await bench.deliver(body, { remainingMs: 13_500 });
    expect(waits).toEqual([10_000]);
  });

  test('begins no call that it could not wait for, and has spent no attempt', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: new Error('connection lost') });
    await bench.deliver(body);
    bench.clock.advance(60_000);
    const { find } = bench.payments;
    bench.payments.find = async (request, call) => {
      bench.clock.advance(9_000);
      return find(request, call);
    };
    const ending = await bench.deliver(body, { remainingMs: 13_500 });
    expect(ending).toMatchObject({ action: 'hand-back', outcome: 'deferred', facts: { code: 'too-little-time' } });
    expect(bench.payments.captureCalls).toHaveLength(1);
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 1, lease: 'free' });
  });
});

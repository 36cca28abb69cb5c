import { expect, test } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ORDER = 'ord-1';
const REFERENCE = `${USER}/${ORDER}`;
const timeout = (): ProviderError => new ProviderError('provider-timeout', { sent: 'maybe' });

/** Paid ten days ago, its refund asked for just now; the message is not delivered yet. */
async function refundRequested(): Promise<{ bench: PipelineBench; body: string }> {
  const bench = createPipelineBench();
  await bench.createOrder(ORDER);
  await bench.pass(MINUTE_MS);
  bench.clock.advance(240 * HOUR_MS);
  expect((await customerOf(bench).refund(ORDER, 'r')).statusCode).toBe(202);
  bench.dispatch();
  return { bench, body: bench.queued.splice(0)[0]?.body ?? '' };
}

test('a refund of an old payment has a horizon of its own: it counts from when the refund was asked for', async () => {
  const { bench, body } = await refundRequested();
  await bench.deliverNow('refund-payment', body);
  expect(bench.order(ORDER)).toMatchObject({ status: 'refunded', refundId: 'refund-1' });
});

test('a refund whose every answer is lost is found by asking, given once', async () => {
  const { bench, body } = await refundRequested();
  bench.payments.refundScripts.push(...Array.from({ length: 10 }, () => ({ throws: timeout() })));
  bench.queued.push({ kind: 'refund-payment', body, visibleAtMs: bench.clock.nowMs() });
  await bench.pass(HOUR_MS);
  expect(bench.order(ORDER).status).toBe('refunded');
  expect(bench.payments.refundCalls).toHaveLength(1);
  expect(bench.payments.settledRefunds(REFERENCE)).toBe(1);
});

test('a refund that timed out before it was given is asked about and made again with the same key and body', async () => {
  const { bench, body } = await refundRequested();
  bench.payments.refundScripts.push({ refund: false, throws: timeout() });
  bench.queued.push({ kind: 'refund-payment', body, visibleAtMs: bench.clock.nowMs() });
  await bench.pass(HOUR_MS);
  expect(bench.order(ORDER).status).toBe('refunded');
  expect(new Set(bench.payments.refundCalls.map((call) => JSON.stringify(call)))).toHaveLength(1);
  expect(bench.payments.settledRefunds(REFERENCE)).toBe(1);
});

test('a refund that nobody can tell about for 48 hours ends as one dead letter, counted from the refund, not from the payment', async () => {
  const { bench, body } = await refundRequested();
  const requestedAtMs = bench.clock.nowMs();
  bench.payments.refundScripts.push({ throws: timeout() });
  bench.payments.findThrows = timeout();
  bench.queued.push({ kind: 'refund-payment', body, visibleAtMs: bench.clock.nowMs() });
  await bench.pass(47 * HOUR_MS);
  expect(bench.letters).toEqual([]);
  await bench.pass(3 * HOUR_MS);
  expect(bench.letters.map(({ letter }) => letter.reason)).toEqual(['unresolved']);
  const record = bench.order(ORDER)['op:refund:1'] as { atMs: number };
  expect(record.atMs - requestedAtMs).toBeGreaterThan(48 * HOUR_MS);
  expect(bench.order(ORDER).status).toBe('refund_pending');
});

test.each<[string, number, number, Record<string, unknown>]>([
  ['a minute before the last hour is made', 23 * HOUR_MS - MINUTE_MS, 1, { status: 'refunded' }],
  ['in the last hour is not made and waits', 23 * HOUR_MS + MINUTE_MS, 0, { status: 'refund_pending', 'try:refund:1': 0 }],
  [
    'after the horizon is not made; the order is paid again, and may ask anew',
    24 * HOUR_MS,
    0,
    { status: 'paid', refundDeclineReason: 'expired' },
  ],
])('a first refund %s', async (_what, ageMs, calls, order) => {
  const { bench, body } = await refundRequested();
  bench.clock.advance(ageMs);
  await bench.deliverNow('refund-payment', body);
  expect(bench.payments.refundCalls).toHaveLength(calls);
  expect(bench.order(ORDER)).toMatchObject(order);
});

test.each([
  ['given', true, 'refunded'],
  ['not given', false, 'paid'],
])('an open refund that was %s is decided past the horizon by asking alone', async (_what, refund, status) => {
  const { bench, body } = await refundRequested();
  bench.payments.refundScripts.push({ refund, throws: timeout() });
  await bench.deliverNow('refund-payment', body);
  bench.clock.advance(23 * HOUR_MS + 30 * MINUTE_MS);
  bench.queued.push({ kind: 'refund-payment', body, visibleAtMs: bench.clock.nowMs() });
  await bench.pass(2 * HOUR_MS);
  expect(bench.order(ORDER).status).toBe(status);
  expect(bench.payments.refundCalls).toHaveLength(1);
  expect(bench.payments.settledRefunds(REFERENCE)).toBe(refund ? 1 : 0);
});

test('a refund that expired is asked for again under a new key and given once', async () => {
  const { bench, body } = await refundRequested();
  bench.clock.advance(25 * HOUR_MS);
  await bench.deliverNow('refund-payment', body);
  expect((await customerOf(bench).refund(ORDER, 'anew')).statusCode).toBe(202);
  await bench.pass(MINUTE_MS);
  expect(bench.order(ORDER)).toMatchObject({ status: 'refunded', refundAttempt: 2 });
  expect(bench.payments.refundCalls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['refund:u-1/ord-1:2']);
});

test('a refund of a table put back to before it was asked for leaves no closed door: the next one asks first and gives nothing twice', async () => {
  const { bench, body } = await refundRequested();
  const { status: _, refundAttempt: __, refundAtMs: ___, ...order } = bench.order(ORDER);
  await bench.deliverNow('refund-payment', body);
  expect(bench.payments.settledRefunds(REFERENCE)).toBe(1);
  bench.restore({ ...order, status: 'paid' });
  await bench.deliverNow('refund-payment', body);
  expect(bench.letters.map(({ letter }) => letter.reason)).toEqual(['attempt-not-opened']);
  bench.clock.advance(72 * HOUR_MS);
  expect((await customerOf(bench).refund(ORDER, 'anew')).statusCode).toBe(202);
  await bench.pass(MINUTE_MS);
  expect(bench.order(ORDER)).toMatchObject({ status: 'refunded', refundAttempt: 1 });
  expect(bench.payments.settledRefunds(REFERENCE)).toBe(1);
});

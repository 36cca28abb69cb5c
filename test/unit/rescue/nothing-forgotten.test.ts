import { describe, expect, it, test } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { createMortalWorker } from '../../support/mortal-worker.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const timeout = (): ProviderError => new ProviderError('provider-timeout', { sent: 'maybe' });
const sentKeys = (bench: PipelineBench): string[] => bench.sent.map(({ body }) => JSON.parse(body).idempotencyKey);

function expectPaidOnce(bench: PipelineBench, ...orderIds: string[]): void {
  for (const orderId of orderIds) {
    expect(bench.order(orderId).status).toBe('paid');
    expect(bench.payments.settledCaptures(`${USER}/${orderId}`)).toBe(1);
    expect(bench.mails.filter(({ deliveryKey }) => deliveryKey.includes(`/${orderId}:`))).toHaveLength(1);
  }
}

describe('a queue that was purged', () => {
  it('of jobs that had failed before: each is sent again some minutes after it was due, and paid once', async () => {
    const bench = createPipelineBench();
    for (const orderId of ['ord-1', 'ord-2']) await bench.createOrder(orderId);
    bench.payments.scripts.push({ throws: timeout() }, { charge: false, throws: timeout() });
    await bench.pass(5_000);
    bench.purge();
    await bench.pass(7 * MINUTE_MS, { rescue: true });
    expect(bench.order('ord-1').status).toBe('pending_payment');
    await bench.pass(5 * MINUTE_MS, { rescue: true });
    expectPaidOnce(bench, 'ord-1', 'ord-2');
  });

  it('of jobs that nobody had begun: the daily sweep finds them, and they are paid once', async () => {
    const bench = createPipelineBench();
    for (const orderId of ['ord-1', 'ord-2', 'ord-3']) await bench.createOrder(orderId);
    bench.dispatch();
    bench.purge();
    await bench.pass(HOUR_MS, { rescue: true });
    expect(bench.order('ord-1').status).toBe('pending_payment');
    expect(await bench.sweep()).toMatchObject({ looked: 3, sent: 3 });
    await bench.pass(MINUTE_MS);
    expectPaidOnce(bench, 'ord-1', 'ord-2', 'ord-3');
  });
});

test('stream records that were lost: every order is paid by the sweep, once, and gets one receipt', async () => {
  const bench = createPipelineBench();
  for (const orderId of ['ord-1', 'ord-2']) await bench.createOrder(orderId);
  bench.loseStream();
  await bench.pass(HOUR_MS);
  await bench.sweep();
  await bench.pass(MINUTE_MS);
  expectPaidOnce(bench, 'ord-1', 'ord-2');
});

test('a receipt whose stream record was lost is handed out once, though the order was refunded since, and never a second time', async () => {
  const bench = createPipelineBench();
  const body = await bench.createOrder('ord-1');
  await bench.deliverNow('capture-payment', body);
  bench.loseStream();
  await customerOf(bench).refund('ord-1', 'refund');
  await bench.pass(MINUTE_MS);
  expect(bench.order('ord-1').status).toBe('refunded');
  expect(bench.mails).toEqual([]);
  for (let day = 1; day <= 3; day++) {
    bench.clock.advance(DAY_MS);
    await bench.sweep();
    await bench.pass(MINUTE_MS);
  }
  expect(bench.mails).toMatchObject([{ deliveryKey: 'receipt:u-1/ord-1:1' }]);
  expect(sentKeys(bench).filter((key) => key.startsWith('receipt'))).toHaveLength(1);
});

describe('a worker that died, with its message gone too', () => {
  it.each(Array.from({ length: 8 }, (_, step) => step))('at step %d: the capture is finished once by the sweep', async (step) => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    bench.loseStream();
    const { worker, died } = createMortalWorker(bench.worker(), bench.payments, step);
    const delivery = { messageId: 'm', receiptHandle: 'r', body, receiveCount: 1, firstReceivedAtMs: bench.clock.nowMs() };
    await Promise.race([executeJob(delivery, worker, 25_000), died]);
    bench.loseStream();
    await bench.pass(HOUR_MS, { rescue: true });
    await bench.sweep();
    await bench.pass(10 * MINUTE_MS, { rescue: true });
    expectPaidOnce(bench, 'ord-1');
    expect(bench.letters).toEqual([]);
  });

  it('after a discard: the letter that was never sent is sent, once', async () => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: new ProviderError('provider-rejected-request', { sent: 'no', permanent: true }) });
    const { send } = bench.worker().deadLetters;
    bench.overrides.deadLetters = { send: () => Promise.reject(new Error('the process dies here')) };
    await expect(bench.deliverNow('capture-payment', body)).rejects.toThrow();
    bench.overrides.deadLetters = { send };
    bench.purge();
    bench.loseStream();
    expect(bench.letters).toEqual([]);
    await bench.pass(HOUR_MS, { rescue: true });
    expect(bench.letters.map(({ letter }) => letter.reason)).toEqual(['provider-rejected-request']);
    expect(bench.order('ord-1')).toMatchObject({ 'op:capture:1': { buried: true } });
    expect(bench.order('ord-1').overdueAtMs).toBeUndefined();
    bench.clock.advance(DAY_MS);
    expect(await bench.sweep()).toMatchObject({ sent: 0 });
  });
});

describe('a declined order that asked for it', () => {
  async function declined(retryDeclined: boolean): Promise<PipelineBench> {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    if (retryDeclined) bench.restore({ ...bench.order('ord-1'), retryDeclined: true });
    bench.payments.scripts.push({ answer: { status: 'declined', reason: 'card-declined' } });
    await bench.deliverNow('capture-payment', JSON.stringify((bench.order('ord-1').outbox as unknown[])[0]));
    expect(bench.order('ord-1').status).toBe('payment_declined');
    bench.loseStream();
    return bench;
  }

  it('opens its next payment attempt by itself a day later, under a new key, and once', async () => {
    const bench = await declined(true);
    bench.clock.advance(DAY_MS - 10 * MINUTE_MS);
    await bench.pass(9 * MINUTE_MS, { rescue: true });
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', attempt: 1 });
    bench.payments.scripts.push({ answer: { status: 'declined', reason: 'card-declined' } });
    await bench.pass(3 * MINUTE_MS, { rescue: true });
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', attempt: 2 });
    expect(bench.payments.captureCalls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['capture:u-1/ord-1:1', 'capture:u-1/ord-1:2']);
    for (let day = 1; day <= 3; day++) {
      bench.clock.advance(DAY_MS);
      await bench.pass(3 * MINUTE_MS, { rescue: true });
      await bench.sweep();
    }
    expect(bench.order('ord-1')).toMatchObject({ attempt: 2 });
    expect(bench.payments.captureCalls).toHaveLength(2);
  });

  it('opens it also after its payment has expired unpaid', async () => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    bench.restore({ ...bench.order('ord-1'), retryDeclined: true });
    bench.clock.advance(23 * HOUR_MS);
    await bench.deliverNow('capture-payment', body);
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', declineReason: 'expired' });
    bench.clock.advance(DAY_MS);
    await bench.pass(3 * MINUTE_MS, { rescue: true });
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });
  });

  it('opens it by the sweep when its alarm clock was lost', async () => {
    const bench = await declined(true);
    const { overdueShard: _, overdueAtMs: __, ...unmarked } = bench.order('ord-1');
    bench.restore(unmarked);
    bench.clock.advance(DAY_MS + MINUTE_MS);
    expect(await bench.sweep()).toMatchObject({ attemptsOpened: 1 });
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });
  });

  it('and not one that did not', async () => {
    const bench = await declined(false);
    bench.clock.advance(2 * DAY_MS);
    await bench.pass(3 * MINUTE_MS, { rescue: true });
    await bench.sweep();
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', attempt: 1 });
  });
});

import { describe, expect, it } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const ORDER = 'ord-1';

async function declined(): Promise<PipelineBench> {
  const bench = createPipelineBench();
  await bench.createOrder(ORDER);
  bench.payments.scripts.push({ answer: { status: 'declined', reason: 'card-declined' } });
  await bench.pass(MINUTE_MS);
  return bench;
}

async function paid(): Promise<PipelineBench> {
  const bench = createPipelineBench();
  await bench.createOrder(ORDER);
  await bench.pass(MINUTE_MS);
  return bench;
}

const bodyOf = (answer: { body?: string | undefined }): Record<string, unknown> => JSON.parse(answer.body ?? '{}');

describe('a new payment attempt', () => {
  it('is a new intent: its own number, payment intent, key and time', async () => {
    const bench = await declined();
    bench.clock.advance(5_000);
    const answer = await customerOf(bench).payAgain(ORDER, 'k-1');
    expect(answer).toMatchObject({ statusCode: 202, headers: { location: '/users/u-1/orders/ord-1' } });
    expect(bench.order(ORDER)).toMatchObject({
      status: 'pending_payment',
      attempt: 2,
      paymentIntentId: 'pi-ord-1-2',
      captureKey: 'capture:u-1/ord-1:2',
      intentAtMs: bench.clock.nowMs(),
      outbox: [{ idempotencyKey: 'capture:u-1/ord-1:2' }],
    });
    expect(bench.order(ORDER)).not.toHaveProperty('declineReason');
  });

  it('is opened once, however often the same request comes, at once or later', async () => {
    const bench = await declined();
    const customer = customerOf(bench);
    const answers = await Promise.all(Array.from({ length: 10 }, () => customer.payAgain(ORDER, 'k-1')));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([...Array.from({ length: 9 }, () => 200), 202]);
    await bench.pass(MINUTE_MS);
    expect(bodyOf(await customer.payAgain(ORDER, 'k-1'))).toMatchObject({ status: 'paid', paymentAttempt: 2 });
    expect(bench.payments.settledCaptures(`${USER}/${ORDER}`)).toBe(1);
  });

  it('of two different requests at once is opened once', async () => {
    const bench = await declined();
    const customer = customerOf(bench);
    const answers = await Promise.all([customer.payAgain(ORDER, 'k-1'), customer.payAgain(ORDER, 'k-2')]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([202, 409]);
    expect(bench.order(ORDER).attempt).toBe(2);
  });

  it('is recognised as its own when the answer to its write was lost', async () => {
    const bench = await declined();
    let lost = 0;
    bench.aws.fault = ({ operation }) => (operation === 'UpdateItem' && lost++ === 0 ? 'apply-then-lose-answer' : undefined);
    expect((await customerOf(bench).payAgain(ORDER, 'k-1')).statusCode).toBe(202);
    expect(bench.order(ORDER)).toMatchObject({ attempt: 2, requests: 1 });
  });

  it('is refused for an order that is not declined, one that is not there, and one with no room left', async () => {
    const bench = await paid();
    const customer = customerOf(bench);
    expect(await customer.payAgain(ORDER, 'k-1')).toMatchObject({ statusCode: 409 });
    expect(await customer.payAgain('no-such', 'k-1')).toMatchObject({ statusCode: 404 });
    bench.putItem({ ...bench.order(ORDER), status: 'payment_declined', requests: 7 });
    expect(bodyOf(await customer.payAgain(ORDER, 'k-2'))).toMatchObject({ code: 'too-many-requests-on-order' });
  });
});

describe('a refund', () => {
  it('says when it was asked for, and by which number', async () => {
    const bench = await paid();
    bench.clock.advance(5_000);
    expect((await customerOf(bench).refund(ORDER, 'k-1')).statusCode).toBe(202);
    expect(bench.order(ORDER)).toMatchObject({
      status: 'refund_pending',
      refundAttempt: 1,
      refundAtMs: bench.clock.nowMs(),
      outbox: [{ idempotencyKey: 'refund:u-1/ord-1:1' }],
    });
    expect(bench.order(ORDER).intentAtMs).toBeLessThan(bench.clock.nowMs());
  });

  it('waits with a 409 and Retry-After while a job holds the order', async () => {
    const bench = await paid();
    bench.putItem({
      ...bench.order(ORDER),
      lease: 'held',
      leaseOwner: 'o',
      leaseOp: 'capture:1',
      leaseUntilMs: bench.clock.nowMs() + 1_000,
    });
    expect(await customerOf(bench).refund(ORDER, 'k-1')).toMatchObject({ statusCode: 409, headers: { 'retry-after': '5' } });
    bench.clock.advance(2_000);
    expect((await customerOf(bench).refund(ORDER, 'k-1')).statusCode).toBe(202);
    expect(bench.order(ORDER)).not.toHaveProperty('leaseOwner');
  });

  it('that the provider refused may be asked for again, as a new one', async () => {
    const bench = await paid();
    bench.payments.refundScripts.push({ answer: { status: 'declined', reason: 'too-late' } });
    await customerOf(bench).refund(ORDER, 'k-1');
    await bench.pass(MINUTE_MS);
    expect(bench.order(ORDER)).toMatchObject({ status: 'paid', refundDeclineReason: 'too-late' });
    await customerOf(bench).refund(ORDER, 'k-2');
    await bench.pass(MINUTE_MS);
    expect(bench.order(ORDER)).toMatchObject({ status: 'refunded', refundAttempt: 2 });
    expect(bench.order(ORDER)).not.toHaveProperty('refundDeclineReason');
  });
});

describe('the operation that a request opens', () => {
  it('starts anew when an earlier life of the table left it discarded, and still knows that something may be out', async () => {
    const bench = await declined();
    const discarded = { status: 'discarded', reason: 'attempt-not-opened', hash: 'h', atMs: 0, by: 'o', fence: 1, tries: 1, buried: true };
    bench.putItem({ ...bench.order(ORDER), 'op:capture:2': discarded, 'try:capture:2': 1, 'sent:capture:2': 1, 'due:capture:2': 1 });
    await customerOf(bench).payAgain(ORDER, 'k-1');
    const order = bench.item(orderItemKey(USER, ORDER)) ?? {};
    expect(Object.keys(order).filter((name) => name.endsWith('capture:2'))).toEqual(['sent:capture:2']);
  });
});

import { describe, expect, test } from 'vitest';
import { jobItemKey } from '#shared/contract/item-keys.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import { PermanentError } from '#shared/worker/outcome.ts';
import { createGate, type Gate } from '../support/integration/gate.ts';
import { createOwnPipeline } from '../support/integration/own-pipeline.ts';
import { capturesOf, createPayments } from '../support/integration/provider.ts';

// B57: what an owner does after its lease has passed, through the real Powertools, on a real conditional write.

/** Longer than the lease of either job kind. */
const PAST_THE_LEASE_MS = 60_000;

/** Charges, then does not come back before the gate opens; `end` decides what it comes back with. */
const pausedAfterCharge = (gate: Gate, end: () => void = () => {}): PaymentPort => {
  const payments = createPayments();
  return {
    ...payments,
    async capture(request, call) {
      const answer = await payments.capture(request, call);
      await gate.wait();
      end();
      return answer;
    },
  };
};

/** A worker that has charged an order and is stopped before it can commit, its lease passed. */
async function pausedWorker(end?: () => void) {
  const pipeline = await createOwnPipeline();
  const { order } = await pipeline.accept();
  const { userId, orderId } = order;
  const [message = ''] = await pipeline.outbox(userId, orderId);
  const gate = createGate();
  const late = pipeline.deliver([message], { payments: pausedAfterCharge(gate, end) });
  await gate.reachedBy(late);
  pipeline.clock.advance(PAST_THE_LEASE_MS);
  const resume = () => {
    gate.open();
    return late;
  };
  return { pipeline, userId, orderId, message, resume };
}

const endings: readonly (readonly [string, (() => void) | undefined])[] = [
  ['returns with its charge', undefined],
  ['throws that the outcome is unknown', () => fail(new ProviderError('provider-timeout', { sent: 'maybe' }))],
  ['throws that nothing was sent', () => fail(new ProviderError('provider-unreachable', { sent: 'no' }))],
  ['throws that no repetition can help', () => fail(new PermanentError('refused-for-good'))],
  ['dies of a fault of its own', () => fail(new TypeError('undefined is not a function'))],
];

function fail(error: Error): never {
  throw error;
}

describe.each(endings)('a late worker that %s', (_, end) => {
  test('changes nothing after its successor has committed, and its message comes back', async () => {
    const { pipeline, userId, orderId, message, resume } = await pausedWorker(end);
    expect((await pipeline.deliver([message])).outcomes).toEqual(['committed']);
    const committed = await pipeline.order(userId, orderId);
    expect(committed).toMatchObject({ status: 'paid', version: 2, lease: 'free', fence: 2 });

    const { outcomes, handedBack } = await resume();

    expect({ outcomes, handedBack }).toEqual({ outcomes: ['fenced'], handedBack: [message] });
    expect(await pipeline.order(userId, orderId)).toEqual(committed);
    expect(pipeline.letters).toEqual([]);
    expect((await pipeline.deliver(handedBack, { receiveCount: 2 })).outcomes).toEqual(['duplicate']);
    expect(await capturesOf(userId, orderId)).toBe(1);
  });

  test('leaves the lease of a successor at work alone', async () => {
    const { pipeline, userId, orderId, message, resume } = await pausedWorker(end);
    const atWork = createGate();
    const payments = createPayments();
    const slowToAsk: PaymentPort = { ...payments, find: async (request, call) => atWork.wait().then(() => payments.find(request, call)) };
    const successor = pipeline.deliver([message], { payments: slowToAsk });
    await atWork.reachedBy(successor);
    const held = await pipeline.order(userId, orderId);
    expect(held).toMatchObject({ status: 'pending_payment', lease: 'held', fence: 2 });

    expect((await resume()).outcomes).toEqual(['fenced']);
    expect(await pipeline.order(userId, orderId)).toEqual(held);

    atWork.open();
    expect((await successor).outcomes).toEqual(['committed']);
    expect(await pipeline.order(userId, orderId)).toMatchObject({ status: 'paid', version: 2, lease: 'free' });
    expect(await capturesOf(userId, orderId)).toBe(1);
  });
});

test('a late worker on a job of its own item changes nothing after its successor has committed', async () => {
  const { pipeline, userId, orderId, message } = await receiptToSend();
  const gate = createGate();
  const stopped = { ...sendReceipt, run: (input: Parameters<typeof sendReceipt.run>[0]) => gate.wait().then(() => sendReceipt.run(input)) };
  const late = pipeline.deliver([message], { definition: stopped });
  await gate.reachedBy(late);
  pipeline.clock.advance(PAST_THE_LEASE_MS);
  expect((await pipeline.deliver([message], { definition: sendReceipt })).outcomes).toEqual(['committed']);
  const key = jobItemKey(sendReceipt.kind, `receipt:${userId}/${orderId}:1`);
  const committed = await pipeline.item(key);

  gate.open();

  expect((await late).outcomes).toEqual(['fenced']);
  expect(await pipeline.item(key)).toEqual(committed);
  expect(committed).toMatchObject({ 'op:run': { status: 'completed', fence: 2 } });
});

async function receiptToSend() {
  const pipeline = await createOwnPipeline();
  const { order } = await pipeline.accept();
  await pipeline.deliver(await pipeline.outbox(order.userId, order.orderId));
  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  return { pipeline, ...order, message };
}

import { expect, onTestFinished, test } from 'vitest';
import { jobItemKey } from '#shared/contract/item-keys.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';
import type { RunInput } from '#shared/worker/define-job.ts';
import { createGate } from '../support/integration/gate.ts';
import { uniqueName } from '../support/integration/names.ts';
import { postOrder } from '../support/integration/order-client.ts';
import { createOwnPipeline, type OwnPipeline } from '../support/integration/own-pipeline.ts';
import { capturesOf, createPayments } from '../support/integration/provider.ts';

async function messageOfNewOrder(pipeline: OwnPipeline, amountMinor?: number) {
  const { order } = await pipeline.accept(amountMinor === undefined ? {} : { amountMinor });
  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  return { userId: order.userId, orderId: order.orderId, message };
}

// B01
test('a refused duplicate leaves the running job its lease', async () => {
  const pipeline = await createOwnPipeline();
  const { userId, orderId, message } = await messageOfNewOrder(pipeline);
  const gate = createGate();
  const real = createPayments();
  const held: PaymentPort = { ...real, capture: (request, call) => gate.wait().then(() => real.capture(request, call)) };
  const running = pipeline.deliver([message], { payments: held });
  await gate.reachedBy(running);
  const atWork = await pipeline.order(userId, orderId);

  for (let copy = 0; copy < 3; copy++) {
    const { outcomes, handedBack } = await pipeline.deliver([message]);
    expect({ outcomes, handedBack }).toEqual({ outcomes: ['busy'], handedBack: [message] });
    expect(await pipeline.order(userId, orderId)).toEqual(atWork);
  }

  gate.open();
  expect((await running).outcomes).toEqual(['committed']);
  expect(await capturesOf(userId, orderId)).toBe(1);
});

// B02
test('a job that edits what it was given cannot move its own record', async () => {
  const pipeline = await createOwnPipeline();
  const { userId, orderId, message } = await messageOfNewOrder(pipeline);
  type Input = Parameters<typeof capturePayment.run>[0];
  const meddling = {
    ...capturePayment,
    run: (input: Input) => {
      meddle(input);
      return capturePayment.run(input);
    },
  };

  expect((await pipeline.deliver([message], { definition: meddling })).outcomes).toEqual(['committed']);
  expect((await pipeline.deliver([message])).outcomes).toEqual(['duplicate']);
  expect(await pipeline.order(userId, orderId)).toMatchObject({ status: 'paid', 'op:capture:1': { status: 'completed' } });
  expect(await capturesOf(userId, orderId)).toBe(1);
});

/** Tries what a careless job may try; everything it holds is frozen, so each try throws. */
function meddle({ payload, item }: RunInput<object>): void {
  const tries = [
    () => Object.assign(payload, { attempt: 2 }),
    () => Object.assign(payload, { added: true }),
    () => Object.assign(item, { amountMinor: 1 }),
  ];
  for (const attempt of tries) expect(attempt).toThrow(TypeError);
}

// B06
test('a finished job delivered again with another amount is refused and changes nothing', async () => {
  const { pipeline, message, forged, key } = await receiptAndForgery();
  expect((await pipeline.deliver([message], { definition: sendReceipt })).outcomes).toEqual(['committed']);
  const finished = await pipeline.item(key);

  expect((await pipeline.deliver([forged], { definition: sendReceipt })).outcomes).toEqual(['dead-lettered']);

  expect(pipeline.letters.map(({ body, letter }) => [body, letter.reason])).toEqual([[forged, 'payload-mismatch']]);
  expect(await pipeline.item(key)).toEqual(finished);
  expect(pipeline.mails).toMatchObject([{ amountMinor: 4_999 }]);
});

// B06
test('a running job delivered again with another amount is refused, and runs on', async () => {
  const { pipeline, message, forged } = await receiptAndForgery();
  const gate = createGate();
  const held = { ...sendReceipt, run: (input: Parameters<typeof sendReceipt.run>[0]) => gate.wait().then(() => sendReceipt.run(input)) };
  const running = pipeline.deliver([message], { definition: held });
  await gate.reachedBy(running);

  expect((await pipeline.deliver([forged], { definition: sendReceipt })).outcomes).toEqual(['dead-lettered']);

  gate.open();
  expect((await running).outcomes).toEqual(['committed']);
  expect(pipeline.mails).toMatchObject([{ amountMinor: 4_999 }]);
  expect(pipeline.letters).toHaveLength(1);
});

async function receiptAndForgery() {
  const pipeline = await createOwnPipeline();
  const { userId, orderId, message: capture } = await messageOfNewOrder(pipeline);
  await pipeline.deliver([capture]);
  const [message = ''] = await pipeline.outbox(userId, orderId);
  const original = JSON.parse(message);
  const forged = JSON.stringify({ ...original, payload: { ...original.payload, amountMinor: 999_900 } });
  return { pipeline, message, forged, key: jobItemKey(sendReceipt.kind, original.idempotencyKey) };
}

// B06
test('an Idempotency-Key used again with another amount is answered 422 and the order stays as it was', async () => {
  const request = { userId: uniqueName('u'), idempotencyKey: 'checkout-1', amountMinor: 4_999 };
  const first = await postOrder(request);

  const other = await postOrder({ ...request, amountMinor: 999_900 });
  const same = await postOrder(request);

  expect([first.status, other.status, same.status]).toEqual([202, 422, 200]);
  expect(other.body).toMatchObject({ code: 'idempotency-key-reused' });
  expect(same.body).toMatchObject({ orderId: first.body.orderId, amountMinor: 4_999 });
});

// B13
test('a job finished under one function name is a duplicate under another', async () => {
  const name = process.env['AWS_LAMBDA_FUNCTION_NAME'];
  onTestFinished(() => {
    if (name === undefined) delete process.env['AWS_LAMBDA_FUNCTION_NAME'];
    else process.env['AWS_LAMBDA_FUNCTION_NAME'] = name;
  });
  const pipeline = await createOwnPipeline();
  const { userId, orderId, message } = await messageOfNewOrder(pipeline);
  process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'worker-blue';
  await pipeline.deliver([message]);
  const paid = await pipeline.order(userId, orderId);

  process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'worker-green';

  expect((await pipeline.deliver([message])).outcomes).toEqual(['duplicate']);
  expect(await pipeline.order(userId, orderId)).toEqual(paid);
  expect(await capturesOf(userId, orderId)).toBe(1);
});

// B14
test('every message has its own key, whatever batch it comes in', async () => {
  const pipeline = await createOwnPipeline();
  const [a, b, c, d] = [
    await messageOfNewOrder(pipeline),
    await messageOfNewOrder(pipeline, MAGIC_AMOUNTS.unavailableOnce.amountMinor),
    await messageOfNewOrder(pipeline),
    await messageOfNewOrder(pipeline),
  ];

  expect((await pipeline.deliver([a.message, b.message, c.message])).handedBack).toEqual([b.message]);
  pipeline.clock.advance(60_000);
  const second = await pipeline.deliver([b.message, d.message]);
  expect(second).toEqual({ outcomes: ['committed', 'committed'], handedBack: [] });
  const third = await pipeline.deliver([a.message, b.message, d.message]);
  expect(third).toEqual({ outcomes: ['duplicate', 'duplicate', 'duplicate'], handedBack: [] });

  for (const { userId, orderId } of [a, b, c, d]) {
    expect(await pipeline.order(userId, orderId)).toMatchObject({ status: 'paid', version: 2 });
    expect(await capturesOf(userId, orderId)).toBe(1);
  }
});

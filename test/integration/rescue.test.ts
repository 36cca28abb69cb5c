import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { PurgeQueueCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { OrderView } from '#shared/domain/order.ts';
import { attemptsSpent } from '#shared/item/attributes.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { dynamodb, lambda, sqs } from '../support/integration/aws-clients.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { inParallel } from '../support/integration/in-parallel.ts';
import { mappingOf, whileNobodyReceives } from '../support/integration/lambda-api.ts';
import { uniqueName } from '../support/integration/names.ts';
import { placeOrder } from '../support/integration/order-client.ts';
import { depthOf, depths, waitForEmptyQueues } from '../support/integration/queues.ts';
import { auditRun, waitForAllPaid } from '../support/integration/run-audit.ts';
import { invokeLater, sweepAnew } from '../support/integration/sweep.ts';
import { orderItem, orderItems, waitForStatus } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';

const ORDERS = 10;
/** Few, because an emulator gives every concurrent request a process of its own. */
const CLIENTS = 4;
/** An order that was not heard of for half an hour is taken for forgotten; a tenth of it in stage local. */
const LONG_AGO_MS = 600_000;
/** The sweep reads slowly, and the table may be full of other tests' orders. */
const PAID_WITHIN_MS = 200_000;
const SWEPT_AGAIN_AFTER_MS = 60_000;

const capture = outputsOfKind(capturePayment.kind);
const operation = 'capture:1';

const placeOrders = (run: string, count = ORDERS): Promise<OrderView[]> =>
  inParallel(Array.from({ length: count }), CLIENTS, (_, index) =>
    placeOrder({ userId: run, idempotencyKey: `${run}-${index}`, amountMinor: 3_000 + index }),
  );

/** What was written in the order's first second was written long ago. Raises no version, so nobody hears of it. */
const age = ({ userId, orderId }: OrderView) =>
  dynamodb.send(
    new UpdateItemCommand({
      TableName: output(STACK_OUTPUTS.stateTable),
      Key: toAttributeValues({ ...orderItemKey(userId, orderId) }),
      UpdateExpression: 'ADD createdAtMs :ago, intentAtMs :ago, outboxAtMs :ago',
      ExpressionAttributeValues: toAttributeValues({ ':ago': -LONG_AGO_MS }),
    }),
  );

/** No message, no attempt, nobody at work: without a rescue nothing would ever happen to them. */
async function expectForgotten(run: string, count: number): Promise<void> {
  const orders = await orderItems(run);
  expect(orders.map((order) => [order['status'], order['lease'], attemptsSpent(order, operation)])).toEqual(
    Array.from({ length: count }, () => ['pending_payment', 'free', 0]),
  );
  expect(await depthOf(capture.queueUrl)).toBe(0);
}

async function expectPaidOnceBySweep(run: string, count: number): Promise<void> {
  let sweptAtMs = 0;
  await waitUntil({ what: `the sweep to find ${count} orders`, withinMs: PAID_WITHIN_MS, everyMs: 500 }, async (note) => {
    if (Date.now() - sweptAtMs > SWEPT_AGAIN_AFTER_MS) {
      await sweepAnew();
      sweptAtMs = Date.now();
    }
    const paid = (await orderItems(run)).filter(({ status }) => status === 'paid').length;
    note(`${paid} paid`);
    return paid === count;
  });
  await waitForAllPaid(run, count, 60_000);
  await waitForEmptyQueues(60_000);
  // A provider that was idle until now may answer too late at first; that costs an attempt, never a second charge.
  expect(await auditRun(run)).toMatchObject({
    byStatus: { paid: count },
    ordersByCaptures: { 1: count },
    ordersByReceipts: { 1: count },
  });
}

test('orders whose messages were purged before anybody took them are paid once, by the daily sweep', { timeout: 300_000 }, async () => {
  const run = uniqueName('purged');
  const lettersBefore = await depths('dead-letter');
  const orders = await whileNobodyReceives(capture.functionName, async () => {
    const placed = await placeOrders(run);
    await waitUntil({ what: 'their messages to wait' }, async (note) => {
      const depth = await depthOf(capture.queueUrl);
      note(depth);
      return depth === ORDERS;
    });
    await sqs.send(new PurgeQueueCommand({ QueueUrl: capture.queueUrl }));
    await waitUntil({ what: 'an empty queue' }, async () => (await depthOf(capture.queueUrl)) === 0);
    return placed;
  });
  await expectForgotten(run, ORDERS);
  await Promise.all(orders.map(age));

  await expectPaidOnceBySweep(run, ORDERS);
  expect(await depths('dead-letter')).toEqual(lettersBefore);
});

/** Hears of one user's orders only; whatever else comes by is gone for the dispatcher. */
async function whileDispatcherHearsOnly<Answer>(userId: string, run: () => Promise<Answer>): Promise<Answer> {
  const { UUID, FilterCriteria } = await mappingOf(output(STACK_OUTPUTS.dispatchOutboxFunction), 'dynamodb');
  const Filters = [{ Pattern: JSON.stringify({ dynamodb: { NewImage: { userId: { S: [userId] }, lease: { S: ['free'] } } } }) }];
  await lambda.send(new UpdateEventSourceMappingCommand({ UUID, FilterCriteria: { Filters } }));
  try {
    return await run();
  } finally {
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, FilterCriteria: FilterCriteria as { Filters: typeof Filters } }));
  }
}

test('orders whose stream records the dispatcher lost are paid once, by the daily sweep', { timeout: 300_000 }, async () => {
  const run = uniqueName('unheard');
  const heard = uniqueName('heard');
  const lettersBefore = await depths('dead-letter');
  const orders = await whileDispatcherHearsOnly(heard, async () => {
    const placed = await placeOrders(run);
    // Behind them in the stream: once it is paid, the dispatcher has passed the others by.
    const [last] = await placeOrders(heard, 1);
    await waitForStatus(heard, last?.orderId ?? '', 'paid');
    return placed;
  });
  await expectForgotten(run, ORDERS);
  await Promise.all(orders.map(age));

  await expectPaidOnceBySweep(run, ORDERS);
  expect(await depths('dead-letter')).toEqual(lettersBefore);
});

const setFault = async (mode: '503' | 'none', untilMs = 0): Promise<void> => {
  const body = JSON.stringify({ mode, untilMs });
  const { ok } = await fetch(`${output(STACK_OUTPUTS.sandboxUrl)}/faults`, { method: 'PUT', body, signal: AbortSignal.timeout(15_000) });
  expect(ok).toBe(true);
};

test('an order that has failed and whose message was then purged is paid once, within minutes', { timeout: 300_000 }, async () => {
  const run = uniqueName('failed');
  await setFault('503', Date.now() + 120_000);
  const [order] = await placeOrders(run, 1);
  const look = () => orderItem(run, order?.orderId ?? '');
  // After its third failure it waits for some seconds, long enough to lose its message.
  await waitUntil({ what: 'three failures', withinMs: 60_000 }, async (note) => {
    const item = (await look()) ?? {};
    note(item);
    return item['lease'] === 'free' && attemptsSpent(item, operation) >= 3;
  });
  await whileNobodyReceives(capture.functionName, async () => {
    await sqs.send(new PurgeQueueCommand({ QueueUrl: capture.queueUrl }));
    await waitUntil({ what: 'an empty queue' }, async () => (await depthOf(capture.queueUrl)) === 0);
  });
  await setFault('none');
  expect(await look()).toMatchObject({ status: 'pending_payment', lease: 'free', overdueShard: expect.anything() });

  // Its mark comes due visibility timeout and slack later; its schedule calls the rescue each minute, and so does this test.
  await waitUntil({ what: 'the rescue', withinMs: 150_000, everyMs: 5_000 }, async (note) => {
    await invokeLater(output(STACK_OUTPUTS.rescueJobsFunction));
    const item = await look();
    note(item);
    return item?.['status'] === 'paid';
  });
  await waitForAllPaid(run, 1, 60_000);
  await waitForEmptyQueues(60_000);
  expect(await auditRun(run)).toMatchObject({ byStatus: { paid: 1 }, ordersByCaptures: { 1: 1 }, ordersByReceipts: { 1: 1 } });
});

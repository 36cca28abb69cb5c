import { expect, test } from 'vitest';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { outputsOfKind } from '../support/integration/deployment.ts';
import { inParallel } from '../support/integration/in-parallel.ts';
import { uniqueName } from '../support/integration/names.ts';
import { placeOrder } from '../support/integration/order-client.ts';
import { captureMessage, depths, sendBodies, waitForEmptyQueues } from '../support/integration/queues.ts';
import { auditRun, keysThatDiffer, waitForAllPaid } from '../support/integration/run-audit.ts';

const ORDERS = Number(process.env['LOAD_ORDERS'] ?? 120);
/** Few, because an emulator gives every concurrent request a process of its own. */
const CLIENTS = 4;
const USERS = 5;
/** Each order may take this long on a small machine, on top of what the slowest one needs. */
const PER_ORDER_MS = 500;
const SLOWEST_ORDER_MS = 180_000;

const isDeliveredTwice = (index: number): boolean => index % 10 === 3;
const isChargedWithoutAnswer = (index: number): boolean => index % 20 === 7;

// B01: the second copy of a message meets the first one at work.
test(`${ORDERS} orders, some delivered twice and some charged without an answer, are all paid, charged once and receipted once`, {
  timeout: 2 * SLOWEST_ORDER_MS + ORDERS * PER_ORDER_MS,
}, async () => {
  const run = uniqueName('load');
  const lettersBefore = await depths('dead-letter');

  const startedAtMs = performance.now();
  await inParallel(Array.from({ length: ORDERS }), CLIENTS, async (_, index) => {
    const userId = `${run}-${index % USERS}`;
    const amountMinor = isChargedWithoutAnswer(index) ? MAGIC_AMOUNTS.chargedButTimeout.amountMinor : 1_000 + index;
    const { orderId } = await placeOrder({ userId, idempotencyKey: `order-${index}`, amountMinor });
    if (isDeliveredTwice(index)) await sendBodies(outputsOfKind(capturePayment.kind).queueUrl, [captureMessage(userId, orderId)]);
  });
  const acceptedAfterMs = performance.now() - startedAtMs;
  await waitForAllPaid(run, ORDERS, SLOWEST_ORDER_MS + ORDERS * PER_ORDER_MS);
  const paidAfterMs = performance.now() - startedAtMs;
  await waitForEmptyQueues(SLOWEST_ORDER_MS);
  console.log(`${ORDERS} orders: accepted after ${Math.round(acceptedAfterMs)} ms, paid and receipted after ${Math.round(paidAfterMs)} ms`);

  expect(await auditRun(run)).toMatchObject({
    byStatus: { paid: ORDERS },
    ordersByCaptures: { 1: ORDERS },
    ordersByReceipts: { 1: ORDERS },
  });
  expect(await depths('dead-letter')).toEqual(lettersBefore);
  expect(await keysThatDiffer(run)).toEqual([]);
});

import { expect, test } from 'vitest';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { paymentIntentId } from '#shared/domain/order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { jobs } from '#shared/jobs/index.ts';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { inParallel } from '../support/integration/in-parallel.ts';
import { uniqueName } from '../support/integration/names.ts';
import { placeOrder } from '../support/integration/order-client.ts';
import { books, capturesOf } from '../support/integration/provider.ts';
import { depths, waitForEmptyQueues } from '../support/integration/queues.ts';
import { auditRun, keysThatDiffer, waitForAllPaid } from '../support/integration/run-audit.ts';
import { orderItem, waitForStatus } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';
import { killAtOnce, workerPids } from '../support/integration/worker-processes.ts';

const ORDERS = Number(process.env['KILL_ORDERS'] ?? 200);
/** Few, because an emulator gives every concurrent request a process of its own. */
const CLIENTS = 4;
const KILLS = 12;
const KILL_EVERY_MS = 400;
const PAID_WITHIN_MS = 240_000;

/** Everything between the accepted order and the customer's receipt; the provider is somebody else's machine. */
const victims = [
  ...jobs.map(({ kind }) => output(jobOutputs(kind).functionName)),
  output(STACK_OUTPUTS.dispatchOutboxFunction),
  output(STACK_OUTPUTS.invalidateCacheFunction),
  output(STACK_OUTPUTS.acceptOrderFunction),
];

/** A slow capture keeps its worker between charge and commit, where a death is worst. */
const amountOf = (index: number): number => (index % 4 === 0 ? MAGIC_AMOUNTS.slow.amountMinor : 2_000 + index);

const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(Math.random() * items.length)];

async function killAtRandom(): Promise<number> {
  let killed = 0;
  await waitUntil({ what: `${KILLS} workers to kill`, withinMs: 60_000, everyMs: KILL_EVERY_MS }, async (note) => {
    const pid = pick(workerPids(pick(victims) ?? ''));
    if (pid !== undefined && killAtOnce(pid)) killed++;
    note(killed);
    return killed >= KILLS;
  });
  return killed;
}

test(`${ORDERS} orders whose workers are killed at random are all paid, charged once and receipted once`, {
  timeout: 2 * PAID_WITHIN_MS,
}, async () => {
  const run = uniqueName('kill');
  const lettersBefore = await depths('dead-letter');

  const killing = killAtRandom();
  await inParallel(Array.from({ length: ORDERS }), CLIENTS, (_, index) =>
    placeOrder({ userId: `${run}-${index % 5}`, idempotencyKey: `order-${index}`, amountMinor: amountOf(index) }),
  );
  const killed = await killing;
  await waitForAllPaid(run, ORDERS, PAID_WITHIN_MS);
  await waitForEmptyQueues(PAID_WITHIN_MS);

  const { repeated, ...audit } = await auditRun(run);
  console.log(`${killed} workers killed; ${repeated} of ${ORDERS} orders were charged by a later run`);
  expect(audit).toEqual({ byStatus: { paid: ORDERS }, ordersByCaptures: { 1: ORDERS }, ordersByReceipts: { 1: ORDERS } });
  expect(repeated, 'no kill met a worker at its work, so this run proves nothing').toBeGreaterThan(0);
  expect(await depths('dead-letter')).toEqual(lettersBefore);
  expect(await keysThatDiffer(run)).toEqual([]);
});

/** Charged at the provider, its worker dead with the lease in hand. On a busy machine the worker may settle before it is killed; then the next order is tried. */
const orderDiedInCharge = (userId: string): Promise<string> =>
  waitUntil({ what: 'a worker to be killed between charge and commit', withinMs: 60_000 }, async (note) => {
    const { amountMinor } = MAGIC_AMOUNTS.chargedButTimeout;
    const { orderId } = await placeOrder({ userId, idempotencyKey: uniqueName('order'), amountMinor });
    await waitUntil({ what: 'the charge', everyMs: 20 }, async () => (await capturesOf(userId, orderId)) === 1);
    workerPids(outputsOfKind(capturePayment.kind).functionName).forEach(killAtOnce);
    const item = await orderItem(userId, orderId);
    note(item?.['lease']);
    return item?.['status'] === 'pending_payment' && item['lease'] === 'held' ? orderId : undefined;
  });

test('an order whose worker is killed between charge and commit is paid by a later run that asks first', async () => {
  const userId = uniqueName('kill');
  const orderId = await orderDiedInCharge(userId);

  const paid = await waitForStatus(userId, orderId, 'paid', PAID_WITHIN_MS);

  expect(paid).toMatchObject({ version: 2, lease: 'free' });
  expect((paid['op:capture:1'] as { tries: number }).tries).toBeGreaterThan(1);
  expect(await capturesOf(userId, orderId)).toBe(1);
  const asked = (await books.requests(paymentIntentId(orderId, 1))).map(({ operation }) => operation);
  expect(asked.slice(0, 2)).toEqual(['capture', 'find']);
});

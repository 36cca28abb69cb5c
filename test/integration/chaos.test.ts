import { expect, onTestFinished, test } from 'vitest';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { type OrderView, paymentIntentId } from '#shared/domain/order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { restartAtWork } from '../support/integration/emulator-restart.ts';
import { changeVariables, codeHashes } from '../support/integration/functions.ts';
import { inParallel } from '../support/integration/in-parallel.ts';
import { killWorkers } from '../support/integration/kill-workers.ts';
import { logLines } from '../support/integration/log-lines.ts';
import { uniqueName } from '../support/integration/names.ts';
import { getOrder, placeOrder } from '../support/integration/order-client.ts';
import { books, capturesOf } from '../support/integration/provider.ts';
import { captureMessage, depths, sendBodies, waitForEmptyQueues } from '../support/integration/queues.ts';
import { deployRelease, nextRelease, type Release } from '../support/integration/release.ts';
import { keysThatDiffer, type OrderFacts, orderFacts } from '../support/integration/run-audit.ts';
import { sweepAnew } from '../support/integration/sweep.ts';
import { orderItem, waitForStatus } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';
import { killAtOnce, workerPids } from '../support/integration/worker-processes.ts';

const ORDERS = Number(process.env['CHAOS_ORDERS'] ?? 500);
const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
/** Few, because an emulator gives every concurrent request a process of its own. */
const CLIENTS = 4;
const USERS = 5;
/** Several times what a run needs: a machine that is busy with other things gets the time it takes. */
const ENDED_WITHIN_MS = 420_000;
const TIMEOUT_MS = 720_000;
const KILLS = { kills: Math.ceil(ORDERS / 16), everyMs: 500, seed: SEED, withinMs: ENDED_WITHIN_MS };

const capture = outputsOfKind(capturePayment.kind);
const sweepState = output(STACK_OUTPUTS.sweepStateFunction);

const isDeclined = (index: number): boolean => index % 25 === 24;
const isDeliveredTwice = (index: number): boolean => index % 10 === 3;

/** A slow capture keeps its worker between charge and commit, where a death is worst. */
function amountOf(index: number): number {
  if (isDeclined(index)) return MAGIC_AMOUNTS.decline.amountMinor;
  if (index % 20 === 7) return MAGIC_AMOUNTS.chargedButTimeout.amountMinor;
  if (index % 20 === 13) return MAGIC_AMOUNTS.gatewayTimeoutAfterCharge.amountMinor;
  return index % 10 === 0 ? MAGIC_AMOUNTS.slow.amountMinor : 2_000 + index;
}

async function place(run: string, index: number): Promise<OrderView> {
  const order = await placeOrder({ userId: `${run}-${index % USERS}`, idempotencyKey: `order-${index}`, amountMinor: amountOf(index) });
  if (isDeliveredTwice(index)) await sendBodies(capture.queueUrl, [captureMessage(order.userId, order.orderId)]).catch(leaveIt);
  return order;
}

/** An early read puts the pending order into the cache, where it would stay if nobody took it out. */
async function placeAndRead(run: string, index: number): Promise<OrderView> {
  const order = await place(run, index);
  await getOrder(order.userId, order.orderId).catch(leaveIt);
  return order;
}

/** Extras of a test whose subject is being killed meanwhile. */
const leaveIt = (): undefined => undefined;

/**
 * A quarter of the orders before anything happens, a quarter while the emulator restarts, a quarter while a new release is
 * deployed, a quarter for that release alone. Workers are killed throughout. Orders are read from the restart on: what it costs
 * the stream would leave a cached order as it was, which no outage of AWS does.
 */
async function throughAllOfIt(run: string, release: Release): Promise<OrderView[]> {
  const quarter = (part: number, order: typeof place): Promise<OrderView[]> => {
    const indexes = Array.from({ length: ORDERS }, (_, index) => index).filter((index) => Math.floor((4 * index) / ORDERS) === part);
    return inParallel(indexes, CLIENTS, (index) => order(run, index));
  };
  const first = await quarter(0, place);
  const [second, restarted] = await Promise.all([quarter(1, place), restartAtWork()]);
  console.log(`restarted: the ${restarted}`);
  const [third] = await Promise.all([quarter(2, placeAndRead), deployAndSee(release)]);
  const fourth = await quarter(3, placeAndRead);
  return [first, second, third, fourth].flat();
}

/** Other code in every function, and seen at work in the one that charges. */
async function deployAndSee(release: Release): Promise<void> {
  const sinceMs = Date.now();
  const before = await codeHashes();
  await deployRelease(release);
  const after = await codeHashes();
  expect([...after].filter(([name, hash]) => hash === before.get(name))).toEqual([]);
  await waitUntil({ what: 'a worker of the new release', everyMs: 250 }, async () =>
    (await logLines(capture.functionName, sinceMs)).some((line) => line.includes(release.marker)),
  );
}

const isPaid = ({ status }: OrderFacts): boolean => status === 'paid';
const hasEnded = (order: OrderFacts): boolean => order.status === 'payment_declined' || (isPaid(order) && order.receipts > 0);

/**
 * Waits until every order has its end. What the restart took from the stream nobody but the daily sweep can find; it is
 * brought forward, and told to take for forgotten what has been quiet for some seconds.
 *
 * @returns how many open orders had no message when that was first seen
 */
async function untilAllHaveEnded(run: string): Promise<number> {
  const { TIME_SCALE = '', SWEEP_READ_UNITS_PER_SECOND = '' } = await changeVariables(sweepState, IMPATIENT_SWEEP);
  onTestFinished(async () => void (await changeVariables(sweepState, { TIME_SCALE, SWEEP_READ_UNITS_PER_SECOND })));
  let forgotten: number | undefined;
  let sweptAtMs = 0;
  await waitUntil({ what: 'the end of every order', withinMs: ENDED_WITHIN_MS, everyMs: 2_000 }, async (note) => {
    const orders = await orderFacts(run);
    expect(orders.filter(({ captures, receipts }) => captures > 1 || receipts > 1)).toEqual([]);
    const open = orders.filter((order) => !hasEnded(order));
    const waiting = Object.values(await depths('work')).reduce((sum, depth) => sum + depth, 0);
    note({ open: open.length, waiting, some: open.slice(0, 3) });
    if (open.length > waiting && Date.now() - sweptAtMs > SWEPT_AGAIN_AFTER_MS) {
      forgotten ??= open.length - waiting;
      await sweepAnew();
      sweptAtMs = Date.now();
    }
    return open.length === 0;
  });
  await waitForEmptyQueues(ENDED_WITHIN_MS);
  return forgotten ?? 0;
}

const IMPATIENT_SWEEP = { TIME_SCALE: '0.005', SWEEP_READ_UNITS_PER_SECOND: '1000' };
const SWEPT_AGAIN_AFTER_MS = 10_000;

test(`${ORDERS} orders through killed workers, a restart and a deployment all end, each charged and receipted once if paid and never if not`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const run = uniqueName('chaos');
  const lettersBefore = await depths('dead-letter');
  console.log(`CHAOS_SEED=${SEED}`);

  const startedAtMs = Date.now();
  const secondsSince = (): number => Math.round((Date.now() - startedAtMs) / 1000);
  const killing = killWorkers(KILLS);
  const accepted = await throughAllOfIt(run, nextRelease(run));
  const killed = await killing;
  const acceptedAfter = secondsSince();
  const forgotten = await untilAllHaveEnded(run);

  const orders = await orderFacts(run);
  const paid = orders.filter(isPaid).length;
  const repeated = orders.filter(({ tries }) => tries > 1).length;
  console.log(`accepted after ${acceptedAfter} s, ended after ${secondsSince()} s; killed: ${JSON.stringify(killed)}`);
  console.log(`${repeated} orders needed more than one run, at least ${forgotten} the sweep`);
  expect(orders.map(({ name }) => name).sort()).toEqual(accepted.map(({ userId, orderId }) => `${userId}/${orderId}`).sort());
  expect(orders.filter((order) => !hasEnded(order))).toEqual([]);
  expect(paid).toBe(Array.from({ length: ORDERS }).filter((_, index) => !isDeclined(index)).length);
  expect(orders.reduce((sum, { captures }) => sum + captures, 0)).toBe(paid);
  expect(orders.filter((order) => order.captures !== Number(isPaid(order)) || order.receipts !== Number(isPaid(order)))).toEqual([]);
  expect(repeated, 'nothing met a worker at its work, so this run proves nothing').toBeGreaterThan(ORDERS / 20);
  expect(await depths('dead-letter')).toEqual(lettersBefore);
  expect(await keysThatDiffer(run)).toEqual([]);
});

/** Charged at the provider, its worker dead with the lease in hand. On a busy machine the worker may settle before it is killed; then the next order is tried. */
const orderDiedInCharge = (userId: string): Promise<string> =>
  waitUntil({ what: 'a worker to be killed between charge and commit', withinMs: 60_000 }, async (note) => {
    const { amountMinor } = MAGIC_AMOUNTS.chargedButTimeout;
    const { orderId } = await placeOrder({ userId, idempotencyKey: uniqueName('order'), amountMinor });
    await waitUntil({ what: 'the charge', everyMs: 20 }, async () => (await capturesOf(userId, orderId)) === 1);
    workerPids(capture.functionName).forEach(killAtOnce);
    const item = await orderItem(userId, orderId);
    note(item?.['lease']);
    return item?.['status'] === 'pending_payment' && item['lease'] === 'held' ? orderId : undefined;
  });

test('an order whose worker is killed between charge and commit is paid by a later run that asks first', async () => {
  const userId = uniqueName('kill');
  const orderId = await orderDiedInCharge(userId);

  const paid = await waitForStatus(userId, orderId, 'paid', ENDED_WITHIN_MS);

  expect(paid).toMatchObject({ version: 2, lease: 'free' });
  expect((paid['op:capture:1'] as { tries: number }).tries).toBeGreaterThan(1);
  expect(await capturesOf(userId, orderId)).toBe(1);
  const asked = (await books.requests(paymentIntentId(orderId, 1))).map(({ operation }) => operation);
  expect(asked.slice(0, 2)).toEqual(['capture', 'find']);
});

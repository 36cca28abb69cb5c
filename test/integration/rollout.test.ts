import { expect, onTestFinished, test } from 'vitest';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { inParallel } from '../support/integration/in-parallel.ts';
import { loggedBatches } from '../support/integration/log-lines.ts';
import { uniqueName } from '../support/integration/names.ts';
import { placeOrder } from '../support/integration/order-client.ts';
import { depths, sendBodies, waitForEmptyQueues } from '../support/integration/queues.ts';
import { deployedAssembly, deployRelease } from '../support/integration/release.ts';
import { type OrderFacts, orderFacts } from '../support/integration/run-audit.ts';
import { synthesizeWith } from '../support/integration/source-overlay.ts';
import { waitUntil } from '../support/integration/wait-until.ts';
import { secondVersionOf, VERSIONED_FILE } from '../support/second-version.ts';

/** Each orders about once a second until the deployment beside it is through. */
const CLIENTS = 2;
const ORDERS_AT_LEAST = 10;
const HELD_BACK = 5;
/** A deferral takes up to a tenth of 15 minutes here; several times that, for a machine that is busy with other things. */
const ENDED_WITHIN_MS = 400_000;
const TIMEOUT_MS = 900_000;

const capture = outputsOfKind(capturePayment.kind);
const store = createItemStore(createDynamoDbClient(), output(STACK_OUTPUTS.stateTable));

/** Orders as they come in while something else goes on. @returns their names */
async function flowing(run: string, phase: string, meanwhile: Promise<unknown>): Promise<string[]> {
  let isOver = false;
  const over = meanwhile.finally(() => {
    isOver = true;
  });
  const names: string[] = [];
  const client = async (number: number): Promise<void> => {
    let index = 0;
    await waitUntil({ what: 'the deployment', withinMs: ENDED_WITHIN_MS, everyMs: 1_000 }, async () => {
      const idempotencyKey = `${phase}-${number}-${index}`;
      const { userId, orderId } = await placeOrder({ userId: `${run}-${phase}`, idempotencyKey, amountMinor: 2_000 + index++ });
      names.push(`${userId}/${orderId}`);
      return isOver && names.length >= ORDERS_AT_LEAST;
    });
  };
  await Promise.all([over, ...Array.from({ length: CLIENTS }, (_, number) => client(number))]);
  return names;
}

/** An order as the release that writes this version of the message would have accepted it. @returns its name */
async function acceptedBy(version: 1 | 2, userId: string, orderId: string): Promise<string> {
  const { version: _, ...order } = newOrder(userId, orderId, { amountMinor: 4_999, currency: 'EUR' }, Date.now());
  await store.write(acceptWrite(orderItemKey(userId, orderId), order, [messageOf(version, userId, orderId)], Date.now()));
  return `${userId}/${orderId}`;
}

function messageOf(version: 1 | 2, userId: string, orderId: string): JobMessage {
  const message = outboxMessage(job(capturePayment, { userId, orderId, attempt: 1 }), Date.now());
  return version === 1 ? message : { ...message, version, payload: { ...message.payload, channel: 'shop' } };
}

const several = (version: 1 | 2, userId: string): Promise<string[]> =>
  inParallel(
    Array.from({ length: HELD_BACK }, (_, index) => index),
    2,
    (index) => acceptedBy(version, userId, `order-${index}`),
  );

interface SeenJob {
  readonly outcome: string;
  readonly key?: string;
  readonly version?: number;
}

/** Keys that the capture's workers reported with this outcome and this foreign version. */
const reported = async (sinceMs: number, { outcome, version }: { outcome: string; version: number }): Promise<number> =>
  ((await loggedBatches(capture.functionName, sinceMs)) as SeenJob[][])
    .flat()
    .filter((seen) => seen.outcome === outcome && seen.version === version).length;

const untilReported = (sinceMs: number, what: { outcome: string; version: number }, atLeast: number): Promise<boolean> =>
  waitUntil({ what: `${atLeast} times ${JSON.stringify(what)}`, withinMs: ENDED_WITHIN_MS, everyMs: 1_000 }, async (note) => {
    const count = await reported(sinceMs, what);
    note(count);
    return count >= atLeast;
  });

const isDone = ({ status, receipts }: OrderFacts): boolean => status === 'paid' && receipts > 0;

async function untilPaid(run: string, names: readonly string[]): Promise<void> {
  await waitUntil({ what: `${names.length} orders to be paid and receipted`, withinMs: ENDED_WITHIN_MS, everyMs: 2_000 }, async (note) => {
    const facts = new Map((await orderFacts(run)).map((order) => [order.name, order]));
    const open = names.filter((name) => !isDone(facts.get(name) ?? ({ status: 'missing', receipts: 0 } as OrderFacts)));
    note({ open: open.length, some: open.slice(0, 3).map((name) => facts.get(name)) });
    return open.length === 0;
  });
}

// B89, B94
test('two releases whose messages differ live side by side through a rollout, a rollback and the rollout after it: every order is charged once', {
  timeout: TIMEOUT_MS,
}, async () => {
  const run = uniqueName('rollout');
  const lettersBefore = await depths('dead-letter');
  const next = { assembly: await synthesizeWith(VERSIONED_FILE, secondVersionOf) };
  const present = { assembly: deployedAssembly };
  onTestFinished(() => deployRelease(present), TIMEOUT_MS / 3);
  const log = (what: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${what}`);

  log('messages of the next release meet workers of the present one');
  const beginsAtMs = Date.now();
  const early = await several(2, `${run}-early`);
  await untilReported(beginsAtMs, { outcome: 'unsupported-version', version: 2 }, HELD_BACK);
  const waiting = (await orderFacts(run)).filter(({ name }) => early.includes(name));
  expect(waiting.map(({ status, captures }) => ({ status, captures }))).toEqual(
    early.map(() => ({ status: 'pending_payment', captures: 0 })),
  );

  log('the next release is rolled out');
  const first = await flowing(run, 'out', deployRelease(next));
  log('messages of the present release meet workers of the next one');
  const deployedAtMs = Date.now();
  const late = await several(1, `${run}-late`);
  // A copy of a job that is done, in its other version: one job all the same.
  await untilPaid(run, [...early, ...first, ...late]);
  await sendBodies(
    capture.queueUrl,
    late.map((_, index) => JSON.stringify(messageOf(2, `${run}-late`, `order-${index}`))),
  );
  await untilReported(deployedAtMs, { outcome: 'committed', version: 1 }, HELD_BACK);

  log('it is rolled back');
  const second = await flowing(run, 'back', deployRelease(present));
  const stranded = await several(2, `${run}-stranded`);
  const rolledBackAtMs = Date.now();
  await untilReported(rolledBackAtMs, { outcome: 'unsupported-version', version: 2 }, HELD_BACK);
  expect((await orderFacts(run)).filter(({ name, status }) => stranded.includes(name) && status !== 'pending_payment')).toEqual([]);

  log('and rolled out again');
  const third = await flowing(run, 'again', deployRelease(next));
  const all = [...early, ...first, ...late, ...second, ...stranded, ...third];
  await untilPaid(run, all);
  await waitForEmptyQueues(ENDED_WITHIN_MS);

  const facts = await orderFacts(run);
  log(`${all.length} orders: ${first.length} through the rollout, ${second.length} through the rollback, ${third.length} after it`);
  expect(facts.map(({ name }) => name).sort()).toEqual([...all].sort());
  expect(facts.filter((order) => !isDone(order) || order.captures !== 1 || order.receipts !== 1)).toEqual([]);
  expect(await depths('dead-letter')).toEqual(lettersBefore);
});

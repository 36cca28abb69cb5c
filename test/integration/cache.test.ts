import { expect, test } from 'vitest';
import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createOrderReader } from '#shared/aws/order-reader.ts';
import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import { createReadThrough, type Load } from '#shared/cache/read-through.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { orderIdOf } from '#shared/domain/create-order.ts';
import { orderView } from '#shared/domain/order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { dynamodb } from '../support/integration/aws-clients.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { createGate } from '../support/integration/gate.ts';
import { invoke, whileNobodyReceives } from '../support/integration/lambda-api.ts';
import { logLines } from '../support/integration/log-lines.ts';
import { uniqueName } from '../support/integration/names.ts';
import { getOrder, getSummary, postOrder } from '../support/integration/order-client.ts';
import { cacheRow, putCacheRow, waitForStatus } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';

const MISS = 'andal; fwd=miss; stored';
const HIT = 'andal; hit';
const AMOUNT = 4_999;

const cache = createDynamoDbCache({
  tableName: output(STACK_OUTPUTS.cacheTable),
  clock,
  random,
  sdk: { createRequestHandler: () => ({ connectionTimeout: 2_000, requestTimeout: 10_000, throwOnRequestTimeout: true }) },
});
const orders = createOrderReader(dynamodb, output(STACK_OUTPUTS.stateTable));
const readThrough = createReadThrough({
  cache,
  clock,
  ttlSeconds: 300,
  onCacheError(operation, error) {
    throw new Error(`the cache failed at ${operation}`, { cause: error });
  },
});

/** Gone because the stream's record of a change got here; nobody else deletes it. */
const waitForInvalidation = (key: string) =>
  waitUntil({ what: `${key} to be invalidated` }, async (note) => {
    const row = await cacheRow(key);
    note(row);
    return row === undefined;
  });

interface Unpaid {
  readonly userId: string;
  readonly orderId: string;
  readonly key: string;
  readonly summaryKey: string;
  readonly load: Load;
}

/** Runs `meanwhile` on an order that nobody charges yet and whose creation has been through the stream; then it is paid. */
async function beforePayment<Answer>(meanwhile: (order: Unpaid) => Promise<Answer>): Promise<{ order: Unpaid; before: Answer }> {
  const userId = uniqueName('cache');
  const idempotencyKey = 'only';
  const orderId = orderIdOf(userId, idempotencyKey);
  const order: Unpaid = {
    userId,
    orderId,
    key: orderCacheKey(userId, orderId),
    summaryKey: orderSummaryCacheKey(userId),
    load: async () => {
      const found = await orders.order(userId, orderId);
      return found === undefined ? undefined : { version: found.version, value: orderView(found) };
    },
  };
  const before = await whileNobodyReceives(outputsOfKind(capturePayment.kind).functionName, async () => {
    // Two rows for the creation's own invalidation to take away, so that it cannot be taken for the payment's.
    await Promise.all([cache.read(order.key), cache.read(order.summaryKey)]);
    await postOrder({ userId, idempotencyKey, amountMinor: AMOUNT });
    await Promise.all([waitForInvalidation(order.key), waitForInvalidation(order.summaryKey)]);
    return meanwhile(order);
  });
  await waitForStatus(userId, orderId, 'paid');
  return { order, before };
}

const seen = ({ cacheStatus, version, body }: Awaited<ReturnType<typeof getOrder>>) => ({ cacheStatus, version, status: body.status });

test('an order is read from the table, then from the cache, and after its payment as paid', async () => {
  const { order, before } = await beforePayment(async ({ userId, orderId }) => [
    seen(await getOrder(userId, orderId)),
    seen(await getOrder(userId, orderId)),
  ]);
  expect(before).toEqual([
    { cacheStatus: MISS, version: '1', status: 'pending_payment' },
    { cacheStatus: HIT, version: '1', status: 'pending_payment' },
  ]);

  await waitForInvalidation(order.key);

  expect(seen(await getOrder(order.userId, order.orderId))).toEqual({ cacheStatus: MISS, version: '2', status: 'paid' });
  expect(seen(await getOrder(order.userId, order.orderId))).toEqual({ cacheStatus: HIT, version: '2', status: 'paid' });
});

test('a summary read after the payment counts it', async () => {
  const { order, before } = await beforePayment(async ({ userId }) => [await getSummary(userId), await getSummary(userId)]);
  const unpaid = { orders: 1, byStatus: { pending_payment: 1 }, paidMinorByCurrency: {}, truncated: false };
  expect(before.map(({ cacheStatus, body }) => ({ cacheStatus, body }))).toEqual([
    { cacheStatus: MISS, body: unpaid },
    { cacheStatus: HIT, body: unpaid },
  ]);

  await waitForInvalidation(order.summaryKey);

  const after = await getSummary(order.userId);
  expect(after.cacheStatus).toBe(MISS);
  expect(after.body).toEqual({ orders: 1, byStatus: { paid: 1 }, paidMinorByCurrency: { EUR: AMOUNT }, truncated: false });
});

// B47
test('a reader that paused between its table read and its fill cannot put the old state back', async () => {
  const gate = createGate();
  const { order, before } = await beforePayment(async ({ key, load }) => {
    const reading = readThrough(key, async () => {
      const old = await load();
      await gate.wait();
      return old;
    });
    await gate.reachedBy(reading);
    return { reading };
  });
  await waitForInvalidation(order.key);

  gate.open();

  expect(await before.reading).toMatchObject({ entry: { version: 1 }, via: 'loaded' });
  expect(await cacheRow(order.key)).toBeUndefined();
  expect(seen(await getOrder(order.userId, order.orderId))).toEqual({ cacheStatus: MISS, version: '2', status: 'paid' });
});

// B47: two readers, the old one last.
test('a reader with the old state cannot replace the new state another reader has stored', async () => {
  const gate = createGate();
  const { order, before } = await beforePayment(async ({ key, load }) => {
    const reading = readThrough(key, async () => {
      const old = await load();
      await gate.wait();
      return old;
    });
    await gate.reachedBy(reading);
    return { reading };
  });
  await waitForInvalidation(order.key);
  expect(seen(await getOrder(order.userId, order.orderId))).toEqual({ cacheStatus: MISS, version: '2', status: 'paid' });

  gate.open();

  expect(await before.reading).toMatchObject({ entry: { version: 1 }, via: 'loaded' });
  expect(seen(await getOrder(order.userId, order.orderId))).toEqual({ cacheStatus: HIT, version: '2', status: 'paid' });
});

// B47: the invalidation comes before the table read.
test('a reader overtaken by the invalidation before it reads the table answers with the new state and stores nothing', async () => {
  const gate = createGate();
  const { order, before } = await beforePayment(async ({ key, load }) => {
    const reading = readThrough(key, () => gate.wait().then(load));
    await gate.reachedBy(reading);
    return { reading };
  });
  await waitForInvalidation(order.key);

  gate.open();

  expect(await before.reading).toMatchObject({ entry: { version: 2, value: { status: 'paid' } }, via: 'loaded' });
  expect(await cacheRow(order.key)).toBeUndefined();
});

// G6
test('a cached value that the table contradicts is found by the verifier, counted, and taken out', async () => {
  const userId = uniqueName('cache');
  const orderId = orderIdOf(userId, 'only');
  await postOrder({ userId, idempotencyKey: 'only', amountMinor: AMOUNT });
  await waitForStatus(userId, orderId, 'paid');
  const key = orderCacheKey(userId, orderId);
  const filled = await waitUntil({ what: `${key} to be filled` }, async () => {
    await getOrder(userId, orderId);
    const row = await cacheRow(key);
    return row?.['value'] === undefined ? undefined : row;
  });
  const before = { ...JSON.parse(String(filled['value'])), status: 'pending_payment', version: 1 };
  await putCacheRow({ ...filled, version: 1, value: JSON.stringify(before) });
  expect(seen(await getOrder(userId, orderId))).toEqual({ cacheStatus: HIT, version: '1', status: 'pending_payment' });
  const sinceMs = Date.now();

  await waitUntil({ what: `${key} to be taken out`, withinMs: 120_000 }, async (note) => {
    // A sample may have missed it.
    note(await invoke(output(STACK_OUTPUTS.verifyCacheFunction), {}));
    return (await cacheRow(key)) === undefined;
  });

  expect(seen(await getOrder(userId, orderId))).toEqual({ cacheStatus: MISS, version: '2', status: 'paid' });
  const lines = await logLines(output(STACK_OUTPUTS.verifyCacheFunction), sinceMs);
  expect(lines.find((line) => line.includes('cache differs from the table') && line.includes(key))).toMatch(/"CacheMismatch":[1-9]/);
});

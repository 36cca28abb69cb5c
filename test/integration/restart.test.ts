import { expect, test } from 'vitest';
import { orderCacheKey } from '#shared/cache/cache-keys.ts';
import { restartAtWork } from '../support/integration/emulator-restart.ts';
import { inParallel } from '../support/integration/in-parallel.ts';
import { uniqueName } from '../support/integration/names.ts';
import { getOrder, placeOrder } from '../support/integration/order-client.ts';
import { keysThatDiffer, waitForAllPaid } from '../support/integration/run-audit.ts';
import { cacheRow } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';

const BEFORE = 30;
const AFTER = 5;
const WITHIN_MS = 240_000;

// B93
test(`after ${BEFORE} orders and a restart of the emulator, the changes of the next ${AFTER} still reach the cache`, {
  timeout: 2 * WITHIN_MS,
}, async () => {
  const place = (run: string, count: number) =>
    inParallel(
      Array.from({ length: count }, (_, index) => index),
      3,
      async (index) => {
        const order = await placeOrder({ userId: run, idempotencyKey: `order-${index}`, amountMinor: 2_000 + index });
        // In the cache as pending, where it would stay if nobody took it out.
        await getOrder(order.userId, order.orderId);
        return order;
      },
    );
  const [before, after] = [uniqueName('before'), uniqueName('after')];
  await place(before, BEFORE);
  await waitForAllPaid(before, BEFORE, WITHIN_MS);

  console.log(`restarted: the ${await restartAtWork()}`);
  const orders = await place(after, AFTER);
  await waitForAllPaid(after, AFTER, WITHIN_MS);

  await waitUntil({ what: `${AFTER} invalidations`, withinMs: WITHIN_MS, everyMs: 500 }, async (note) => {
    const rows = await Promise.all(orders.map(({ userId, orderId }) => cacheRow(orderCacheKey(userId, orderId))));
    const stale = rows.filter((row) => String(row?.['value']).includes('pending_payment'));
    note(stale.length);
    return stale.length === 0;
  });
  expect(await keysThatDiffer(after)).toEqual([]);
});

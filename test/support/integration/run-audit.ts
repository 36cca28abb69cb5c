import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import { type Order, orderSchema, orderView } from '#shared/domain/order.ts';
import { summarizeOrders } from '#shared/domain/order-summary.ts';
import { inParallel } from './in-parallel.ts';
import { getOrder, getSummary } from './order-client.ts';
import { books } from './provider.ts';
import { cacheRow, orderItems, receipts } from './tables.ts';
import { waitUntil } from './wait-until.ts';

/** Few, because an emulator gives every concurrent request a process of its own. */
const READERS = 4;

const countBy = <Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(items, nameOf)].map(([name, group]) => [name, group.length]));

const statusOf = (item: Record<string, unknown>): string => String(item['status']);

/** Every order of the run has its end and every receipt is out; then the books can be read. */
export const waitForAllPaid = (userPrefix: string, expected: number, withinMs: number): Promise<boolean> =>
  waitUntil({ what: `${expected} orders to be paid and receipted`, withinMs, everyMs: 500 }, async (note) => {
    const [orders, mails] = await Promise.all([orderItems(userPrefix), receipts(userPrefix)]);
    note({ ...countBy(orders, statusOf), receipts: mails.length });
    return orders.length === expected && orders.every((order) => statusOf(order) === 'paid') && mails.length >= expected;
  });

export interface RunAudit {
  readonly byStatus: Readonly<Record<string, number>>;
  /** How many orders the provider charged once, twice … */
  readonly ordersByCaptures: Readonly<Record<string, number>>;
  /** How many orders got one receipt, two … */
  readonly ordersByReceipts: Readonly<Record<string, number>>;
  /** Orders whose charge needed more than one run. */
  readonly repeated: number;
}

export async function auditRun(userPrefix: string): Promise<RunAudit> {
  const [orders, captures, mails] = await Promise.all([orderItems(userPrefix), books.captureCounts(userPrefix), receipts(userPrefix)]);
  const receiptCounts = [...Map.groupBy(mails, ({ deliveryKey }) => deliveryKey).values()].map((rows) => rows.length);
  const tries = orders.map((order) => (order['op:capture:1'] as { tries?: number } | undefined)?.tries ?? 0);
  return {
    byStatus: countBy(orders, statusOf),
    ordersByCaptures: countBy([...captures.values()], String),
    ordersByReceipts: countBy(receiptCounts, String),
    repeated: tries.filter((count) => count > 1).length,
  };
}

/** What table, provider and mail say about one order. */
export interface OrderFacts {
  /** `<userId>/<orderId>` */
  readonly name: string;
  /** `missing`: the provider or the mail knows an order the table does not. */
  readonly status: string;
  readonly captures: number;
  readonly receipts: number;
  /** Runs its charge needed; 0 while there is no end. */
  readonly tries: number;
}

export async function orderFacts(userPrefix: string): Promise<OrderFacts[]> {
  const [orders, captures, mails] = await Promise.all([orderItems(userPrefix), books.captureCounts(userPrefix), receipts(userPrefix)]);
  const byName = new Map(orders.map((order) => [`${order['userId']}/${order['orderId']}`, order]));
  const receiptsByName = Map.groupBy(mails, ({ userId, orderId }) => `${userId}/${orderId}`);
  return [...new Set([...byName.keys(), ...captures.keys(), ...receiptsByName.keys()])].map((name) => ({
    name,
    status: String(byName.get(name)?.['status'] ?? 'missing'),
    captures: captures.get(name) ?? 0,
    receipts: receiptsByName.get(name)?.length ?? 0,
    tries: (byName.get(name)?.['op:capture:1'] as { tries?: number } | undefined)?.tries ?? 0,
  }));
}

/**
 * Reads every order and summary twice over HTTP, then compares what the cache holds with what the table holds.
 *
 * @returns the keys that differ or are not cached
 */
export async function keysThatDiffer(userPrefix: string): Promise<string[]> {
  const orders = (await orderItems(userPrefix)).map((item) => orderSchema.parse(item));
  const byUser = Map.groupBy(orders, ({ userId }) => userId);
  const expected = new Map<string, unknown>([
    ...orders.map((order) => [orderCacheKey(order.userId, order.orderId), orderView(order)] as const),
    ...[...byUser].map(
      ([userId, theirs]) => [orderSummaryCacheKey(userId), summarizeOrders(theirs, { truncated: false, unreadable: 0 })] as const,
    ),
  ]);
  await inParallel(orders, READERS, ({ userId, orderId }: Order) => getOrder(userId, orderId));
  await inParallel([...byUser.keys()], READERS, (userId) => getSummary(userId));
  const compared = await inParallel([...expected], READERS, async ([key, value]) => ({
    key,
    same: sameJson((await cacheRow(key))?.['value'], value),
  }));
  return compared.filter(({ same }) => !same).map(({ key }) => key);
}

const sameJson = (cached: unknown, expected: unknown): boolean =>
  typeof cached === 'string' && sorted(JSON.parse(cached)) === sorted(expected);

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, member) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) ? Object.fromEntries(Object.entries(member).sort()) : member,
  );

import { isDeepStrictEqual } from 'node:util';
import { type Order, orderView } from '#shared/domain/order.ts';
import { type SummarizedOrder, summarizeOrders, summaryVersion } from '#shared/domain/order-summary.ts';
import { orderCacheKey, orderSummaryCacheKey } from './cache-keys.ts';
import type { CacheEntry } from './cache-port.ts';

/** Strongly consistent reads of the State table. */
export interface OrderSource {
  order(userId: string, orderId: string): Promise<Order | undefined>;
  orders(userId: string): Promise<{ orders: readonly SummarizedOrder[]; unreadable: readonly Error[]; truncated: boolean }>;
}

/** @throws when the order is stored in a form that cannot be read */
export async function loadOrder(source: OrderSource, userId: string, orderId: string): Promise<CacheEntry | undefined> {
  const order = await source.order(userId, orderId);
  return order && { version: order.version, value: orderView(order) };
}

/** @param onUnreadable told of each order the summary had to leave out */
export async function loadSummary(
  source: OrderSource,
  userId: string,
  onUnreadable: (error: Error) => void,
): Promise<CacheEntry | undefined> {
  const { orders, unreadable, truncated } = await source.orders(userId);
  for (const error of unreadable) onUnreadable(error);
  if (orders.length + unreadable.length === 0) return undefined;
  return { version: summaryVersion(orders), value: summarizeOrders(orders, { truncated, unreadable: unreadable.length }) };
}

/** What the table says where a key of the cache answers; undefined when there is nothing. Strongly consistent. */
export type TableTruth = (key: string) => Promise<CacheEntry | undefined | 'unknown-key'>;

const ORDER_KEY = new RegExp(`^${orderCacheKey('([^/]+)', '([^/]+)')}$`);
const SUMMARY_KEY = new RegExp(`^${orderSummaryCacheKey('([^/]+)')}$`);

/** @throws when an order is stored in a form that cannot be read */
export const tableTruth =
  (source: OrderSource): TableTruth =>
  async (key) => {
    const [, userId, orderId] = ORDER_KEY.exec(key) ?? [];
    if (userId !== undefined && orderId !== undefined) return loadOrder(source, userId, orderId);
    const [, summarized] = SUMMARY_KEY.exec(key) ?? [];
    return summarized === undefined ? 'unknown-key' : loadSummary(source, summarized, () => undefined);
  };

export const saysTheSame = (left: CacheEntry, right: CacheEntry): boolean =>
  left.version === right.version && isDeepStrictEqual(left.value, right.value);

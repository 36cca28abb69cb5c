import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import { type Order, orderView } from '#shared/domain/order.ts';
import { type SummarizedOrder, summarizeOrders, summaryVersion } from '#shared/domain/order-summary.ts';
import { isCachedOrder, isCachedSummary } from './cached-answer.ts';
import type { Resource } from './handler.ts';
import type { ReadRequest } from './request.ts';

/** Strongly consistent reads of the State table. */
export interface OrderSource {
  order(userId: string, orderId: string): Promise<Order | undefined>;
  orders(userId: string): Promise<{ orders: readonly SummarizedOrder[]; unreadable: readonly Error[]; truncated: boolean }>;
}

/** @param onUnreadable told of each order a summary had to leave out */
export const resourceFrom =
  (source: OrderSource, onUnreadable: (error: Error) => void) =>
  (request: ReadRequest): Resource =>
    request.kind === 'order' ? orderResource(source, request) : summaryResource(source, request.userId, onUnreadable);

const orderResource = (source: OrderSource, { userId, orderId }: { userId: string; orderId: string }): Resource => ({
  key: orderCacheKey(userId, orderId),
  async load() {
    const order = await source.order(userId, orderId);
    return order && { version: order.version, value: orderView(order) };
  },
  accepts: isCachedOrder(userId, orderId),
  whenAbsent: undefined,
});

const NO_ORDERS: CacheEntry = { version: 0, value: summarizeOrders([], { truncated: false, unreadable: 0 }) };

const summaryResource = (source: OrderSource, userId: string, onUnreadable: (error: Error) => void): Resource => ({
  key: orderSummaryCacheKey(userId),
  async load() {
    const { orders, unreadable, truncated } = await source.orders(userId);
    for (const error of unreadable) onUnreadable(error);
    if (orders.length + unreadable.length === 0) return undefined;
    return { version: summaryVersion(orders), value: summarizeOrders(orders, { truncated, unreadable: unreadable.length }) };
  },
  accepts: isCachedSummary,
  whenAbsent: NO_ORDERS,
});

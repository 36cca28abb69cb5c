import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import { loadOrder, loadSummary, type OrderSource } from '#shared/cache/table-truth.ts';
import { summarizeOrders } from '#shared/domain/order-summary.ts';
import { isCachedOrder, isCachedSummary } from './cached-answer.ts';
import type { Resource } from './handler.ts';
import type { ReadRequest } from './request.ts';

/** @param onUnreadable told of each order a summary had to leave out */
export const resourceFrom =
  (source: OrderSource, onUnreadable: (error: Error) => void) =>
  (request: ReadRequest): Resource =>
    request.kind === 'order' ? orderResource(source, request) : summaryResource(source, request.userId, onUnreadable);

const orderResource = (source: OrderSource, { userId, orderId }: { userId: string; orderId: string }): Resource => ({
  key: orderCacheKey(userId, orderId),
  load: () => loadOrder(source, userId, orderId),
  accepts: isCachedOrder(userId, orderId),
  whenAbsent: undefined,
});

const NO_ORDERS: CacheEntry = { version: 0, value: summarizeOrders([], { truncated: false, unreadable: 0 }) };

const summaryResource = (source: OrderSource, userId: string, onUnreadable: (error: Error) => void): Resource => ({
  key: orderSummaryCacheKey(userId),
  load: () => loadSummary(source, userId, onUnreadable),
  accepts: isCachedSummary,
  whenAbsent: NO_ORDERS,
});

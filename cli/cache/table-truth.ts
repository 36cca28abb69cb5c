import { isDeepStrictEqual } from 'node:util';
import type { OrderReader } from '#shared/aws/order-reader.ts';
import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import { orderView } from '#shared/domain/order.ts';
import { summarizeOrders, summaryVersion } from '#shared/domain/order-summary.ts';

/** What the table says where a key of the cache answers; undefined when there is nothing. Strongly consistent. */
export type TableTruth = (key: string) => Promise<CacheEntry | undefined | 'unknown-key'>;

const ORDER_KEY = new RegExp(`^${orderCacheKey('([^/]+)', '([^/]+)')}$`);
const SUMMARY_KEY = new RegExp(`^${orderSummaryCacheKey('([^/]+)')}$`);

/** Made as the API makes its answers. @throws when an order is stored in a form that cannot be read */
export const tableTruth =
  (reader: OrderReader): TableTruth =>
  async (key) => {
    const [, userId, orderId] = ORDER_KEY.exec(key) ?? [];
    if (userId !== undefined && orderId !== undefined) {
      const order = await reader.order(userId, orderId);
      return order && { version: order.version, value: orderView(order) };
    }
    const [, summarized] = SUMMARY_KEY.exec(key) ?? [];
    if (summarized === undefined) return 'unknown-key';
    const { orders, unreadable, truncated } = await reader.orders(summarized);
    if (orders.length + unreadable.length === 0) return undefined;
    return { version: summaryVersion(orders), value: summarizeOrders(orders, { truncated, unreadable: unreadable.length }) };
  };

export const saysTheSame = (left: CacheEntry, right: CacheEntry): boolean =>
  left.version === right.version && isDeepStrictEqual(left.value, right.value);

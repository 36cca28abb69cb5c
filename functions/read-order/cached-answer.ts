import * as z from 'zod';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import { orderSchema, orderStatus, orderViewSchema } from '#shared/domain/order.ts';

const count = z.int().min(0);
/** Strict, as an order's view is: an entry of another version of the code is loaded anew. */
const cachedSummary = z.strictObject({
  orders: count,
  byStatus: z.partialRecord(orderStatus, count),
  paidMinorByCurrency: z.record(orderSchema.shape.currency, count),
  truncated: z.boolean(),
  unreadable: count.optional(),
});

/** This very order, in the version the entry says. */
export const isCachedOrder =
  (userId: string, orderId: string) =>
  ({ version, value }: CacheEntry): boolean => {
    const { data } = orderViewSchema.safeParse(value);
    return data?.userId === userId && data.orderId === orderId && data.version === version;
  };

export const isCachedSummary = ({ value }: CacheEntry): boolean => cachedSummary.safeParse(value).success;

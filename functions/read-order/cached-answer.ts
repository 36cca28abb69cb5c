import * as z from 'zod';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import { orderSchema, orderStatus } from '#shared/domain/order.ts';

/**
 * The forms a cached answer may have. Strict, so that nothing reaches a caller that this version of the code would not have
 * put there; an entry of another version of the code is loaded anew.
 */
const cachedOrder = z.strictObject({
  ...orderSchema.pick({ userId: true, orderId: true, status: true, version: true, amountMinor: true, currency: true }).shape,
  ...orderSchema.pick({ note: true, captureId: true, declineReason: true }).shape,
  paymentAttempt: orderSchema.shape.attempt,
  createdAt: z.iso.datetime(),
});

const count = z.int().min(0);
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
    const { data } = cachedOrder.safeParse(value);
    return data?.userId === userId && data.orderId === orderId && data.version === version;
  };

export const isCachedSummary = ({ value }: CacheEntry): boolean => cachedSummary.safeParse(value).success;

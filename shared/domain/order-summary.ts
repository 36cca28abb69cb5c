import type * as z from 'zod';
import { type OrderStatus, orderSchema } from './order.ts';

/** What a summary needs of each order. */
export const summarizedOrder = orderSchema.pick({ orderId: true, status: true, version: true, amountMinor: true, currency: true });
export type SummarizedOrder = z.infer<typeof summarizedOrder>;

export interface OrderSummary {
  readonly orders: number;
  readonly byStatus: Partial<Record<OrderStatus, number>>;
  /** Sum of the orders whose status is `paid`, in minor units. */
  readonly paidMinorByCurrency: Readonly<Record<string, number>>;
  /** There are more orders than were read. */
  readonly truncated: boolean;
  /** Orders left out because their stored form cannot be read; present only when there are some. */
  readonly unreadable?: number;
}

export function summarizeOrders(
  orders: readonly SummarizedOrder[],
  { truncated, unreadable }: { truncated: boolean; unreadable: number },
): OrderSummary {
  const byStatus: Partial<Record<OrderStatus, number>> = {};
  const paidMinorByCurrency: Record<string, number> = {};
  for (const { status, amountMinor, currency } of orders) {
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    if (status === 'paid') paidMinorByCurrency[currency] = (paidMinorByCurrency[currency] ?? 0) + amountMinor;
  }
  return { orders: orders.length, byStatus, paidMinorByCurrency, truncated, ...(unreadable === 0 ? {} : { unreadable }) };
}

/** Rises with every change of every order, since each raises its own version; falls only if an order is deleted or no longer fits into the pages read. */
export const summaryVersion = (orders: readonly { readonly version: number }[]): number =>
  orders.reduce((sum, { version }) => sum + version, 0);

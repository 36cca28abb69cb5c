import * as z from 'zod';
import { orderId, positiveInteger, shortString, userId } from '#shared/contract/identifiers.ts';
import { amountMinor, currency } from './money.ts';

export const orderStatus = z.enum(['pending_payment', 'paid', 'payment_declined', 'refund_pending', 'refunded']);
export type OrderStatus = z.infer<typeof orderStatus>;

/** The only ways an order may move. There is no way out of `pending_payment` but the provider's answer: a frozen capture may already have charged. */
export const ORDER_MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  pending_payment: ['paid', 'payment_declined'],
  payment_declined: ['pending_payment'],
  paid: ['refund_pending'],
  refund_pending: ['refunded', 'paid'],
  refunded: [],
};

/** The business half of an order's item; the protocol's attributes lie beside it and are not looked at here. */
export const orderSchema = z.object({
  userId,
  orderId,
  status: orderStatus,
  version: z.int().min(1),
  /** Payment attempt the order is at; a new attempt is a new intent with a new key. */
  attempt: positiveInteger,
  amountMinor,
  currency,
  note: z.string().optional(),
  createdAtMs: z.int(),
  /** When the current intent was written; the provider's key horizon counts from here. */
  intentAtMs: z.int(),
  paymentIntentId: shortString,
  captureKey: z.string().min(1).max(128),
  captureId: shortString.optional(),
  declineReason: shortString.optional(),
});
export type Order = z.infer<typeof orderSchema>;

/** What a caller of the API sees of an order. */
export const orderView = (order: Order) => ({
  userId: order.userId,
  orderId: order.orderId,
  status: order.status,
  version: order.version,
  paymentAttempt: order.attempt,
  amountMinor: order.amountMinor,
  currency: order.currency,
  ...(order.note === undefined ? {} : { note: order.note }),
  createdAt: new Date(order.createdAtMs).toISOString(),
  ...(order.captureId === undefined ? {} : { captureId: order.captureId }),
  ...(order.declineReason === undefined ? {} : { declineReason: order.declineReason }),
});
export type OrderView = ReturnType<typeof orderView>;

export const captureKey = (userId: string, orderId: string, attempt: number): string => `capture:${userId}/${orderId}:${attempt}`;
export const paymentIntentId = (orderId: string, attempt: number): string => `pi-${orderId}-${attempt}`;

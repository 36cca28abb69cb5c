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
  /** A declined order opens one new payment attempt by itself a day later. */
  retryDeclined: z.boolean().optional(),
  /** Refund the order is at; the provider may refuse one and a customer ask again. */
  refundAttempt: positiveInteger.optional(),
  /** When that refund was asked for; the provider's horizon for its key counts from here. */
  refundAtMs: z.int().optional(),
  refundId: shortString.optional(),
  refundDeclineReason: shortString.optional(),
});
export type Order = z.infer<typeof orderSchema>;

/** Strict: an answer that was kept counts only in the very form this version of the code gives it. */
export const orderViewSchema = z.strictObject({
  ...orderSchema.pick({ userId: true, orderId: true, status: true, version: true, amountMinor: true, currency: true, note: true }).shape,
  ...orderSchema.pick({ captureId: true, declineReason: true, refundId: true, refundDeclineReason: true }).shape,
  paymentAttempt: orderSchema.shape.attempt,
  createdAt: z.iso.datetime(),
});
export type OrderView = z.infer<typeof orderViewSchema>;

/** What a caller of the API sees of an order. */
export const orderView = (order: Order): OrderView => ({
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
  ...(order.refundId === undefined ? {} : { refundId: order.refundId }),
  ...(order.refundDeclineReason === undefined ? {} : { refundDeclineReason: order.refundDeclineReason }),
});

/** Names of an order's operations on its item. */
export const captureOperation = (attempt: number): string => `capture:${attempt}`;
export const refundOperation = (attempt: number): string => `refund:${attempt}`;

export const captureKey = (userId: string, orderId: string, attempt: number): string => `capture:${userId}/${orderId}:${attempt}`;
export const refundKey = (userId: string, orderId: string, attempt: number): string => `refund:${userId}/${orderId}:${attempt}`;
export const paymentIntentId = (orderId: string, attempt: number): string => `pi-${orderId}-${attempt}`;

import { captureKey, captureOperation, type Order, paymentIntentId, refundOperation } from '#shared/domain/order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { refundPayment } from '#shared/jobs/refund-payment.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import type { Wish } from './request-on-order.ts';

/** A declined order is paid again: a new intent with a new key, never a repetition of the old one. */
export const payAgain = (nowMs: number, trace?: string, name = 'payment-attempt'): Wish => ({
  name,
  fromStatus: 'payment_declined',
  write: ({ userId, orderId, attempt }: Order) => {
    const next = attempt + 1;
    return {
      at: { attribute: 'attempt', value: attempt },
      set: {
        status: 'pending_payment',
        attempt: next,
        intentAtMs: nowMs,
        paymentIntentId: paymentIntentId(orderId, next),
        captureKey: captureKey(userId, orderId, next),
      },
      remove: ['declineReason', 'retryDeclined'],
      opens: captureOperation(next),
      captureOperation: captureOperation(attempt),
      outbox: [outboxMessage(job(capturePayment, { userId, orderId, attempt: next }), nowMs, trace)],
    };
  },
});

/** A paid order's money goes back. */
export const refund = (nowMs: number, trace?: string): Wish => ({
  name: 'refund',
  fromStatus: 'paid',
  write: ({ userId, orderId, attempt, refundAttempt = 0 }: Order) => {
    const next = refundAttempt + 1;
    return {
      at: { attribute: 'attempt', value: attempt },
      set: { status: 'refund_pending', refundAttempt: next, refundAtMs: nowMs },
      remove: ['refundDeclineReason'],
      opens: refundOperation(next),
      captureOperation: captureOperation(attempt),
      outbox: [outboxMessage(job(refundPayment, { userId, orderId, attempt: next }), nowMs, trace)],
    };
  },
});

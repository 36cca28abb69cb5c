import { retryDeclinedAtMs } from '#shared/domain/key-horizon.ts';
import { captureOperation, type Order, orderSchema, refundOperation } from '#shared/domain/order.ts';
import { type ItemImage, operationRecord } from '#shared/item/attributes.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { refundPayment } from '#shared/jobs/refund-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { job } from '#shared/worker/define-job.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import type { FollowUp, ImpliedJob, ImpliedWork, ScheduledAttempt } from './implied-work.ts';
import { makeJob } from './make-job.ts';
import { isFinished, unfinishedOperations } from './unfinished.ts';

/**
 * What an order calls for. Derived from its status and its operations, never from a leftover outbox: that one may have been
 * carried out, and it is not there any more when the stream's record of it was lost behind a later claim.
 *
 * @throws when the item is no order
 */
export function orderWork(image: ItemImage, keyHorizonMs: number): ImpliedWork {
  const order = orderSchema.parse(image);
  const operations = new Set([...unfinishedOperations(image), ...dueByStatus(order).filter((operation) => !isFinished(image, operation))]);
  return {
    jobs: [...operations].flatMap((operation) => jobOf(operation, order)),
    followUps: receipts(image, order),
    scheduledAttempt: scheduledAttempt(image, order, keyHorizonMs),
  };
}

function dueByStatus({ status, attempt, refundAttempt = 1 }: Order): string[] {
  if (status === 'pending_payment') return [captureOperation(attempt)];
  return status === 'refund_pending' ? [refundOperation(refundAttempt)] : [];
}

/** `enqueuedAt` is when the intent was written, as in the first message: what counts from there is not put off by a rescue. */
function jobOf(operation: string, order: Order): ImpliedJob[] {
  const { userId, orderId, createdAtMs, intentAtMs, refundAtMs } = order;
  const [, name, number] = /^(capture|refund):([1-9]\d*)$/.exec(operation) ?? [];
  const attempt = Number(number);
  if (name === 'refund') return [makeJob(job(refundPayment, { userId, orderId, attempt }), refundAtMs ?? intentAtMs)];
  return name === 'capture'
    ? [makeJob(job(capturePayment, { userId, orderId, attempt }), attempt === order.attempt ? intentAtMs : createdAtMs)]
    : [];
}

/** Every completed capture has its receipt, whatever came after it. */
const receipts = (image: ItemImage, { userId, orderId, amountMinor, currency }: Order): FollowUp[] =>
  Object.keys(image).flatMap((name) => {
    const [, number] = /^op:capture:([1-9]\d*)$/.exec(name) ?? [];
    if (number === undefined) return [];
    const attempt = Number(number);
    const record = operationRecord(image, captureOperation(attempt));
    const captureId = record?.status === 'completed' ? (record.result as { captureId?: string } | undefined)?.captureId : undefined;
    if (record === undefined || captureId === undefined) return [];
    const payload = { userId, orderId, attempt, amountMinor, currency, captureId };
    return [{ job: makeJob(job(sendReceipt, payload), record.atMs), ownItem: targetOf(sendReceipt, payload).key, sinceMs: record.atMs }];
  });

/** Counted from the decline's own record; the overdue mark is only its alarm clock. */
function scheduledAttempt(
  image: ItemImage,
  { userId, orderId, status, attempt, retryDeclined }: Order,
  keyHorizonMs: number,
): ScheduledAttempt | undefined {
  const declined = operationRecord(image, captureOperation(attempt));
  if (status !== 'payment_declined' || retryDeclined !== true || declined?.status !== 'completed') return undefined;
  return { userId, orderId, attempt, atMs: retryDeclinedAtMs(declined.atMs, keyHorizonMs) };
}

import * as z from 'zod';
import { orderId, positiveInteger, shortString, userId } from '#shared/contract/identifiers.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { captureKey, type Order, orderSchema } from '#shared/domain/order.ts';
import type { Captured } from '#shared/payments/payment-port.ts';
import { defineJob, job, type RunInput } from '#shared/worker/define-job.ts';
import { type Decision, declined, done, obsolete, PermanentError } from '#shared/worker/outcome.ts';
import { sendReceipt } from './send-receipt.ts';

const payload = z.strictObject({ userId, orderId, attempt: positiveInteger });
const result = z.strictObject({ captureId: shortString.optional(), declineReason: shortString.optional(), obsolete: shortString.optional() });
type CaptureResult = z.infer<typeof result>;

/** Charges the order's current payment intent once and marks the order paid, or declined when the provider says so. */
export const capturePayment = defineJob({
  kind: 'capture-payment',
  version: 1,
  payload,
  key: ({ userId, orderId, attempt }) => captureKey(userId, orderId, attempt),
  item: ({ userId, orderId }) => orderItemKey(userId, orderId),
  operation: ({ attempt }) => `capture:${attempt}`,
  intent: ({ attempt }) => ({ attempt }),
  guard: { attribute: 'status', equals: 'pending_payment' },
  timing: { p99Ms: 2_000, dependencyTimeoutMs: 10_000, marginMs: 3_000 },
  queue: { batchSize: 10, maxConcurrency: 20 },
  dependency: 'payment-provider',
  result,
  async run(input): Promise<Decision<CaptureResult>> {
    const order = readOrder(input.item);
    if (order.attempt < input.payload.attempt) throw new PermanentError('attempt-not-opened');
    if (order.attempt > input.payload.attempt) return obsolete({ obsolete: 'older-attempt' });
    if (order.status !== 'pending_payment') return obsolete({ obsolete: order.status });
    return settleWithProvider(order, input);
  },
});

async function settleWithProvider(order: Order, input: RunInput<unknown>): Promise<Decision<CaptureResult>> {
  const call = { timeoutMs: input.dependencyTimeoutMs };
  const { payments } = input.ports;
  if (input.mayHaveBeenSent) {
    const found = await payments.find({ paymentIntentId: order.paymentIntentId }, call);
    if (found.status === 'captured') return paid(order, found);
    if (found.status === 'refunded') throw new PermanentError('refunded-at-provider');
  }
  const answer = await payments.capture(
    {
      idempotencyKey: input.key,
      paymentIntentId: order.paymentIntentId,
      reference: `${order.userId}/${order.orderId}`,
      amountMinor: order.amountMinor,
      currency: order.currency,
    },
    call,
  );
  if (answer.status === 'captured') return paid(order, answer);
  return declined({ declineReason: answer.reason }, { set: { status: 'payment_declined', declineReason: answer.reason } });
}

function paid(order: Order, captured: Captured): Decision<CaptureResult> {
  const { captureId } = captured;
  // A charge of another amount is for a person to judge; the letter says so and nothing is called again.
  if (captured.amountMinor !== order.amountMinor || captured.currency !== order.currency) throw new PermanentError('captured-amount-differs');
  const { userId, orderId, attempt, amountMinor, currency } = order;
  return done({ captureId }, { set: { status: 'paid', captureId } }, { enqueue: [job(sendReceipt, { userId, orderId, attempt, amountMinor, currency, captureId })] });
}

function readOrder(item: Readonly<Record<string, unknown>>): Order {
  const parsed = orderSchema.safeParse(item);
  if (!parsed.success) throw new PermanentError('order-unreadable');
  return parsed.data;
}

import * as z from 'zod';
import { orderId, positiveInteger, shortString, userId } from '#shared/contract/identifiers.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { captureKey, type Order, orderSchema } from '#shared/domain/order.ts';
import type { Captured, CaptureRequest } from '#shared/payments/payment-port.ts';
import { defineJob, job, type RunInput } from '#shared/worker/define-job.ts';
import { type Decision, declined, done, obsolete, PermanentError } from '#shared/worker/outcome.ts';
import { sendReceipt } from './send-receipt.ts';

const capturePayload = z.strictObject({ userId, orderId, attempt: positiveInteger });
const result = z.strictObject({ captureId: shortString.optional(), declineReason: shortString.optional(), obsolete: shortString.optional() });
type CaptureResult = z.infer<typeof result>;

/** Charges the order's current payment intent once and marks the order paid, or declined when the provider says so. */
export const capturePayment = defineJob({
  kind: 'capture-payment',
  version: 1,
  payload: capturePayload,
  key: ({ userId, orderId, attempt }) => captureKey(userId, orderId, attempt),
  item: ({ userId, orderId }) => orderItemKey(userId, orderId),
  operation: ({ attempt }) => `capture:${attempt}`,
  intent: ({ attempt }) => ({ attempt }),
  guard: { attribute: 'status', equals: 'pending_payment' },
  timing: { p99Ms: 2_000, dependencyTimeoutMs: 10_000, marginMs: 3_000 },
  queue: { batchSize: 10, maxConcurrency: 20 },
  dependency: 'payment-provider',
  result,
  async ask(input) {
    const current = currentIntent(input);
    if ('answer' in current) return current;
    const found = await input.ports.payments.find({ paymentIntentId: current.paymentIntentId }, { timeoutMs: input.dependencyTimeoutMs });
    if (found.status === 'captured') return paid(current, found);
    if (found.status === 'refunded') throw new PermanentError('refunded-at-provider');
    return undefined;
  },
  async run(input) {
    const current = currentIntent(input);
    if ('answer' in current) return current;
    const answer = await input.ports.payments.capture(captureRequest(current, input.key), { timeoutMs: input.dependencyTimeoutMs });
    if (answer.status === 'captured') return paid(current, answer);
    return declined({ declineReason: answer.reason }, { set: { status: 'payment_declined', declineReason: answer.reason } });
  },
});

/** The order whose current intent this job is, or the decision that the job no longer matters. */
function currentIntent({ item, payload }: RunInput<z.infer<typeof capturePayload>>): Order | Decision<CaptureResult> {
  const order = readOrder(item);
  if (order.attempt < payload.attempt) throw new PermanentError('attempt-not-opened');
  if (order.attempt > payload.attempt) return obsolete({ obsolete: 'older-attempt' });
  if (order.status !== 'pending_payment') return obsolete({ obsolete: order.status });
  return order;
}

const captureRequest = (order: Order, idempotencyKey: string): CaptureRequest => ({
  idempotencyKey,
  paymentIntentId: order.paymentIntentId,
  reference: `${order.userId}/${order.orderId}`,
  amountMinor: order.amountMinor,
  currency: order.currency,
});

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

import * as z from 'zod';
import { orderId, positiveInteger, shortString, userId } from '#shared/contract/identifiers.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { lastCallAtMs, retryDeclinedAtMs } from '#shared/domain/key-horizon.ts';
import { captureKey, captureOperation, type Order } from '#shared/domain/order.ts';
import type { Captured, CaptureRequest, FindAnswer } from '#shared/payments/payment-port.ts';
import { defineJob, job, type RunInput } from '#shared/worker/define-job.ts';
import { type Decision, declined, done, obsolete, PermanentError, RetryableError } from '#shared/worker/outcome.ts';
import { readOrder } from './read-order.ts';
import { sendReceipt } from './send-receipt.ts';

const capturePayload = z
  .strictObject({ userId, orderId, attempt: positiveInteger })
  .meta({ examples: [{ userId: 'u-1', orderId: 'ord-1', attempt: 1 }] });
const result = z.strictObject({
  captureId: shortString.optional(),
  declineReason: shortString.optional(),
  obsolete: shortString.optional(),
});
type CaptureResult = z.infer<typeof result>;

/** Charges the order's current payment intent once and marks the order paid, or declined when the provider says so. */
export const capturePayment = defineJob({
  kind: 'capture-payment',
  version: 1,
  payload: capturePayload,
  key: ({ userId, orderId, attempt }) => captureKey(userId, orderId, attempt),
  item: ({ userId, orderId }) => orderItemKey(userId, orderId),
  operation: ({ attempt }) => captureOperation(attempt),
  current: ({ attempt }) => ({ attribute: 'attempt', value: attempt }),
  intent: ({ attempt }) => ({ attempt }),
  intentAtMs: ({ intentAtMs }) => (typeof intentAtMs === 'number' ? intentAtMs : undefined),
  guard: { attribute: 'status', equals: 'pending_payment' },
  timing: { p99Ms: 2_000, dependencyTimeoutMs: 10_000, marginMs: 3_000 },
  queue: { batchSize: 10, maxConcurrency: 20 },
  dependency: 'payment-provider',
  result,
  asksAtOnce: ({ attempt }) => attempt > 1,
  async ask(input) {
    const current = currentIntent(input);
    if ('answer' in current) return current;
    const found = await input.ports.payments.find({ paymentIntentId: current.paymentIntentId }, { timeoutMs: input.dependencyTimeoutMs });
    if (found.status === 'not-captured') return isPastHorizon(current, input) ? closeIntent(current, input) : undefined;
    return decideOn(found, current, input);
  },
  async run(input) {
    const current = currentIntent(input);
    if ('answer' in current) return current;
    if (isPastHorizon(current, input)) return closeIntent(current, input);
    const answer = await input.ports.payments.capture(captureRequest(current, input.key), { timeoutMs: input.dependencyTimeoutMs });
    if (answer.status === 'captured') return paid(current, answer);
    return declinedFor(answer.reason, current, input);
  },
});

/** Counted from when the intent was written on the order, so that neither a replay nor a restored table can hide it. */
const isPastHorizon = ({ intentAtMs }: Order, { nowMs, keyHorizonMs }: RunInput<unknown>): boolean =>
  nowMs >= lastCallAtMs(intentAtMs, keyHorizonMs);

/** The provider is about to forget the key, so the intent is closed there first: no late call can charge an order that is declined. */
async function closeIntent(order: Order, input: RunInput<unknown>): Promise<Decision<CaptureResult>> {
  const request = { paymentIntentId: order.paymentIntentId, idempotencyKey: `void:${input.key}` };
  return decideOn(await input.ports.payments.void(request, { timeoutMs: input.dependencyTimeoutMs }), order, input);
}

function decideOn(found: FindAnswer, order: Order, input: RunInput<unknown>): Decision<CaptureResult> {
  if (found.status === 'captured') return paid(order, found);
  if (found.status === 'refunded') throw new PermanentError('refunded-at-provider', { answered: true });
  if (found.status === 'not-captured') throw new RetryableError('intent-still-open', { sent: 'no' });
  return declinedFor('expired', order, input);
}

/** A declined order that asked for it opens its next payment attempt by itself, later (shared/rescue/order-work.ts). */
function declinedFor(reason: string, { retryDeclined }: Order, { nowMs, keyHorizonMs }: RunInput<unknown>): Decision<CaptureResult> {
  const wakeAtMs = retryDeclined === true ? retryDeclinedAtMs(nowMs, keyHorizonMs) : undefined;
  return declined({ declineReason: reason }, { set: { status: 'payment_declined', declineReason: reason } }, { wakeAtMs });
}

/** The order whose current intent this job is, or the decision that the job no longer matters. */
function currentIntent({ item }: RunInput<unknown>): Order | Decision<CaptureResult> {
  const order = readOrder(item);
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
  if (captured.amountMinor !== order.amountMinor || captured.currency !== order.currency)
    throw new PermanentError('captured-amount-differs', { answered: true });
  const { userId, orderId, attempt, amountMinor, currency } = order;
  return done(
    { captureId },
    { set: { status: 'paid', captureId } },
    { enqueue: [job(sendReceipt, { userId, orderId, attempt, amountMinor, currency, captureId })] },
  );
}

import * as z from 'zod';
import { orderId, positiveInteger, shortString, userId } from '#shared/contract/identifiers.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { forgottenAtMs, lastCallAtMs } from '#shared/domain/key-horizon.ts';
import { type Order, refundKey, refundOperation } from '#shared/domain/order.ts';
import { defineJob, type RunInput } from '#shared/worker/define-job.ts';
import { type Decision, Deferral, declined, done, obsolete, PermanentError, RetryableError } from '#shared/worker/outcome.ts';
import { readOrder } from './read-order.ts';

const refundPayload = z
  .strictObject({ userId, orderId, attempt: positiveInteger })
  .meta({ examples: [{ userId: 'u-1', orderId: 'ord-1', attempt: 1 }] });
const result = z.strictObject({
  refundId: shortString.optional(),
  declineReason: shortString.optional(),
  obsolete: shortString.optional(),
});
type RefundResult = z.infer<typeof result>;

/** Gives a paid order's money back. It works on the order's own item, so it and a capture exclude each other. */
export const refundPayment = defineJob({
  kind: 'refund-payment',
  version: 1,
  payload: refundPayload,
  key: ({ userId, orderId, attempt }) => refundKey(userId, orderId, attempt),
  item: ({ userId, orderId }) => orderItemKey(userId, orderId),
  operation: ({ attempt }) => refundOperation(attempt),
  current: ({ attempt }) => ({ attribute: 'refundAttempt', value: attempt }),
  intent: ({ attempt }) => ({ attempt }),
  intentAtMs: ({ refundAtMs }) => (typeof refundAtMs === 'number' ? refundAtMs : undefined),
  guard: { attribute: 'status', equals: 'refund_pending' },
  timing: { p99Ms: 2_000, dependencyTimeoutMs: 10_000, marginMs: 3_000 },
  queue: { batchSize: 10, maxConcurrency: 5 },
  dependency: 'payment-provider',
  result,
  asksAtOnce: () => true,
  async ask(input) {
    const order = currentRefund(input);
    if ('answer' in order) return order;
    return findRefund(order, input);
  },
  async run(input) {
    const order = currentRefund(input);
    if ('answer' in order) return order;
    const known = isPastHorizon(order, input) ? await findRefund(order, input) : undefined;
    if (known !== undefined) return known;
    const { paymentIntentId, amountMinor, currency } = order;
    const request = { idempotencyKey: input.key, paymentIntentId, amountMinor, currency };
    const answer = await input.ports.payments.refund(request, { timeoutMs: input.dependencyTimeoutMs });
    if (answer.status === 'refunded') return refunded(answer.refundId);
    return refused(answer.reason);
  },
});

/** What became of it, or undefined while the provider may still be called for it. */
async function findRefund(order: Order, input: RunInput<unknown>): Promise<Decision<RefundResult> | undefined> {
  const found = await input.ports.payments.find({ paymentIntentId: order.paymentIntentId }, { timeoutMs: input.dependencyTimeoutMs });
  if (found.status === 'refunded') return refunded(found.refundId);
  if (found.status !== 'captured') throw new PermanentError('nothing-captured-at-provider', { answered: true });
  return isPastHorizon(order, input) ? expired(order, input) : undefined;
}

/** Counted from when the refund was asked for; orders of before that time was kept count from their payment. */
const intentOf = ({ refundAtMs, intentAtMs }: Order): number => refundAtMs ?? intentAtMs;

const isPastHorizon = (order: Order, { nowMs, keyHorizonMs }: RunInput<unknown>): boolean =>
  nowMs >= lastCallAtMs(intentOf(order), keyHorizonMs);

/**
 * A refund cannot be closed at the provider as a payment can. So between the last call and the horizon it is only asked about;
 * what has not arrived by then never will, the order is paid again and a new refund may be asked for, under a new key.
 */
function expired(order: Order, { nowMs, keyHorizonMs }: RunInput<unknown>): Decision<RefundResult> {
  const waitMs = forgottenAtMs(intentOf(order), keyHorizonMs) - nowMs;
  if (waitMs > 0) throw new Deferral('refund-about-to-expire', { retryAfterMs: waitMs });
  return refused('expired');
}

const refused = (reason: string): Decision<RefundResult> =>
  declined({ declineReason: reason }, { set: { status: 'paid', refundDeclineReason: reason } });

const refunded = (refundId: string): Decision<RefundResult> => done({ refundId }, { set: { status: 'refunded', refundId } });

/** The order this refund was asked for, or the decision that it no longer matters. */
function currentRefund({ item }: RunInput<unknown>): Order | Decision<RefundResult> {
  const order = readOrder(item);
  if (order.status === 'pending_payment') throw new RetryableError('capture-not-finished', { sent: 'no' });
  if (order.status !== 'refund_pending') return obsolete({ obsolete: order.status });
  return order;
}

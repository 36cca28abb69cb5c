import { orderItemKey } from '#shared/contract/item-keys.ts';
import { newOrder, orderIdOf } from '#shared/domain/create-order.ts';
import { type OrderView, orderSchema, orderView } from '#shared/domain/order.ts';
import { intentHash } from '#shared/idempotency/intent-hash.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import type { OrderRequest } from './read-request.ts';

export type Accepted = { readonly kind: 'new' | 'repeated'; readonly order: OrderView } | { readonly kind: 'key-reused' };

interface World {
  readonly store: ItemStore;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
}

/**
 * Creates the order and the job that charges it in one write.
 *
 * @throws when the table gave no answer: the order may or may not exist, and the same request finds out
 */
export async function acceptOrder(
  { userId, idempotencyKey, body, trace }: OrderRequest,
  { store, clock, random }: World,
): Promise<Accepted> {
  const nowMs = clock.nowMs();
  const order = newOrder(userId, orderIdOf(userId, idempotencyKey), body, nowMs);
  const { orderId, attempt } = order;
  const requestHash = intentHash(body);
  const acceptToken = random.token();
  const outbox = [outboxMessage(job(capturePayment, { userId, orderId, attempt }), nowMs, trace)];
  const { version: _, ...attributes } = order;
  const answer = await store.write(acceptWrite(orderItemKey(userId, orderId), { ...attributes, requestHash, acceptToken }, outbox, nowMs));
  if (answer.accepted) return { kind: 'new', order: orderView(order) };
  const stored = answer.old ?? {};
  // The SDK repeated our own write after its answer was lost: this request did create the order.
  if (stored.acceptToken === acceptToken) return { kind: 'new', order: orderView(order) };
  if (stored.requestHash !== requestHash) return { kind: 'key-reused' };
  return { kind: 'repeated', order: orderView(orderSchema.parse(stored)) };
}

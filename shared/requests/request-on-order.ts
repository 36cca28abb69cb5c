import { createHash } from 'node:crypto';
import type { ItemKey } from '#shared/contract/item-keys.ts';
import { MAX_OPERATIONS_PER_ORDER } from '#shared/contract/limits.ts';
import { type Order, type OrderStatus, type OrderView, orderSchema, orderView } from '#shared/domain/order.ts';
import { type ItemImage, requestAttribute } from '#shared/item/attributes.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { type BusinessRequest, requestWrite } from '#shared/item/request.ts';

/** What a customer may ask of an order: pay again, refund. */
export interface Wish {
  /** Part of the request's identity: one Idempotency-Key used for two wishes is two requests. */
  readonly name: string;
  readonly fromStatus: OrderStatus;
  /** The write this wish makes of the order as it was read. */
  readonly write: (order: Order) => Pick<BusinessRequest, 'at' | 'set' | 'remove' | 'opens' | 'captureOperation' | 'outbox'>;
}

export type RequestAnswer =
  | { readonly kind: 'new' | 'repeated'; readonly order: OrderView }
  | { readonly kind: 'not-found' }
  /** Held by a job, or a charge may be out: the same request again a little later. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'wrong-status'; readonly status: OrderStatus }
  | { readonly kind: 'too-many-requests' };

interface World {
  readonly store: ItemStore;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
}

const requestIdOf = (wish: string, idempotencyKey: string): string =>
  createHash('sha256').update(wish).update('\0').update(idempotencyKey).digest('base64url').slice(0, 12);

/**
 * One strongly consistent read to learn what the wish means, one conditional write that takes it. Repeating it with the same key
 * finds the first one's mark on the order.
 *
 * @throws when the table gave no answer: the same request finds out
 */
export async function requestOnOrder(
  key: ItemKey,
  idempotencyKey: string,
  wish: Wish,
  { store, clock, random }: World,
): Promise<RequestAnswer> {
  const requestId = requestIdOf(wish.name, idempotencyKey);
  const token = random.token();
  const image = await store.read(key);
  if (image === undefined) return { kind: 'not-found' };
  const order = orderSchema.parse(image);
  if (image[requestAttribute(requestId)] !== undefined) return { kind: 'repeated', order: orderView(order) };
  if (order.status !== wish.fromStatus) return outOfTurn(order.status, wish);
  const answer = await store.write(
    requestWrite({ key, requestId, token, fromStatus: wish.fromStatus, nowMs: clock.nowMs(), ...wish.write(order) }),
  );
  if (answer.accepted) return { kind: 'new', order: orderView(orderSchema.parse(answer.image)) };
  return answer.old === undefined ? { kind: 'not-found' } : readRefusal(answer.old, requestAttribute(requestId), token, wish);
}

function readRefusal(old: ItemImage, attribute: string, token: string, wish: Wish): RequestAnswer {
  const order = orderSchema.parse(old);
  if (old[attribute] !== undefined) return { kind: old[attribute] === token ? 'new' : 'repeated', order: orderView(order) };
  if (typeof old.requests === 'number' && old.requests >= MAX_OPERATIONS_PER_ORDER - 1) return { kind: 'too-many-requests' };
  return order.status === wish.fromStatus ? { kind: 'busy' } : outOfTurn(order.status, wish);
}

/** While a charge is under way the order may yet become what the wish needs: the same request later, not a no. */
const outOfTurn = (status: OrderStatus, { fromStatus }: Wish): RequestAnswer =>
  status === 'pending_payment' && fromStatus === 'paid' ? { kind: 'busy' } : { kind: 'wrong-status', status };

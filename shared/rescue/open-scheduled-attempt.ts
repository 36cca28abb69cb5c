import { orderItemKey } from '#shared/contract/item-keys.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { type RequestAnswer, requestOnOrder } from '#shared/requests/request-on-order.ts';
import { payAgain } from '#shared/requests/wishes.ts';
import type { ScheduledAttempt } from './implied-work.ts';

interface World {
  readonly store: ItemStore;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
}

/** The same request a customer would make, under a key of its own: however often it is made, one attempt is opened. */
export const openScheduledAttempt = ({ userId, orderId, attempt }: ScheduledAttempt, world: World): Promise<RequestAnswer> =>
  requestOnOrder(orderItemKey(userId, orderId), `${attempt}`, payAgain(world.clock.nowMs(), undefined, 'scheduled-payment-attempt'), world);

import { orderEnds } from '../order-ends.ts';
import type { Scenario } from '../scenario.ts';
import { broken, kept } from '../verdict.ts';
import { nameOf, order } from '../world.ts';

export const decline: Scenario = {
  title: 'A declined card',
  promise: 'a decline is an answer, not a failure',
  async run(world) {
    const made = await order(world, {
      key: 'decline',
      shows: 'card declined',
      fault: 'decline',
      ends: 'payment_declined',
    });
    const item = await orderEnds(world, made);
    const seen = `${String(item['status'])}, reason ${String(item['declineReason'])}`;
    return item['status'] === 'payment_declined' ? kept(this.promise, seen) : broken(this.promise, seen, [nameOf(made)]);
  },
};

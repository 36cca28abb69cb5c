import { orderEnds } from '../order-ends.ts';
import { listed, providerCalls } from '../provider-calls.ts';
import type { Scenario } from '../scenario.ts';
import { broken, kept } from '../verdict.ts';
import { nameOf, order, sendCopies } from '../world.ts';

export const tripleDelivery: Scenario = {
  title: 'One message delivered three times at once, and once more later',
  promise: 'copies of a message do nothing',
  async run(world) {
    const made = await order(world, { key: 'copies', shows: 'message delivered four times' });
    await sendCopies(world, made, 2);
    await orderEnds(world, made);
    await sendCopies(world, made, 1);
    const calls = await providerCalls(world, made);
    return calls.askedFirst
      ? kept(this.promise, `four deliveries; ${listed(calls)}`)
      : broken(this.promise, `${calls.captures} charging calls without a question between; ${listed(calls)}`, [nameOf(made)]);
  },
};

import { orderEnds } from '../order-ends.ts';
import { listed, providerCalls } from '../provider-calls.ts';
import type { Scenario } from '../scenario.ts';
import { broken, kept } from '../verdict.ts';
import { nameOf, order } from '../world.ts';

export const chargedButTimeout: Scenario = {
  title: 'The provider charges, but its answer is lost',
  promise: 'a lost answer is asked for, not charged again',
  async run(world) {
    const made = await order(world, {
      key: 'lost-answer',
      shows: 'charged, answer lost',
      fault: 'chargedButTimeout',
    });
    await orderEnds(world, made);
    const calls = await providerCalls(world, made);
    const asked = calls.askedFirst && calls.operations.includes('find');
    return asked ? kept(this.promise, listed(calls)) : broken(this.promise, listed(calls), [nameOf(made)]);
  },
};

export const notCharged: Scenario = {
  title: 'The provider times out and has not charged; it is down for a moment',
  promise: 'a provider in trouble delays a payment, no more',
  async run(world) {
    const made = await Promise.all([
      order(world, { key: 'no-answer', shows: 'timeout, not charged', fault: 'notChargedTimeout' }),
      order(world, { key: 'down-once', shows: 'provider down once', fault: 'unavailableOnce' }),
    ]);
    await Promise.all(made.map((one) => orderEnds(world, one)));
    return kept(this.promise, `${made.length} orders paid at a later attempt`);
  },
};

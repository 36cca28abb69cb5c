import type { Scenario } from '../scenario.ts';
import { broken, kept } from '../verdict.ts';
import { nameOf, order } from '../world.ts';

const KEY = 'same-post';

export const samePost: Scenario = {
  title: 'The same POST three times at once',
  promise: 'a repeated POST is one order',
  async run(world) {
    const wish = { key: KEY, shows: 'same POST three times' };
    const answers = await Promise.all([order(world, wish), order(world, wish), order(world, wish)] as const);
    const [first] = answers;
    const accepted = answers.filter(({ status }) => status === 202).length;
    const ids = new Set(answers.map(({ orderId }) => orderId));
    if (accepted !== 1 || ids.size !== 1)
      return broken(
        this.promise,
        `${accepted} of 3 were answered 202, with ${ids.size} order ids`,
        [...ids].map((orderId) => nameOf({ ...first, orderId })),
      );

    const other = await world.api.create({
      userId: first.userId,
      idempotencyKey: `${world.runId}-${KEY}`,
      amountMinor: 99,
      currency: 'EUR',
    });
    if (other.status !== 422)
      return broken(this.promise, `the same key with another amount was answered ${other.status}, not 422`, [nameOf(first)]);
    return kept(this.promise, 'one 202, two 200 with the same order; the same key with another amount: 422');
  },
};

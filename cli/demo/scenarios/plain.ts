import { orderEnds } from '../order-ends.ts';
import type { Scenario } from '../scenario.ts';
import { kept } from '../verdict.ts';
import { order } from '../world.ts';

const CURRENCIES = [
  ['EUR', 1_250],
  ['IDR', 19_900_000],
  ['JPY', 4_200],
] as const;

export const plain: Scenario = {
  title: 'Plain orders',
  promise: 'an order is taken at once and paid soon after',
  async run(world) {
    const made = await Promise.all(
      CURRENCIES.map(([currency, amountMinor], index) =>
        order(world, { key: `plain-${index}`, shows: `plain order in ${currency}`, currency, amountMinor }),
      ),
    );
    const started = Date.now();
    await Promise.all(made.map((one) => orderEnds(world, one)));
    return kept(this.promise, `${made.length} orders paid within ${((Date.now() - started) / 1000).toFixed(1)} s`);
  },
};

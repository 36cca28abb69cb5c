// Time and chance belong to the simulator before anything else is loaded.
import { real } from '../../test/simulation/kernel/virtual-globals.ts';
import { type RunOptions, run } from '../../test/simulation/run.ts';
import { oneOrder } from '../../test/simulation/scenario/one-order.ts';

const [story = '', count = '0'] = process.argv.slice(2);
const options = (seed: number): RunOptions => (story === 'one-order' ? { seed, story: oneOrder } : { seed });

// A campaign is thousands of runs; what the first ones take to load and compile is nothing in it.
const WARM_UP = 60;
for (let seed = 1; seed <= WARM_UP; seed++) await run(options(seed));
const startedMs = real.performanceNow();
for (let seed = 1; seed <= Number(count); seed++) {
  const { violations } = await run(options(seed));
  if (violations.length > 0) throw new Error(`seed ${seed} broke ${violations[0]?.invariant}`);
}
process.stdout.write(`${Number(count) / ((real.performanceNow() - startedMs) / 1_000)}\n`);

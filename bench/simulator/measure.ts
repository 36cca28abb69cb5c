// Time and chance belong to the simulator before anything else is loaded.
import { real } from '../../test/simulation/kernel/virtual-globals.ts';
import { type RunOptions, run } from '../../test/simulation/run.ts';
import { oneOrder } from '../../test/simulation/scenario/one-order.ts';

const [story = '', count = '0'] = process.argv.slice(2);
const options = (seed: number): RunOptions => (story === 'one-order' ? { seed, story: oneOrder } : { seed });

// The first runs load and compile what the later ones find.
for (let seed = 1; seed <= 3; seed++) await run(options(seed));
const startedMs = real.performanceNow();
for (let seed = 1; seed <= Number(count); seed++) {
  const { violations } = await run(options(seed));
  if (violations.length > 0) throw new Error(`seed ${seed} broke ${violations[0]?.invariant}`);
}
process.stdout.write(`${Number(count) / ((real.performanceNow() - startedMs) / 1_000)}\n`);

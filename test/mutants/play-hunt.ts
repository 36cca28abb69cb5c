import '../simulation/kernel/virtual-globals.ts';
import type { Invariant } from '../simulation/invariant.ts';
import { invariants } from '../simulation/invariants/index.ts';
import { retrySpreadFault } from '../simulation/invariants/retry-spread.ts';
import { type RunOptions, run } from '../simulation/run.ts';
import { storyNamed } from '../simulation/scenario/stories.ts';
import type { SimulatedHunt } from './mutant.ts';
import { directedNamed, isDirected } from './stories/all.ts';

export interface Kill {
  readonly killer: string;
  readonly how: string;
  readonly seed: number;
}

/** What became of a hunt; without a kill the mutant survives it. */
export interface Hunted {
  readonly kill: Kill | undefined;
  /** The first that others noticed. */
  readonly unexpected: Kill | undefined;
  readonly runs: number;
}

/** The waits of all retries are promised by the same invariant as each single wait. */
const SPREAD = 'S17';

/** @param expected the ids of those that must notice; what others notice is only noted, and does not end a run */
export async function playHunt(hunt: SimulatedHunt, expected: readonly string[]): Promise<Hunted> {
  const { seeds, from = 1, bySpread = false } = hunt;
  const situations: Record<string, number> = {};
  let unexpected: Kill | undefined;
  for (let seed = from; seed < from + seeds; seed++) {
    const others: Kill[] = [];
    const note = (killer: string, how: string): void => void others.push({ killer, how, seed });
    const result = await run(optionsOf(hunt, seed, (one) => (expected.includes(one.id) ? one : noting(one, note))));
    for (const [situation, count] of Object.entries(result.situations)) situations[situation] = (situations[situation] ?? 0) + count;
    const [first] = result.violations;
    const kill =
      first === undefined ? (bySpread ? spreadOf(situations, seed) : undefined) : { killer: first.invariant, how: first.how, seed };
    unexpected ??= others[0];
    if (kill !== undefined) return { kill, unexpected, runs: seed - from + 1 };
  }
  return { kill: undefined, unexpected, runs: seeds };
}

const noting = (one: Invariant, note: (id: string, how: string) => void): Invariant => ({
  ...one,
  watch: (simulation) => one.watch(simulation, (how) => note(one.id, how)),
});

function optionsOf({ story, rate, skew }: SimulatedHunt, seed: number, adapted: (one: Invariant) => Invariant): RunOptions {
  const common = { seed, stopAtFirst: true };
  const judges = invariants.map(adapted);
  if (!isDirected(story)) return { ...common, ...storyNamed(story), rate, invariants: judges, ...(skew === undefined ? {} : { skew }) };
  const { story: told, watching = [] } = directedNamed(story);
  return { ...common, story: told, rate: rate ?? 0, skew: skew ?? false, invariants: [...judges, ...watching.map(adapted)] };
}

function spreadOf(situations: Readonly<Record<string, number>>, seed: number): Kill | undefined {
  const how = retrySpreadFault(situations);
  return how === undefined ? undefined : { killer: SPREAD, how, seed };
}

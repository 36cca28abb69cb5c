import type { StoryName } from '../simulation/scenario/stories.ts';
import type { DirectedName } from './stories/all.ts';

/** One edit of one file, in memory only. */
export interface Edit {
  /** From the project's root. */
  readonly file: string;
  /** Text that occurs exactly once in the file. */
  readonly from: string;
  readonly to: string;
}

/** Seeds of a story in which a mutant is looked for. */
export interface SimulatedHunt {
  readonly by: 'simulation';
  readonly story: StoryName | DirectedName;
  readonly seeds: number;
  /** The first seed; 1 when left out. */
  readonly from?: number;
  /** Share of the points where something goes wrong; left out: each seed's own weather, and none in a directed story. */
  readonly rate?: number;
  /** Clocks that are up to five minutes wrong; left out: in the seeds' own weather, and not in a directed story. */
  readonly skew?: boolean;
  /** Judged by how the waits of all seeds together are spread, not by one run. */
  readonly bySpread?: true;
}

/** A suite that looks at what no run can show (templates). */
export interface SuiteHunt {
  readonly by: 'suite';
  readonly project: 'unit' | 'infra';
  readonly file: string;
}

export type Hunt = SimulatedHunt | SuiteHunt;

/** A way to build the pipeline wrong, which somebody has built somewhere. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly [Edit, ...Edit[]];
  /** Invariants any of which must notice; for a suite, words of the test's title. */
  readonly killers: readonly [string, ...string[]];
  readonly hunts?: readonly [Hunt, ...Hunt[]];
}

/** Small and quick first. */
export const USUAL_HUNTS: readonly [Hunt, ...Hunt[]] = [
  { by: 'simulation', story: 'one-order', seeds: 2, rate: 0 },
  { by: 'simulation', story: 'one of a batch fails', seeds: 1 },
  { by: 'simulation', story: 'many-users', seeds: 40 },
  { by: 'simulation', story: 'many-users', seeds: 60, rate: 0.3 },
];

/** A hunt in one directed story, without any other fault. */
export const directedHunt = (story: DirectedName, seeds = 3): SimulatedHunt => ({ by: 'simulation', story, seeds });

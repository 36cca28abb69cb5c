import type { Observer } from './observer.ts';
import type { Simulation } from './simulation.ts';

/** One promise, watched over a whole run by a checker of its own. */
export interface Invariant {
  /** As in docs/verification.md: S1, L4, … */
  readonly id: string;
  /** The promise in one sentence. */
  readonly promise: string;
  /** @param violate says that the promise is broken, and how; the first time counts */
  watch(simulation: Simulation, violate: (how: string) => void): Observer;
}

export interface Violation {
  readonly invariant: string;
  readonly how: string;
  readonly atMs: number;
}

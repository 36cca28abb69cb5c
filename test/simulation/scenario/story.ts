import type { System } from '#shared/runtime/system.ts';
import type { Process } from '../kernel/process.ts';
import type { Simulation } from '../simulation.ts';

/** Who does what in a run, and for how long things may go wrong. */
export interface Story {
  readonly name: string;
  /** Milliseconds; faults and disturbances end then. */
  readonly stormMs: number;
  /** Sets everybody going. */
  begin(simulation: Simulation): void;
  /** What a process gets to work with, where a story has processes that behave in a way of their own. */
  adaptSystem?(simulation: Simulation, system: System, process: Process): System;
  /** A planned fault may come at any point, also after the storm. */
  readonly keepsFaults?: boolean;
  /** What people do once everything has ended that ends by itself: an operator works off the dead letters. */
  settle?(simulation: Simulation, pass: (durationMs: number) => Promise<void>): Promise<void>;
}

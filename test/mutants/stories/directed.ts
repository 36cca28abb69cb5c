import type { Invariant } from '../../simulation/invariant.ts';
import type { Fault, FaultPlan, IoPoint } from '../../simulation/network/fault.ts';
import type { Story } from '../../simulation/scenario/story.ts';
import type { Simulation } from '../../simulation/simulation.ts';

/** A story in which one certain thing goes wrong: what takes thousands of drawn runs to come about happens in each of these. */
export interface Directed {
  readonly story: Story;
  /** Promises that can only be judged by who knows the story. */
  readonly watching?: readonly Invariant[];
}

export interface Telling {
  readonly stormMs: number;
  readonly keepsFaults?: boolean;
  readonly watching?: readonly Invariant[];
  begin(simulation: Simulation): void;
}

export const directed = (name: string, { watching = [], ...telling }: Telling): Directed => ({ story: { name, ...telling }, watching });

/** Strikes wherever `wanted` names a fault that is possible there. */
export const strikes = (wanted: (point: IoPoint) => Fault | undefined): FaultPlan => ({
  at(point, possible) {
    const fault = wanted(point);
    return fault === undefined ? undefined : possible.find((one) => one === fault);
  },
});

export const atTheProvider = ({ label }: IoPoint): boolean => label.endsWith(' at the provider');

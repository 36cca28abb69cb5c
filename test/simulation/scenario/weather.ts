import { createChance, seedFor } from '../kernel/chance.ts';
import {
  AWS_FAULTS,
  type Fault,
  type FaultPlan,
  type IoPoint,
  noFaults,
  PROCESS_FAULTS,
  PROVIDER_FAULTS,
  QUEUE_FAULTS,
  STREAM_FAULTS,
} from '../network/fault.ts';
import { OPERATOR } from './operator.ts';

/** How a run's faults are drawn. */
export interface Weather {
  /** Share of the points where something goes wrong. */
  readonly rate: number;
  /** How much likelier each fault is than another in this run; absent counts as 1. */
  readonly weights: Readonly<Partial<Record<Fault, number>>>;
  readonly untilMs: number;
}

/** Each name once: some faults can strike at several places. */
const ALL: readonly Fault[] = [
  ...new Set<Fault>([...AWS_FAULTS, ...PROVIDER_FAULTS, ...PROCESS_FAULTS, ...QUEUE_FAULTS, ...STREAM_FAULTS]),
];

/** Whoever is exposed to it even then: an operator's tool, for an hour in which nothing fails would prove little about it. */
const AFTER_THE_STORM = 0.03;

/** What still goes wrong once the storm is over: requests of an operator's tool, as the plan has it. */
export const operatorsWeather = (plan: FaultPlan): FaultPlan => ({
  at: (point, possible) => (isOperators(point) ? plan.at(point, possible) : undefined),
});
const isOperators = ({ label }: IoPoint): boolean => label.startsWith(`${OPERATOR} `);

/** Each run has weather of its own: some faults never, some often, so that rare mixtures are not averaged away. */
export function drawWeather(seed: number, { untilMs, rate }: { readonly untilMs: number; readonly rate?: number | undefined }): Weather {
  const chance = createChance(seedFor(seed, 'weather'));
  const drawn = chance.between(0.02, 0.2);
  return { rate: rate ?? drawn, weights: Object.fromEntries(ALL.map((fault) => [fault, chance.pick([0, 1, 1, 1, 5])])), untilMs };
}

/**
 * @param without ordinals of injected faults to leave out, for shrinking; each point's draw is its own, so that leaving one out
 * moves no other
 */
export function weatherPlan(seed: number, { rate, weights, untilMs }: Weather, without: ReadonlySet<number> = new Set()): FaultPlan {
  if (rate === 0) return noFaults;
  let struck = 0;
  return {
    at(point, possible) {
      if (point.atMs >= untilMs && !isOperators(point)) return undefined;
      const chance = createChance(seedFor(seed, `point ${point.index}`));
      if (!chance.happens(point.atMs < untilMs ? rate : Math.min(rate, AFTER_THE_STORM))) return undefined;
      const fault = chance.pickWeighted(Object.fromEntries(possible.map((name) => [name, weights[name] ?? 1])) as Record<string, number>);
      if (fault === undefined || without.has(struck++)) return undefined;
      return fault as (typeof possible)[number];
    },
  };
}

import { createChance, seedFor } from '../kernel/chance.ts';
import { START_MS } from '../kernel/virtual-globals.ts';
import { type FaultPlan, PROVIDER_FAULTS } from '../network/fault.ts';
import { drawWeather, weatherPlan } from '../scenario/weather.ts';

/** Of the calls to the provider in one run; drawn for each, so that some see one failure and others nothing else. */
const SHARE = { least: 0.2, most: 0.7 };

/**
 * The weather of all runs, and above it a provider that fails often: a run in which a single job calls a few times would meet an
 * answer that never comes once in a hundred.
 */
export function ownKindPlan(seed: number, stormMs: number): FaultPlan {
  const untilMs = START_MS + stormMs;
  const weather = weatherPlan(seed, drawWeather(seed, { untilMs }));
  const share = createChance(seedFor(seed, 'provider')).between(SHARE.least, SHARE.most);
  return {
    at(point, possible) {
      if (point.atMs < untilMs && point.label.endsWith(' at the provider')) {
        const chance = createChance(seedFor(seed, `provider at point ${point.index}`));
        if (chance.happens(share)) return chance.pick(possible.filter((fault) => (PROVIDER_FAULTS as readonly string[]).includes(fault)));
      }
      return weather.at(point, possible);
    },
  };
}

import type { Chance } from '../kernel/chance.ts';
import type { ProviderFault } from '../network/fault.ts';
import type { Simulation } from '../simulation.ts';
import { createOrder, keepAsking } from './api.ts';

const MINUTE_MS = 60_000;
/** Enough for one process to see failures in a row. */
const ORDERS = 6;
const WAYS: readonly ProviderFault[] = ['refused', 'dropped', 'unavailable', 'server-error'];

/** The provider is down for everybody, and orders keep coming in. */
export function beginOutage(simulation: Simulation, chance: Chance): void {
  const { world, faults } = simulation;
  const untilMs = world.nowMs + chance.between(2, 40) * MINUTE_MS;
  const how = chance.pick(WAYS);
  const { plan } = faults;
  simulation.happened('the provider is down for everybody');
  world.log(`the provider is down: ${how}`);
  faults.plan = {
    at(point, possible) {
      const isMet = point.atMs < untilMs && point.label.endsWith(' at the provider');
      const fault = isMet ? possible.find((one) => one === how) : undefined;
      return fault ?? plan.at(point, possible);
    },
  };
  for (let number = 1; number <= ORDERS; number++) {
    const request = createOrder('u-3', `outage-${number}`, { amountMinor: 2_000 + number, currency: 'EUR' });
    world.after(chance.between(0, 20_000), () => keepAsking(simulation, request));
  }
}

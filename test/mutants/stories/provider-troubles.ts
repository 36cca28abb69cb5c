import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import type { Fault } from '../../simulation/network/fault.ts';
import { pauseUntil } from './by-hand.ts';
import { HOUR_MS, MINUTE_MS, place, placeMany, SECOND_MS } from './customers.ts';
import { atTheProvider, type Directed, directed, strikes } from './directed.ts';

interface Outage {
  readonly orders: number;
  /** `refused`: known not to have been heard. `dropped`: nobody knows. */
  readonly fault: 'refused' | 'dropped';
  readonly lastsMs: number;
}

const outage = (name: string, { orders, fault, lastsMs }: Outage): Directed =>
  directed(name, {
    stormMs: lastsMs + 30 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + lastsMs;
      simulation.faults.plan = strikes((point) => (atTheProvider(point) && point.atMs < endsMs ? fault : undefined));
      placeMany(simulation, orders, 20 * SECOND_MS);
    },
  });

export const providerTroubles = {
  'provider away for three hours': outage('provider away for three hours', { orders: 3, fault: 'refused', lastsMs: 3 * HOUR_MS }),
  'provider away for minutes': outage('provider away for minutes', { orders: 12, fault: 'refused', lastsMs: 8 * MINUTE_MS }),
  'provider silent for an hour': outage('provider silent for an hour', { orders: 12, fault: 'dropped', lastsMs: HOUR_MS }),
  /** One call may have been heard, then none is, until the quiet hour before the keys' horizon: what is done then may only close. */
  'provider away for a day': directed('provider away for a day', {
    stormMs: 24 * HOUR_MS,
    begin(simulation) {
      const startedMs = simulation.world.nowMs;
      simulation.faults.plan = strikes((point) => {
        if (!atTheProvider(point) || point.atMs > startedMs + 23.4 * HOUR_MS) return undefined;
        return point.atMs < startedMs + 3 * SECOND_MS ? 'dropped' : 'refused';
      });
      place(simulation, { number: 1 });
    },
  }),
  'a provider that asks for patience': directed('a provider that asks for patience', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      let calls = 0;
      simulation.faults.plan = strikes((point) => (atTheProvider(point) && calls++ < 4 ? 'rate-limited' : undefined));
      place(simulation, { number: 1 });
    },
  }),
  /** The first try of all comes in the quiet hour. */
  'queue paused for a day': directed('queue paused for a day', {
    stormMs: 24 * HOUR_MS,
    begin(simulation) {
      pauseUntil(simulation, 'capture-payment', 23.4 * HOUR_MS);
      simulation.world.after(2 * SECOND_MS, () => place(simulation, { number: 1 }));
    },
  }),
  /** The second failure is written down, and nobody hears that it was. */
  'settles without an answer': directed('settles without an answer', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + MINUTE_MS;
      const settles: (Fault | undefined)[] = [undefined, 'answer-lost', 'refused', 'refused'];
      simulation.faults.plan = strikes((point) => {
        if (atTheProvider(point)) return point.atMs < endsMs ? 'dropped' : undefined;
        return point.label === 'execute-job/capture-payment settle State' ? settles.shift() : undefined;
      });
      place(simulation, { number: 1 });
    },
  }),
  'many declines at once': directed('many declines at once', {
    stormMs: 10 * MINUTE_MS,
    begin: (simulation) => placeMany(simulation, 14, SECOND_MS, MAGIC_AMOUNTS.decline.amountMinor),
  }),
  /** Nobody who knows the limit's row is left, and the next order meets it as a stranger. */
  'new workers after a rush': directed('new workers after a rush', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const { world, lambda } = simulation;
      placeMany(simulation, 40, 300);
      for (let minute = 1; minute <= 4; minute++)
        world.after(minute * MINUTE_MS, () => {
          lambda.replaceEnvironments('execute-job/capture-payment');
          place(simulation, { number: 100 + minute });
        });
    },
  }),
  'a rush of orders': directed('a rush of orders', {
    stormMs: 5 * MINUTE_MS,
    begin: (simulation) => placeMany(simulation, 160, 100),
  }),
} satisfies Readonly<Record<string, Directed>>;

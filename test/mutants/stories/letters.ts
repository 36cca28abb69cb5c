import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { rollOut } from '../../simulation/cloud/events/roll-out.ts';
import { adjustStock, keepAsking } from '../../simulation/scenario/api.ts';
import { actOnLetters } from '../../simulation/scenario/operator.ts';
import { HOUR_MS, MINUTE_MS, place } from './customers.ts';
import { atTheProvider, type Directed, directed, strikes } from './directed.ts';

const replayEverything = { replaying: () => true, mostRuns: 1 };

/** What a person does with dead letters. */
export const letters = {
  'a letter replayed': directed('a letter replayed', {
    stormMs: 20 * MINUTE_MS,
    begin(simulation) {
      place(simulation, { number: 1, amountMinor: MAGIC_AMOUNTS.wrongAmount.amountMinor });
      simulation.world.after(5 * MINUTE_MS, () => void actOnLetters(simulation, replayEverything));
    },
  }),
  /** Attempts are spent while the provider is away; once it is back, somebody replays, at times with a tool of before the roll-out. */
  'letters replayed by tools of any age': directed('letters replayed by tools of any age', {
    stormMs: 5 * HOUR_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + 3 * HOUR_MS;
      simulation.faults.plan = strikes((point) => (atTheProvider(point) && point.atMs < endsMs ? 'server-error' : undefined));
      rollOut(simulation, { overMs: MINUTE_MS });
      simulation.world.after(2 * MINUTE_MS, () => place(simulation, { number: 1 }));
      simulation.world.after(4 * HOUR_MS, () => void actOnLetters(simulation, replayEverything));
    },
  }),
  /** Within the five minutes in which a FIFO queue takes a second message for a copy. */
  'a FIFO letter replayed at once': directed('a FIFO letter replayed at once', {
    stormMs: 20 * MINUTE_MS,
    begin(simulation) {
      keepAsking(simulation, adjustStock('sku-1', 'adjustment-1', -5));
      simulation.world.after(MINUTE_MS, () => void actOnLetters(simulation, replayEverything));
    },
  }),
} satisfies Readonly<Record<string, Directed>>;

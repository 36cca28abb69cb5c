import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { adjustStock, keepAsking } from '../../simulation/scenario/api.ts';
import { actOnLetters } from '../../simulation/scenario/operator.ts';
import { MINUTE_MS, place } from './customers.ts';
import { type Directed, directed } from './directed.ts';

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
  /** Within the five minutes in which a FIFO queue takes a second message for a copy. */
  'a FIFO letter replayed at once': directed('a FIFO letter replayed at once', {
    stormMs: 20 * MINUTE_MS,
    begin(simulation) {
      keepAsking(simulation, adjustStock('sku-1', 'adjustment-1', -5));
      simulation.world.after(MINUTE_MS, () => void actOnLetters(simulation, replayEverything));
    },
  }),
} satisfies Readonly<Record<string, Directed>>;

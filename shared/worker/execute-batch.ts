import { unexpectedCode } from './classify.ts';
import type { Delivery, Ending } from './worker.ts';

export interface EndedDelivery {
  readonly delivery: Delivery;
  readonly ending: Ending;
}

/** What a message gets whose handling itself broke: back it goes, nothing is acknowledged. */
const BROKEN_DELAY_MS = 30_000;

/**
 * First deliveries run side by side; messages received before are then taken one at a time in random order, so a job that
 * kills its process takes at most one attempt from a neighbour. One message's failure never reaches another's.
 *
 * @param execute runs one message; whatever it throws hands that message back
 * @param fraction at least 0, below 1
 */
export async function executeBatch(deliveries: readonly Delivery[], execute: (delivery: Delivery) => Promise<Ending>, fraction: () => number): Promise<EndedDelivery[]> {
  const guarded = async (delivery: Delivery): Promise<EndedDelivery> => {
    try {
      return { delivery, ending: await execute(delivery) };
    } catch (error) {
      return { delivery, ending: { action: 'hand-back', outcome: 'broken', delayMs: BROKEN_DELAY_MS, facts: { code: unexpectedCode(error) } } };
    }
  };
  const ended = await Promise.all(deliveries.filter(isFirst).map(guarded));
  for (const delivery of shuffled(deliveries.filter((delivery) => !isFirst(delivery)), fraction)) ended.push(await guarded(delivery));
  return ended;
}

/** A count that says nothing is taken for a redelivery: every message is in one half or the other, or it would be acknowledged unseen. */
const isFirst = ({ receiveCount }: Delivery): boolean => receiveCount <= 1;

function shuffled<T>(items: readonly T[], fraction: () => number): T[] {
  return items
    .map((item) => ({ item, at: fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

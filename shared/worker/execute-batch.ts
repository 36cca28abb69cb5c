import { unexpectedCode } from './classify.ts';
import type { Delivery, Ending } from './worker.ts';

export interface EndedDelivery {
  readonly delivery: Delivery;
  readonly ending: Ending;
}

type Execute = (delivery: Delivery) => Promise<Ending>;

/** What a message gets whose handling itself broke: back it goes, nothing is acknowledged. */
const BROKEN_DELAY_MS = 30_000;

/**
 * Messages run side by side, those of one FIFO group in their order. First deliveries come first; what was received before is
 * then taken one at a time in random order, so a job that kills its process takes at most one attempt from a neighbour. One
 * message's failure never reaches another's, but for the ones behind it in its group.
 *
 * @param execute runs one message; whatever it throws hands that message back
 * @param fraction at least 0, below 1
 */
export async function executeBatch(deliveries: readonly Delivery[], execute: Execute, fraction: () => number): Promise<EndedDelivery[]> {
  const lanes = [...Map.groupBy(deliveries, (delivery) => delivery.fifoGroup ?? delivery).values()];
  const ended = (await Promise.all(lanes.filter(isFirst).map((lane) => executeInOrder(lane, execute)))).flat();
  for (const lane of shuffled(
    lanes.filter((one) => !isFirst(one)),
    fraction,
  ))
    ended.push(...(await executeInOrder(lane, execute)));
  return ended;
}

/** Stops at the first that must come back: what is behind it goes back untouched and is due no sooner. */
async function executeInOrder(lane: readonly Delivery[], execute: Execute): Promise<EndedDelivery[]> {
  const ended: EndedDelivery[] = [];
  let stopped: Ending | undefined;
  for (const delivery of lane) {
    const ending: Ending = stopped ?? (await guarded(delivery, execute));
    ended.push({ delivery, ending });
    if (ending.action === 'hand-back') stopped = { action: 'hand-back', outcome: 'behind-its-group', delayMs: ending.delayMs, facts: {} };
  }
  return ended;
}

async function guarded(delivery: Delivery, execute: Execute): Promise<Ending> {
  try {
    return await execute(delivery);
  } catch (error) {
    return { action: 'hand-back', outcome: 'broken', delayMs: BROKEN_DELAY_MS, facts: { code: unexpectedCode(error) } };
  }
}

/** A count that says nothing is taken for a redelivery: every message is in one half or the other, or it would be acknowledged unseen. */
const isFirst = (lane: readonly Delivery[]): boolean => lane.every(({ receiveCount }) => receiveCount <= 1);

function shuffled<T>(items: readonly T[], fraction: () => number): T[] {
  return items
    .map((item) => ({ item, at: fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

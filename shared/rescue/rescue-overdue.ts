import type { ItemKey } from '#shared/contract/item-keys.ts';
import { type Rescued, type RescueWorld, rescueItem } from './rescue-item.ts';

/** The index of items whose mark has come due, the longest due first. It may lag and it may tell of marks that are no more. */
export interface OverdueIndex {
  page(untilMs: number, after?: OverdueKey): Promise<{ readonly keys: readonly OverdueKey[]; readonly more: boolean }>;
}

export interface OverdueKey extends ItemKey {
  readonly overdueAtMs: number;
}

/** Pages of one run. What is left waits a minute; the marks moved on make room for it. */
const MAX_PAGES = 20;
const SIDE_BY_SIDE = 10;
/** With less function time than this left, the rest is left to the next run. */
const TIME_TO_FINISH_MS = 10_000;

export type RescueTally = Partial<Record<Rescued | 'failed', number>>;

/**
 * Looks after every item whose mark has come due, in bounded portions. One item's failure never reaches another's.
 *
 * @param remainingMs function time left
 */
export async function rescueOverdue(index: OverdueIndex, world: RescueWorld, remainingMs: () => number): Promise<RescueTally> {
  const tally: RescueTally = {};
  const untilMs = world.clock.nowMs();
  let after: OverdueKey | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const { keys, more } = await index.page(untilMs, after);
    for (let first = 0; first < keys.length; first += SIDE_BY_SIDE) {
      if (!(remainingMs() >= TIME_TO_FINISH_MS)) return tally;
      for (const outcome of await Promise.all(keys.slice(first, first + SIDE_BY_SIDE).map((key) => rescueSafely(key, world)))) {
        tally[outcome] = (tally[outcome] ?? 0) + 1;
      }
    }
    after = keys.at(-1);
    if (!more || after === undefined) break;
  }
  return tally;
}

async function rescueSafely({ pk, sk }: OverdueKey, world: RescueWorld): Promise<Rescued | 'failed'> {
  try {
    return await rescueItem({ pk, sk }, world);
  } catch {
    return 'failed';
  }
}

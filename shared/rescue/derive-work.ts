import { JOB_PREFIX, ORDER_PREFIX } from '#shared/contract/item-keys.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import { type ImpliedWork, NO_WORK } from './implied-work.ts';
import { orderWork } from './order-work.ts';
import { ownItemWork } from './own-item-work.ts';

/**
 * What an item's state calls for, whatever became of its messages: they may be lost, purged, or never have left the stream.
 * Pure; the same item always calls for the same work.
 *
 * @param keyHorizonMs how long the provider remembers a key; a declined order's next attempt waits as long
 * @throws when the item is none of ours or cannot be read
 */
export function deriveWork(image: ItemImage, keyHorizonMs: number): ImpliedWork {
  if (typeof image.sk === 'string' && image.sk.startsWith(ORDER_PREFIX)) return orderWork(image, keyHorizonMs);
  if (typeof image.pk === 'string' && image.pk.startsWith(JOB_PREFIX)) return ownItemWork(image);
  return NO_WORK;
}

/** @returns nothing for an item that cannot be read: it is counted, and may not hold up the others */
export function readWork(image: ItemImage, keyHorizonMs: number): ImpliedWork | undefined {
  try {
    return deriveWork(image, keyHorizonMs);
  } catch {
    return undefined;
  }
}

import { OWN_ITEM_RETENTION_DAYS } from '#shared/contract/limits.ts';
import type { ItemImage, OperationRecord } from '#shared/item/attributes.ts';

const LONGEST_WAIT_MS = 6 * 3_600_000;
/** Held back by a pause or an open circuit, an item is looked at again this much later; it may not wait hours once they end. */
const HELD_BACK_WAIT_MS = 10 * 60_000;
/** Messages come first: what an item's last change set off has this long to arrive before the daily scan takes it for lost. */
const QUIET_MS = 30 * 60_000;
/** A job's own item is told apart from one that never was for as long as it lives; well before that, looking for it ends. */
const FOLLOW_UP_MS = 13 * 86_400_000;

/** The last moment at which, as far as the item tells, something happened or was still to come of itself. */
export const lastChangeMs = (image: ItemImage): number => Math.max(0, ...timesOf(image));

function timesOf(image: ItemImage): number[] {
  const named = [
    image.createdAtMs,
    image.intentAtMs,
    image.refundAtMs,
    image.outboxAtMs,
    image.lease === 'held' ? image.leaseUntilMs : undefined,
  ];
  const perOperation = Object.entries(image).flatMap(([name, value]) => {
    if (name.startsWith('op:')) return [(value as OperationRecord | null)?.atMs];
    return name.startsWith('due:') ? [value] : [];
  });
  // Every claim and commit renews the life of a job's own item.
  const renewed = typeof image.expiresAt === 'number' ? (image.expiresAt - OWN_ITEM_RETENTION_DAYS * 86_400) * 1000 : undefined;
  return [...named, ...perOperation, renewed].filter((time) => typeof time === 'number');
}

export const isQuiet = (image: ItemImage, nowMs: number, scale: number): boolean => nowMs - lastChangeMs(image) >= QUIET_MS * scale;

/** A worker is at it, or has died less than its lease ago. */
export const isBeingWorkedOn = ({ lease, leaseUntilMs }: ItemImage, nowMs: number): boolean =>
  lease === 'held' && typeof leaseUntilMs === 'number' && leaseUntilMs >= nowMs;

export const isWorthFollowing = (sinceMs: number, nowMs: number): boolean => nowMs - sinceMs < FOLLOW_UP_MS;

/**
 * When to look at an item again after its jobs were sent once more: about as long as it has waited so far, so that the waits
 * double without anybody counting them.
 *
 * @param shortestMs the visibility timeout of the slowest queue involved
 */
export function nextLookMs(image: ItemImage, nowMs: number, shortestMs: number, scale: number): number {
  // What is still to come of itself says nothing about how long the item has waited.
  const waitedMs = nowMs - Math.max(0, ...timesOf(image).filter((time) => time <= nowMs));
  return nowMs + Math.min(LONGEST_WAIT_MS * scale, Math.max(shortestMs, waitedMs));
}

export const heldBackLookMs = (nowMs: number, scale: number): number => nowMs + HELD_BACK_WAIT_MS * scale;

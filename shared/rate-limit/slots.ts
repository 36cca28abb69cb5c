import type { ControlRow, RowChange, RowCondition } from '#shared/control/control-store.ts';

/**
 * The arithmetic of a rate limit (GCRA: one number, the next free instant, is the whole state). Calls are given slots that
 * lie one spacing apart; a slot is used at its instant or not at all.
 *
 * With a spacing of 1/(0.95 · limit) and slots used at most 20 ms late, any one second holds at most the limit even when the
 * clocks of the callers still differ by 30 ms: (1 s + 20 ms + 30 ms) · 0.95 · limit < limit.
 */
const SHARE_OF_LIMIT = 0.95;
/** A slot not used by then is void: used later, it would fall into a second that others have filled. */
export const VOID_AFTER_MS = 20;
/** From the asking to the first slot; the claim happens meanwhile. */
export const LEAD_MS = 10;
/** Slots are given out this far ahead. Short, so that callers ask often and learn each other's clocks by it. */
const HORIZON_MS = 150;

/** The row of one dependency. Its time is that of the fastest clock among the callers. */
export interface SlotRow {
  readonly nextSlotMs: number;
  /** When the row was written, by that clock. */
  readonly asOfMs: number;
}

export const readSlotRow = ({ nextSlotMs, asOfMs }: ControlRow = {}): SlotRow | undefined =>
  typeof nextSlotMs === 'number' && typeof asOfMs === 'number' ? { nextSlotMs, asOfMs } : undefined;

export interface SlotWish {
  readonly row: SlotRow | undefined;
  /** In the row's time. */
  readonly nowMs: number;
  readonly count: number;
  readonly spacingMs: number;
  /** This process has never written the row, so how far apart its clock and the others' are is not known yet. */
  readonly stranger: boolean;
}

/** One conditional write that takes slots, or how long none will be free. */
export type SlotPlan =
  | { readonly kind: 'lease'; readonly count: number; readonly change: RowChange; readonly condition: RowCondition }
  | { readonly kind: 'full'; readonly freeInMs: number };

/**
 * @param callsPerSecond the dependency's limit
 * @param share part of it that may be used, above 0, at most 1
 */
export const slotSpacingMs = (callsPerSecond: number, share = 1): number =>
  // Thousandths: sums of these keep their digits in a table's number.
  Math.ceil(1_000_000 / (SHARE_OF_LIMIT * callsPerSecond * share)) / 1000;

/** Slow limits have slots further apart than the horizon; one must always lie inside. */
const horizonMs = (spacingMs: number): number => Math.max(HORIZON_MS, LEAD_MS + 2 * spacingMs);

export function planSlots(wish: SlotWish): SlotPlan {
  const { row, nowMs, count, spacingMs } = wish;
  const earliestMs = nowMs + LEAD_MS;
  const asMany = (roomMs: number): number => Math.min(count, Math.floor(roomMs / spacingMs));
  if (row === undefined) {
    const taken = asMany(horizonMs(spacingMs) - LEAD_MS);
    return { kind: 'lease', count: taken, change: startAt(earliestMs, taken, wish), condition: { nextSlotMs: 'absent' } };
  }
  if (wish.stranger) return planAsStranger(row, wish);
  if (row.nextSlotMs < earliestMs) {
    const taken = asMany(horizonMs(spacingMs) - LEAD_MS);
    const condition = { nextSlotMs: { below: earliestMs }, asOfMs: { atMost: nowMs } };
    return { kind: 'lease', count: taken, change: startAt(earliestMs, taken, wish), condition };
  }
  const latestMs = nowMs + horizonMs(spacingMs);
  const taken = asMany(latestMs - row.nextSlotMs);
  if (taken < 1) return { kind: 'full', freeInMs: row.nextSlotMs + spacingMs - latestMs };
  // An addition, so that others' leases in between do not refuse this one.
  const change = { add: { nextSlotMs: inThousandths(taken * spacingMs) }, set: { asOfMs: nowMs } };
  const condition = { nextSlotMs: { between: [earliestMs, latestMs - taken * spacingMs] as const }, asOfMs: { atMost: nowMs } };
  return { kind: 'lease', count: taken, change, condition };
}

/**
 * A newcomer whose clock is ahead cannot tell whether the row is old or its clock is fast. It queues behind everything that
 * may still be outstanding, as if the row had been written just now, and takes one slot: with equal clocks that costs it a moment,
 * once.
 */
function planAsStranger({ nextSlotMs, asOfMs }: SlotRow, wish: SlotWish): SlotPlan {
  const startMs = wish.nowMs + Math.max(LEAD_MS, nextSlotMs - asOfMs);
  const condition = { nextSlotMs: { equals: nextSlotMs }, asOfMs: { equals: asOfMs } };
  return { kind: 'lease', count: 1, change: startAt(startMs, 1, wish), condition };
}

const startAt = (startMs: number, taken: number, { nowMs, spacingMs }: SlotWish): RowChange => ({
  set: { nextSlotMs: inThousandths(startMs + taken * spacingMs), asOfMs: nowMs },
});

/** The table adds decimally; finer digits would no longer be those that a number here reads back, and no condition on them could hold. */
const inThousandths = (ms: number): number => Math.round(ms * 1000) / 1000;

/** @returns the instants of the slots that a write has just taken, in the row's time */
export const slotsTaken = ({ nextSlotMs }: SlotRow, count: number, spacingMs: number): number[] =>
  Array.from({ length: count }, (_, index) => nextSlotMs - (count - index) * spacingMs);

import type { SlotRow } from './slots.ts';

/**
 * The time of a rate row as this process knows it: its own clock plus what others have shown themselves to be ahead. Every
 * write stamps the row, and a row stamped later than now proves a faster clock; all callers so come to follow the fastest one,
 * without asking anybody.
 *
 * Does not protect against what is not shown: who learns from an old row stays behind by the row's age until it sees a fresher
 * one. While processes whose clocks are tenths of a second apart join, a second may hold a call or two more than a slow limit allows.
 */
export interface RowTime {
  nowMs(): number;
  /** The same instant by this process's own clock. */
  toOwn(rowMs: number): number;
  /** The row as last seen. */
  readonly row: SlotRow | undefined;
  /** Has never written the row. */
  readonly stranger: boolean;
  /** @returns whether the row shows a clock that is faster than thought so far */
  learn(row: SlotRow | undefined): boolean;
  wrote(): void;
}

/** Clocks this close need no care. */
const CLOCKS_AGREE_MS = 5;

export function createRowTime(clock: { nowMs(): number }): RowTime {
  let aheadMs = 0;
  let row: SlotRow | undefined;
  let stranger = true;
  return {
    nowMs: () => clock.nowMs() + aheadMs,
    toOwn: (rowMs) => rowMs - aheadMs,
    get row() {
      return row;
    },
    get stranger() {
      return stranger;
    },
    learn(seen) {
      row = seen;
      const behindMs = seen === undefined ? 0 : Math.max(0, seen.asOfMs - clock.nowMs() - aheadMs);
      aheadMs += behindMs;
      return behindMs > CLOCKS_AGREE_MS;
    },
    wrote() {
      stranger = false;
    },
  };
}

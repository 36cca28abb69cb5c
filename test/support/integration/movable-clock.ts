import type { Clock } from '#shared/runtime/clock.ts';
import { systemClock } from '#shared/runtime/clock.ts';

export interface MovableClock extends Clock {
  /** Leases and delays pass without being waited for. */
  advance(durationMs: number): void;
}

/** Real time, and ahead of it by as much as a test says. */
export function createMovableClock(): MovableClock {
  let aheadMs = 0;
  return {
    nowMs: () => Date.now() + aheadMs,
    sleep: systemClock.sleep,
    advance: (durationMs) => {
      aheadMs += durationMs;
    },
  };
}

import type { Clock } from '#shared/runtime/clock.ts';

export interface VirtualClock extends Clock {
  advance(durationMs: number): void;
}

/** Time that moves only when told to; a sleep passes at once. */
export function createVirtualClock(startMs = Date.parse('2026-11-30T10:00:00.000Z')): VirtualClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    sleep: async (durationMs) => {
      nowMs += durationMs;
    },
    advance: (durationMs) => {
      nowMs += durationMs;
    },
  };
}

/** Lets so many through a second, evenly. */
export interface Pace {
  /** Resolves when `count` more may go. @returns false when the run was broken off meanwhile */
  pass(count: number, signal: AbortSignal): Promise<boolean>;
}

export interface PaceClock {
  nowMs(): number;
  /** Resolves early when the signal is given. */
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
}

export const unpaced: Pace = { pass: async (_count, signal) => !signal.aborted };

/** What a call in between held up is made up for, a standstill is not. */
const MADE_UP_MS = 250;

export function createPace(perSecond: number, clock: PaceClock): Pace {
  let freeAtMs = clock.nowMs();
  return {
    async pass(count, signal) {
      const nowMs = clock.nowMs();
      const mineAtMs = Math.max(freeAtMs, nowMs - MADE_UP_MS);
      freeAtMs = mineAtMs + (count * 1_000) / perSecond;
      if (mineAtMs > nowMs) await clock.sleep(mineAtMs - nowMs, signal);
      return !signal.aborted;
    },
  };
}

interface Clock {
  nowMs(): number;
  sleep(durationMs: number): Promise<void>;
}

/** Spends read units no faster than allowed, whoever asks for them. */
export interface Pacer {
  /** Resolves once what was spent so far is paid for. */
  ready(): Promise<void>;
  spend(readUnits: number): void;
}

export function createPacer(unitsPerSecond: number, clock: Clock): Pacer {
  let paidForAtMs = clock.nowMs();
  return {
    async ready() {
      const waitMs = paidForAtMs - clock.nowMs();
      if (waitMs > 0) await clock.sleep(waitMs);
    },
    spend(readUnits) {
      paidForAtMs = Math.max(paidForAtMs, clock.nowMs()) + (readUnits / unitsPerSecond) * 1000;
    },
  };
}

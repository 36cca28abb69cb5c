/** The only source of time for shared code and handlers, so that a simulator can own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  sleep(durationMs: number): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (durationMs) => new Promise((resolve) => setTimeout(resolve, durationMs)),
};

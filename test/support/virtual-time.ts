import type { Clock } from '#shared/runtime/clock.ts';

export interface VirtualTime {
  /** Milliseconds since the start. */
  readonly nowMs: number;
  sleep(durationMs: number): Promise<void>;
  /** A clock that runs with this time, set wrong by `aheadMs`. */
  clock(aheadMs?: number): Clock;
  /** Lets everything that waits happen, in order, until the work is done or nothing waits any more. */
  run(work: Promise<unknown>): Promise<void>;
  runUntil(untilMs: number): Promise<void>;
}

/** What happened to fall on the start in a real clock's terms; any instant would do. */
const EPOCH_MS = Date.parse('2026-11-30T10:00:00.000Z');

/**
 * Time that passes only when everybody waits for it; many sleepers wake up in the order of their instants.
 *
 * @param options.turns of the event loop that work may take between two sleeps; the SDK takes several
 */
export function createVirtualTime({ turns = 1 } = {}): VirtualTime {
  let nowMs = 0;
  const sleepers: { atMs: number; wake: () => void }[] = [];
  const sleep = (durationMs: number) =>
    new Promise<void>((wake) => {
      const atMs = nowMs + Math.max(0, durationMs);
      const index = sleepers.findIndex((sleeper) => sleeper.atMs > atMs);
      sleepers.splice(index === -1 ? sleepers.length : index, 0, { atMs, wake });
    });
  /** Whatever can go on without time passing does. */
  const settle = async () => {
    for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  const step = (): boolean => {
    const next = sleepers.shift();
    if (next === undefined) return false;
    nowMs = Math.max(nowMs, next.atMs);
    next.wake();
    return true;
  };
  return {
    get nowMs() {
      return nowMs;
    },
    sleep,
    clock: (aheadMs = 0) => ({ nowMs: () => EPOCH_MS + nowMs + aheadMs, sleep }),
    async run(work) {
      let done = false;
      work.then(
        () => (done = true),
        () => (done = true),
      );
      for (await settle(); !done; await settle()) if (!step()) await settle();
      await work;
    },
    async runUntil(untilMs) {
      for (await settle(); (sleepers[0]?.atMs ?? Number.POSITIVE_INFINITY) <= untilMs; await settle()) step();
      nowMs = untilMs;
    },
  };
}

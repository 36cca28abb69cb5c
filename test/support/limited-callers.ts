import type { ControlStore } from '#shared/control/control-store.ts';
import { createRateLimiter } from '#shared/rate-limit/rate-limiter.ts';
import { createMemoryControl, type MemoryControl } from './memory-control.ts';
import { createVirtualTime } from './virtual-time.ts';

export interface Saturation {
  readonly callsPerSecond: number;
  readonly workers: number;
  /** Jobs of one worker that want to call at the same time. */
  readonly jobs: number;
  /** Clocks differ by up to this much. */
  readonly skewMs: number;
  readonly seed: number;
  /** Workers begin within this time of each other; at once if left out. */
  readonly startWithinMs?: number;
  readonly lengthMs: number;
}

export interface Observed {
  /** When calls were made, in true time, in order. */
  readonly callsAtMs: number[];
  readonly control: MemoryControl;
  readonly refused: number;
  readonly voided: number;
}

/** Workers that all want to call as often as they may, over a Control table some milliseconds away, each by its own wrong clock. */
export async function saturate({
  callsPerSecond,
  workers,
  jobs,
  skewMs,
  seed,
  lengthMs,
  startWithinMs = 0,
}: Saturation): Promise<Observed> {
  const time = createVirtualTime();
  const fraction = seededFraction(seed);
  const control = createMemoryControl();
  const callsAtMs: number[] = [];
  let refused = 0;
  let voided = 0;
  const far = remote(control, async () => time.sleep(1 + 5 * fraction()));
  for (let worker = 0; worker < workers; worker++) {
    const clock = time.clock(skewMs * fraction());
    const startMs = startWithinMs * fraction();
    const limiter = createRateLimiter({ dependency: 'd', callsPerSecond, control: far, clock, random: { fraction } });
    for (let job = 0; job < jobs; job++) {
      void (async () => {
        await time.sleep(startMs + 20 * fraction());
        while (time.nowMs < lengthMs) {
          const token = await limiter.take({ maxWaitMs: 2_000 });
          if (token === undefined) refused++;
          else if (await limiter.use(token)) {
            callsAtMs.push(time.nowMs);
            await time.sleep(40 + 80 * fraction());
          } else voided++;
        }
      })();
    }
  }
  await time.runUntil(lengthMs);
  return { callsAtMs, control, refused, voided };
}

function remote(control: ControlStore, travel: () => Promise<void>): ControlStore {
  const there = async <T>(act: () => Promise<T>): Promise<T> => {
    await travel();
    const answer = await act();
    await travel();
    return answer;
  };
  return {
    get: (id) => there(() => control.get(id)),
    put: (...args) => there(() => control.put(...args)),
    update: (...args) => there(() => control.update(...args)),
    delete: (...args) => there(() => control.delete(...args)),
  };
}

/** mulberry32: small, seeded, good enough to shuffle with. */
export function seededFraction(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The most calls that any window of this length holds, wherever it starts. */
export function busiestWindow(callsAtMs: readonly number[], windowMs: number): number {
  let most = 0;
  for (let first = 0, last = 0; last < callsAtMs.length; last++) {
    while (callsAtMs[last]! - callsAtMs[first]! >= windowMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

import type { ControlStore } from '#shared/control/control-store.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import type { Random } from '#shared/runtime/random.ts';
import { createSlotQueue } from './slot-queue.ts';
import { VOID_AFTER_MS } from './slots.ts';

/** The right to one call at one instant of this process's clock. */
export interface Token {
  readonly instantMs: number;
}

export interface TokenWish {
  /** Longest time until a token is had. */
  readonly maxWaitMs: number;
  /** Part of the limit that may be used, above 0, at most 1; below 1 while a dependency recovers. */
  readonly share?: number;
}

export interface RateLimiter {
  /**
   * @returns nothing when no slot is free within the wait
   * @throws when the Control table does not answer: then nobody may call
   */
  take(wish: TokenWish): Promise<Token | undefined>;
  /** Waits for the token's instant. False: it is past, the token is void. */
  use(token: Token): Promise<boolean>;
  /** A moment ago a slot was had at once, so the next most likely is, too. */
  readonly free: boolean;
}

export interface RateLimiterParts {
  readonly dependency: string;
  readonly callsPerSecond: number;
  readonly control: ControlStore;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
}

const FREE_FOR_MS = 1_000;

/**
 * A dependency's rate limit, held by one row that all callers share. Callers of one process who wait at the same time are
 * served by one conditional write: a block of slots.
 *
 * Does not protect against calls that take no token, nor against a clock that is set while slots are out.
 */
export function createRateLimiter(parts: RateLimiterParts): RateLimiter {
  const { clock } = parts;
  const queue = createSlotQueue(parts);
  return {
    take: ({ maxWaitMs, share = 1 }) =>
      new Promise((resolve, reject) => {
        queue.join({ deadlineMs: clock.nowMs() + maxWaitMs, share, token: resolve, failure: reject });
      }),
    async use({ instantMs }) {
      const waitMs = instantMs - clock.nowMs();
      if (waitMs > 0) await clock.sleep(waitMs);
      return clock.nowMs() <= instantMs + VOID_AFTER_MS;
    },
    get free() {
      return clock.nowMs() - queue.freeAtMs < FREE_FOR_MS;
    },
  };
}

import { StatedError } from '#shared/contract/stated-error.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import type { CachePort } from './cache-port.ts';

/**
 * Keeps readers from waiting for a cache that is down: after a few failures in a row it is left alone for a while, twice as long
 * each time, and then one reader alone tries it again. Reads and fills only. An invalidation is never answered here: it
 * has to reach the cache, or be seen to have failed.
 *
 * Does not protect against a cache that answers slowly but in time; that is what its adapter's time limits are for.
 */
export interface Caution {
  readonly failuresInARow: number;
  readonly firstRestMs: number;
  readonly longestRestMs: number;
}

const CAUTION: Caution = { failuresInARow: 2, firstRestMs: 1_000, longestRestMs: 30_000 };

export function createCautiousCache(cache: CachePort, { nowMs }: Pick<Clock, 'nowMs'>, caution = CAUTION): CachePort {
  let failures = 0;
  let restsUntilMs = 0;
  let isTrying = false;

  const succeeded = (): void => {
    failures = 0;
  };
  const failed = (): void => {
    failures += 1;
    const rests = failures - caution.failuresInARow;
    if (rests >= 0) restsUntilMs = nowMs() + Math.min(caution.longestRestMs, caution.firstRestMs * 2 ** rests);
  };
  const isDown = (): boolean => failures >= caution.failuresInARow;

  const carefully = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    if (isDown() && (isTrying || nowMs() < restsUntilMs)) throw new StatedError('the cache failed and is left alone for a moment');
    const isTrial = isDown();
    isTrying ||= isTrial;
    try {
      const answer = await call();
      succeeded();
      return answer;
    } catch (error) {
      failed();
      throw error;
    } finally {
      if (isTrial) isTrying = false;
    }
  };

  return {
    read: (key, expected) => carefully(() => cache.read(key, expected)),
    fill: (key, token, entry, ttlSeconds) => carefully(() => cache.fill(key, token, entry, ttlSeconds)),
    invalidate: (key) => cache.invalidate(key),
  };
}

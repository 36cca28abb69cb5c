import type { CachePort } from './cache-port.ts';

/** Takes keys out of the cache, each as an invalidation does: a reader's fill that is under way loses its token. @returns those that are out */
export async function repair(keys: readonly string[], cache: Pick<CachePort, 'invalidate'>): Promise<string[]> {
  const done: string[] = [];
  for (const key of keys) {
    try {
      await cache.invalidate(key);
      done.push(key);
    } catch {
      // The others may still be reached; how many were not is in the count.
    }
  }
  return done;
}

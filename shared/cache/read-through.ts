import type { Clock } from '#shared/runtime/clock.ts';
import type { CacheEntry, CachePort, CacheRead, ExpectedEntry } from './cache-port.ts';

/**
 * Cache first, then the table. One reader of a missing key loads and fills; the others look again after
 * 50, 100 and 200 ms and then load for themselves without filling. The cache decides nothing but speed: when it fails, the
 * failure is counted and the table answers.
 *
 * Does not protect against an answer older than a change whose stream record has not arrived yet, nor against a loader
 * that reads without strong consistency.
 *
 * @param accepts whether a cached entry has the form the caller answers with; another one is loaded anew and replaced. */
export type ReadThrough = (key: string, load: Load, accepts?: ExpectedEntry['accepts']) => Promise<ReadThroughAnswer>;

/** Reads the table, strongly consistent; undefined when there is nothing. */
export type Load = () => Promise<CacheEntry | undefined>;

export interface ReadThroughAnswer {
  /** undefined when the table has nothing; never taken from the cache. */
  readonly entry: CacheEntry | undefined;
  /** `hit` from the cache · `stored` loaded and cached · `loaded` not cached (no token, token lost, nothing there) · `bypassed` the cache failed. */
  readonly via: 'hit' | 'stored' | 'loaded' | 'bypassed';
}

export type CacheOperation = 'read' | 'fill' | 'invalidate';

export interface ReadThroughOptions {
  readonly cache: CachePort;
  readonly clock: Clock;
  /** How long a value may be served if no invalidation ever comes. */
  readonly ttlSeconds: number;
  /** Told of every failure of the cache; the read itself goes on. */
  readonly onCacheError: (operation: CacheOperation, error: unknown) => void;
}

/** How long a reader without a token waits before each further look. */
const WAITS_MS = [50, 100, 200] as const;

export function createReadThrough(options: ReadThroughOptions): ReadThrough {
  return async (key, load, accepts = anything) => {
    const found = await lookPatiently(options, key, { accepts, ttlSeconds: options.ttlSeconds });
    if (found === undefined) return { entry: await load(), via: 'bypassed' };
    if (found.kind === 'hit') return { entry: found.entry, via: 'hit' };
    if (found.token === undefined) return { entry: await load(), via: 'loaded' };
    return loadAndFill(options, key, found.token, load);
  };
}

const anything = (): boolean => true;

/** @returns undefined when the cache cannot be read */
async function lookPatiently(
  { cache, clock, onCacheError }: ReadThroughOptions,
  key: string,
  expected: ExpectedEntry,
): Promise<CacheRead | undefined> {
  try {
    let found = await cache.read(key, expected);
    for (const waitMs of WAITS_MS) {
      if (found.kind === 'hit' || found.token !== undefined) return found;
      await clock.sleep(waitMs);
      found = await cache.read(key, expected);
    }
    return found;
  } catch (error) {
    onCacheError('read', error);
    return undefined;
  }
}

async function loadAndFill(options: ReadThroughOptions, key: string, token: string, load: Load): Promise<ReadThroughAnswer> {
  const entry = await loadOrGiveUpToken(options, key, load);
  if (entry === undefined) return { entry, via: 'loaded' };
  try {
    const stored = await options.cache.fill(key, token, entry, options.ttlSeconds);
    return { entry, via: stored ? 'stored' : 'loaded' };
  } catch (error) {
    options.onCacheError('fill', error);
    return { entry, via: 'bypassed' };
  }
}

/** Without a value the token would keep everybody else waiting until its deadline, so it goes: nothing there, or a load that failed. */
async function loadOrGiveUpToken(options: ReadThroughOptions, key: string, load: Load): Promise<CacheEntry | undefined> {
  let entry: CacheEntry | undefined;
  try {
    entry = await load();
    return entry;
  } finally {
    if (entry === undefined) await giveUpToken(options, key);
  }
}

async function giveUpToken({ cache, onCacheError }: ReadThroughOptions, key: string): Promise<void> {
  try {
    await cache.invalidate(key);
  } catch (error) {
    onCacheError('invalidate', error);
  }
}

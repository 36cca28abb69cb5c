import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import { createReadThrough } from '#shared/cache/read-through.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { createMemoryCache } from '../../support/memory-cache.ts';

// Cases: B47, B50.

const KEY = 'order:u-1/ord-1';
const v1: CacheEntry = { version: 1, value: { status: 'pending_payment' } };
const v2: CacheEntry = { version: 2, value: { status: 'paid' } };

const bench = () => {
  const cache = createMemoryCache(systemClock);
  const errors: string[] = [];
  const readThrough = createReadThrough({ cache, clock: systemClock, ttlSeconds: 60, onCacheError: (operation) => errors.push(operation) });
  return { cache, errors, readThrough };
};

/** A table whose reads take their time. */
const table = (durationMs: number, ...answers: (CacheEntry | Error | undefined)[]) => {
  const load = vi.fn(async () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    await systemClock.sleep(durationMs);
    if (answer instanceof Error) throw answer;
    return answer;
  });
  return load;
};

const untilSettled = async <T>(promises: Promise<T>[]): Promise<PromiseSettledResult<T>[]> => {
  const settled = Promise.allSettled(promises);
  await vi.runAllTimersAsync();
  return settled;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('reading through the cache', () => {
  it('answers fifty concurrent misses with one load', async () => {
    const { readThrough } = bench();
    const load = table(300, v1);
    const answers = await untilSettled(Array.from({ length: 50 }, () => readThrough(KEY, load)));
    expect(load).toHaveBeenCalledTimes(1);
    expect(answers.map((answer) => answer.status === 'fulfilled' && answer.value.entry)).toEqual(Array.from({ length: 50 }, () => v1));
  });

  it('lets a reader load for itself, without filling, when the value does not come in 350 ms', async () => {
    const { readThrough } = bench();
    const slow = readThrough(KEY, table(2_000, v1));
    const impatient = table(0, v1);
    const startedAtMs = Date.now();
    const second = readThrough(KEY, impatient).then((answer) => ({ ...answer, afterMs: Date.now() - startedAtMs }));
    await untilSettled<unknown>([slow, second]);
    expect(await second).toEqual({ entry: v1, via: 'loaded', afterMs: 350 });
    expect(await slow).toEqual({ entry: v1, via: 'stored' });
  });

  it('keeps no failure: the caller gets it, and the next reader loads', async () => {
    const { readThrough, cache } = bench();
    const load = table(10, new Error('throttled'), v1);
    await expect(Promise.all([readThrough(KEY, load), vi.runAllTimersAsync()])).rejects.toThrow('throttled');
    expect(cache.peek(KEY)).toBeUndefined();
    expect(await Promise.all([readThrough(KEY, load), vi.runAllTimersAsync()])).toMatchObject([{ entry: v1, via: 'stored' }, {}]);
  });

  it('passes the token on to one of the waiting readers when the load fails', async () => {
    const { readThrough } = bench();
    const load = table(300, new Error('throttled'), v1);
    const answers = await untilSettled(Array.from({ length: 50 }, () => readThrough(KEY, load)));
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 'fulfilled' && answer.value.via === 'stored')).toHaveLength(1);
  });

  it('gives readers that start after an invalidation the newer value, and never caches the older load', async () => {
    const { readThrough, cache } = bench();
    const older = readThrough(KEY, table(300, v1));
    await vi.advanceTimersByTimeAsync(100);
    await cache.invalidate(KEY);
    const load = table(500, v2);
    const later = Array.from({ length: 3 }, () => readThrough(KEY, load));
    const answers = await untilSettled([older, ...later]);
    expect(answers).toMatchObject([{ value: { entry: v1, via: 'loaded' } }, ...later.map(() => ({ value: { entry: v2 } }))]);
    expect(cache.peek(KEY)).toEqual(v2);
  });

  it('never caches absence, and leaves nobody waiting for it', async () => {
    const { readThrough, cache } = bench();
    const load = table(0, undefined, v1);
    expect(await Promise.all([readThrough(KEY, load), vi.runAllTimersAsync()])).toMatchObject([{ entry: undefined, via: 'loaded' }, {}]);
    expect(cache.peek(KEY)).toBeUndefined();
    expect(await Promise.all([readThrough(KEY, load), vi.runAllTimersAsync()])).toMatchObject([{ entry: v1, via: 'stored' }, {}]);
  });

  it('serves a value no longer than its time to live', async () => {
    const { readThrough } = bench();
    const load = table(0, v1, v2);
    await Promise.all([readThrough(KEY, load), vi.runAllTimersAsync()]);
    await vi.advanceTimersByTimeAsync(59_900);
    expect(await readThrough(KEY, load)).toEqual({ entry: v1, via: 'hit' });
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all([readThrough(KEY, load), vi.runAllTimersAsync()])).toMatchObject([{ entry: v2, via: 'stored' }, {}]);
  });
});

describe('reading what nobody should have cached', () => {
  const paidOnly = ({ value }: CacheEntry): boolean => (value as { status?: string }).status === 'paid';

  it.each([
    ['is no JSON', { value: '{', version: 1, expiresAtMs: 30_000 }],
    ['is not what the caller answers with', { value: '{"status":"pending_payment"}', version: 1, expiresAtMs: 30_000 }],
    ['would outlive its time to live', { value: '{"status":"paid"}', version: 1, expiresAtMs: 60_001 }],
  ])('loads and replaces an entry that %s, once', async (_, slot) => {
    vi.setSystemTime(0);
    const { readThrough, cache, errors } = bench();
    cache.overwrite(KEY, slot);
    const load = table(0, v2);
    expect(await Promise.all([readThrough(KEY, load, paidOnly), vi.runAllTimersAsync()])).toMatchObject([{ entry: v2, via: 'stored' }, {}]);
    expect(await readThrough(KEY, load, paidOnly)).toEqual({ entry: v2, via: 'hit' });
    expect(load).toHaveBeenCalledTimes(1);
    expect(errors).toEqual([]);
  });
});

describe('reading while the cache is down', () => {
  it.each(['read', 'fill'] as const)('answers from the table and counts the failed %s', async (operation) => {
    const { readThrough, cache, errors } = bench();
    cache.fail(operation);
    expect(await Promise.all([readThrough(KEY, table(0, v1)), vi.runAllTimersAsync()])).toMatchObject([{ entry: v1, via: 'bypassed' }, {}]);
    expect(errors).toEqual([operation]);
  });

  it('reports absence although the token cannot be given up', async () => {
    const { readThrough, cache, errors } = bench();
    cache.fail('invalidate');
    expect(await Promise.all([readThrough(KEY, table(0, undefined)), vi.runAllTimersAsync()])).toMatchObject([{ entry: undefined }, {}]);
    expect(errors).toEqual(['invalidate']);
  });

  it('throws the table’s error, not the cache’s, when both fail', async () => {
    const { readThrough, cache } = bench();
    cache.fail('invalidate');
    await expect(Promise.all([readThrough(KEY, table(0, new Error('throttled'))), vi.runAllTimersAsync()])).rejects.toThrow('throttled');
  });

  it('loads at once when the answer to the token write is lost', async () => {
    const { readThrough, cache } = bench();
    cache.loseNextTokenAnswer();
    expect(await Promise.all([readThrough(KEY, table(0, v1)), vi.runAllTimersAsync()])).toMatchObject([{ via: 'bypassed' }, {}]);
    expect(cache.peek(KEY)).toBeUndefined();
  });
});

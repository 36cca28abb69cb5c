import { describe, expect, it } from 'vitest';
import { createCautiousCache } from '#shared/cache/cautious-cache.ts';
import { createMemoryCache } from '../../support/memory-cache.ts';

const KEY = 'order:u-1/ord-1';

function bench() {
  let nowMs = 0;
  let isDown = true;
  let calls = 0;
  const memory = createMemoryCache({ nowMs: () => nowMs });
  const failing = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    calls += 1;
    if (isDown) throw new Error('down');
    return call();
  };
  const cache = createCautiousCache(
    {
      read: (key, expected) => failing(() => memory.read(key, expected)),
      fill: (key, token, entry, ttl) => failing(() => memory.fill(key, token, entry, ttl)),
      invalidate: (key) => failing(() => memory.invalidate(key)),
    },
    { nowMs: () => nowMs },
    { failuresInARow: 2, firstRestMs: 1_000, longestRestMs: 3_000 },
  );
  return {
    cache,
    calls: () => calls,
    pass: (durationMs: number) => (nowMs += durationMs),
    recover() {
      isDown = false;
    },
    message: () => cache.read(KEY).then(String, (error: Error) => error.message),
  };
}

const ALONE = 'the cache failed and is left alone for a moment';

describe('a cache that fails', () => {
  it('is asked twice and then not for a second, two, and never more than the longest rest', async () => {
    const { message, pass, calls } = bench();
    expect([await message(), await message(), await message()]).toEqual(['down', 'down', ALONE]);
    for (const restMs of [1_000, 2_000, 3_000, 3_000]) {
      pass(restMs - 1);
      expect(await message()).toBe(ALONE);
      pass(1);
      expect(await message()).toBe('down');
    }
    expect(calls()).toBe(6);
  });

  it('is tried by one reader alone while the others go to the table', async () => {
    const { message, pass, calls } = bench();
    await message();
    await message();
    pass(1_000);
    expect(await Promise.all(Array.from({ length: 50 }, message))).toEqual(['down', ...Array(49).fill(ALONE)]);
    expect(calls()).toBe(3);
  });

  it('serves everybody again after the first answer', async () => {
    const { cache, message, pass, recover } = bench();
    await message();
    await message();
    recover();
    expect(await message()).toBe(ALONE);
    pass(1_000);
    expect(await cache.read(KEY)).toMatchObject({ kind: 'miss', token: expect.any(String) });
    expect(await cache.read(KEY)).toEqual({ kind: 'miss', token: undefined });
  });

  it('is not left alone by invalidations: each reaches it or is seen to fail', async () => {
    const { cache, message, recover } = bench();
    await message();
    await message();
    await expect(cache.invalidate(KEY)).rejects.toThrow('down');
    recover();
    await cache.invalidate(KEY);
  });
});

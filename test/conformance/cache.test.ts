import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CacheEntry, CachePort } from '#shared/cache/cache-port.ts';
import { createReadThrough } from '#shared/cache/read-through.ts';
import type { CacheSlot } from '../support/memory-cache.ts';
import { startValkey, valkeyIsMissing } from '../support/valkey-server.ts';
import { type CacheBench, openDynamoDbCache, openEmulatedCache, openMemoryCache, openValkeyCache } from './cache-benches.ts';
import { endpoint } from './target.ts';

// Cases: B47, B50 (token).

/** Every test works on its own key, and all on one clock that moves only when told. */
let nowMs = Date.UTC(2026, 10, 30);
const pass = (durationMs: number): void => {
  nowMs += durationMs;
};
const clock = { nowMs: () => nowMs, sleep: async (durationMs: number) => pass(durationMs) };

const v1 = { version: 1, value: { status: 'pending_payment', note: 'ä “quoted”', amountMinor: 4999 } };
const v2 = { version: 2, value: { status: 'paid', amountMinor: 4999 } };
const TTL_SECONDS = 60;
/** What a row may get wrong that is not over, and what its reader wants. */
const unreadableRows: [what: string, slot: () => CacheSlot][] = [
  ['a value that is no JSON', () => ({ ...row(), value: '{"status":' })],
  ['no value', () => ({ version: 1, expiresAtMs: nowMs + 1_000 })],
  ['no version', () => ({ value: row().value, expiresAtMs: nowMs + 1_000 })],
  ['a version that is no number', () => ({ ...row(), version: '1' })],
  ['a version that is no whole number', () => ({ ...row(), version: 1.5 })],
  ['a value of another form', () => ({ ...row(), value: '{"state":"paid"}' })],
  ['an end that is no number', () => ({ ...row(), expiresAtMs: 'tomorrow' })],
  ['an end later than any fill sets', () => ({ ...row(), expiresAtMs: nowMs + TTL_SECONDS * 1000 + 1 })],
  ['a token without an end', () => ({ token: 'for ever' })],
  ['a token whose end is no number', () => ({ token: 'for ever', tokenUntilMs: 'tomorrow' })],
  ['a token that lasts a day', () => ({ token: 'for a day', tokenUntilMs: nowMs + 86_400_000 })],
];
const row = () => ({ value: JSON.stringify(v1.value), version: 1, expiresAtMs: nowMs + 1_000 });
const expected = { ttlSeconds: TTL_SECONDS, accepts: ({ value }: CacheEntry) => 'status' in (value as object) };

/** Longer than any token lives, shorter than the values here. */
const TOKEN_IS_OVER_MS = 10_000;

function describeCache(name: string, open: () => Promise<CacheBench>): void {
  describe(`the cache port on ${name}`, () => {
    let bench: CacheBench;
    let key: string;
    beforeAll(async () => {
      bench = await open();
    });
    afterAll(async () => {
      await bench.close();
    });

    const withKey = (body: (cache: CachePort) => Promise<void>) => () => {
      key = `order:u-1/${randomUUID()}`;
      return body(bench.cache);
    };
    const missWithToken = async (cache: CachePort): Promise<string> => {
      const found = await cache.read(key);
      if (found.kind !== 'miss' || found.token === undefined) throw new Error(`expected a miss with a token, got ${JSON.stringify(found)}`);
      return found.token;
    };

    it(
      'gives back what was filled, with its version, until the time to live is over',
      withKey(async (cache) => {
        expect(await cache.fill(key, await missWithToken(cache), v1, TTL_SECONDS)).toBe(true);

        expect(await cache.read(key)).toEqual({ kind: 'hit', entry: v1 });
        pass(TTL_SECONDS * 1000 - 1);
        expect(await cache.read(key)).toEqual({ kind: 'hit', entry: v1 });
        pass(1);
        expect(await cache.fill(key, await missWithToken(cache), v2, TTL_SECONDS)).toBe(true);
        expect(await cache.read(key)).toEqual({ kind: 'hit', entry: v2 });
      }),
    );

    it(
      'gives one token to fifty readers of a missing key',
      withKey(async (cache) => {
        const found = await Promise.all(Array.from({ length: 50 }, () => cache.read(key)));
        expect(found.filter((read) => read.kind === 'miss' && read.token !== undefined)).toHaveLength(1);
        expect(found.every((read) => read.kind === 'miss')).toBe(true);
      }),
    );

    it(
      'refuses a fill with a token it never gave, and one without any slot',
      withKey(async (cache) => {
        expect(await cache.fill(key, 'made-up', v1, TTL_SECONDS)).toBe(false);
        const token = await missWithToken(cache);
        expect(await cache.fill(key, 'made-up', v1, TTL_SECONDS)).toBe(false);
        expect(await cache.fill(key, token, v1, TTL_SECONDS)).toBe(true);
      }),
    );

    it(
      'accepts a token once: the late copy of a fill changes nothing',
      withKey(async (cache) => {
        const token = await missWithToken(cache);
        await cache.fill(key, token, v1, TTL_SECONDS);
        expect(await cache.fill(key, token, v2, TTL_SECONDS)).toBe(false);
        expect(await cache.read(key)).toEqual({ kind: 'hit', entry: v1 });
      }),
    );

    it(
      'refuses the slow reader whose value an invalidation overtook, before and after its table read',
      withKey(async (cache) => {
        const slow = await missWithToken(cache);
        await cache.invalidate(key);
        expect(await cache.fill(key, slow, v1, TTL_SECONDS)).toBe(false);
        expect(await cache.fill(key, await missWithToken(cache), v2, TTL_SECONDS)).toBe(true);
        expect(await cache.fill(key, slow, v1, TTL_SECONDS)).toBe(false);
        expect(await cache.read(key)).toEqual({ kind: 'hit', entry: v2 });
      }),
    );

    it(
      'lets the newer of two readers win, whichever fills first',
      withKey(async (cache) => {
        const older = await missWithToken(cache);
        await cache.invalidate(key);
        const newer = await missWithToken(cache);
        expect(newer).not.toBe(older);
        const stored = await Promise.all([cache.fill(key, older, v1, TTL_SECONDS), cache.fill(key, newer, v2, TTL_SECONDS)]);
        expect(stored).toEqual([false, true]);
        expect(await cache.read(key)).toEqual({ kind: 'hit', entry: v2 });
      }),
    );

    it(
      'keeps the past out when reader, commit and invalidation interleave through the read path',
      withKey(async (cache) => {
        let table: CacheEntry = v1;
        const readThrough = createReadThrough({
          cache,
          clock,
          ttlSeconds: TTL_SECONDS,
          onCacheError: (_, error) => expect.fail(String(error)),
        });
        const overtaken = await readThrough(key, async () => {
          const loaded = table;
          table = v2;
          await cache.invalidate(key);
          return loaded;
        });
        expect(overtaken).toEqual({ entry: v1, via: 'loaded' });
        expect(await readThrough(key, async () => table)).toEqual({ entry: v2, via: 'stored' });
        expect(await readThrough(key, async () => v1)).toEqual({ entry: v2, via: 'hit' });
      }),
    );

    it(
      'invalidates twice, and what was never there, without complaint',
      withKey(async (cache) => {
        await cache.invalidate(key);
        await cache.fill(key, await missWithToken(cache), v1, TTL_SECONDS);
        await cache.invalidate(key);
        await cache.invalidate(key);
        await missWithToken(cache);
      }),
    );

    it(
      'gives a new token when the first reader took too long, and refuses the first from then on',
      withKey(async (cache) => {
        const first = await missWithToken(cache);
        expect(await cache.read(key)).toEqual({ kind: 'miss', token: undefined });
        pass(TOKEN_IS_OVER_MS);
        const second = await missWithToken(cache);
        expect(await cache.fill(key, first, v1, TTL_SECONDS)).toBe(false);
        expect(await cache.fill(key, second, v2, TTL_SECONDS)).toBe(true);
      }),
    );

    it(
      'never serves an expired value from beside a new token',
      withKey(async (cache) => {
        await cache.fill(key, await missWithToken(cache), v1, TTL_SECONDS);
        pass(TTL_SECONDS * 1000);
        await missWithToken(cache);
        expect(await cache.read(key)).toEqual({ kind: 'miss', token: undefined });
      }),
    );

    it(
      'gives no token without an answer; the lost one stands in nobody’s name until its time is over',
      withKey(async (cache) => {
        bench.loseNextTokenAnswer();
        await expect(cache.read(key)).rejects.toThrow();
        expect(await cache.read(key)).toEqual({ kind: 'miss', token: undefined });
        pass(TOKEN_IS_OVER_MS);
        expect(await cache.fill(key, await missWithToken(cache), v1, TTL_SECONDS)).toBe(true);
      }),
    );

    it.each(unreadableRows)('gives one of fifty readers a token to replace %s', (_, slot) =>
      withKey(async (cache) => {
        await bench.overwrite(key, slot());
        const found = await Promise.all(Array.from({ length: 50 }, () => cache.read(key, expected)));
        expect(found.filter(({ kind }) => kind === 'hit')).toEqual([]);
        const [token, ...others] = found.flatMap((read) => (read.kind === 'miss' ? (read.token ?? []) : []));
        expect(others).toEqual([]);

        expect(await cache.fill(key, token ?? '', v2, TTL_SECONDS)).toBe(true);
        expect(await cache.read(key, expected)).toEqual({ kind: 'hit', entry: v2 });
      })(),
    );

    it(
      'serves an entry that ends as late as a fill may set it, and is what its reader expects',
      withKey(async (cache) => {
        await bench.overwrite(key, { ...row(), expiresAtMs: nowMs + TTL_SECONDS * 1000 });
        expect(await cache.read(key, expected)).toEqual({ kind: 'hit', entry: v1 });
      }),
    );

    it(
      'refuses the slow reader whose replacement of an unreadable row an invalidation overtook',
      withKey(async (cache) => {
        await bench.overwrite(key, { ...row(), value: 'not JSON' });
        const slow = await missWithToken(cache);
        await cache.invalidate(key);
        expect(await cache.fill(key, slow, v1, TTL_SECONDS)).toBe(false);
        expect(await cache.fill(key, await missWithToken(cache), v2, TTL_SECONDS)).toBe(true);
      }),
    );

    it(
      'tells a store that removes by itself when value and token may go, in whole seconds and never before they are over',
      withKey(async (cache) => {
        if (bench.timeToLive === undefined) return;
        pass(1);
        const token = await missWithToken(cache);
        expect(await bench.timeToLive(key)).toMatch(/^\d{10}$/);
        expect(Number(await bench.timeToLive(key)) * 1000).toBeGreaterThan(nowMs);
        await cache.fill(key, token, v1, TTL_SECONDS);
        expect(await bench.timeToLive(key)).toBe(String(Math.ceil(nowMs / 1000) + TTL_SECONDS));
      }),
    );
  });
}

describeCache('memory', () => openMemoryCache(clock));
describeCache('DynamoDB in memory', () => openDynamoDbCache(clock));
if (endpoint !== undefined) describeCache(`DynamoDB at ${endpoint}`, () => openEmulatedCache(endpoint as string)(clock));

if (valkeyIsMissing === undefined) {
  const server = await startValkey();
  describeCache('a Valkey server', () => openValkeyCache(server)(clock));
  afterAll(() => server.close());
} else console.warn(valkeyIsMissing);

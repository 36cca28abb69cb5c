import { describe, expect, it } from 'vitest';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { createCacheEntries } from '#shared/aws/cache-entries.ts';
import type { CacheItem } from '#shared/aws/cache-row.ts';
import type { OrderReader } from '#shared/aws/order-reader.ts';
import type { CacheEntry } from '#shared/cache/cache-port.ts';
import { repair } from '#shared/cache/repair.ts';
import { tableTruth } from '#shared/cache/table-truth.ts';
import { type CachedKey as Cached, verify } from '#shared/cache/verify.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { orderView } from '#shared/domain/order.ts';
import { type CacheReport, formatCacheReport } from '../../../cli/cache/format-verification.ts';

type CachedKey = Cached<CacheItem>;
const { valueIn } = createCacheEntries({} as never, 'Cache', {} as never);
const NOW_MS = Date.UTC(2026, 10, 30);
const value = (key: string, version: number, text = `{"v":${version}}`, rest: object = {}): CachedKey => ({
  key,
  row: toAttributeValues({ key, value: text, version, expiresAtMs: NOW_MS + 60_000, ...rest }),
});
const at = (version: number): CacheEntry => ({ version, value: { v: version } });

interface World {
  readonly cached: CachedKey[];
  readonly table: Record<string, CacheEntry | undefined | 'unknown-key'>;
  /** What the cache holds at the second look; the same where nothing is said. */
  readonly later?: Record<string, CachedKey | undefined>;
  readonly sample?: number | 'all';
}

const look = ({ cached, table, later = {}, sample = 'all' }: World) =>
  verify({
    async *entries() {
      for (const entry of cached) yield [entry];
    },
    entry: async (key) => (key in later ? later[key] : cached.find((entry) => entry.key === key)),
    truth: async (key) => table[key],
    valueIn,
    clock: { nowMs: () => NOW_MS, sleep: async () => undefined },
    lagMs: 1,
    sample,
  });

describe('a cached value', () => {
  it('that says what the table says is equal, whatever the order of its fields', async () => {
    const table = { a: { version: 1, value: { x: 1, y: { p: 1, q: 2 } } } };
    expect(await look({ cached: [value('a', 1, '{"y":{"q":2,"p":1},"x":1}')], table })).toMatchObject({
      looked: 1,
      equal: 1,
      mismatches: [],
    });
  });

  it.each<[string, CachedKey, CacheEntry | undefined | 'unknown-key', string, number | null]>([
    ['an older version', value('a', 1), at(2), 'stale', 2],
    ['an order that is gone', value('a', 1), undefined, 'stale', null],
    ['a version the table has not reached', value('a', 3), at(2), 'ahead', 2],
    ['another value under the same version', value('a', 2, '{"v":7}'), at(2), 'ahead', 2],
    ['text nobody can read', value('a', 1, 'not json'), at(1), 'unreadable', null],
    ['something that is no answer of this API', value('a', 1), 'unknown-key', 'unreadable', null],
  ])('that holds %s is wrong', async (_, cached, table, mismatch, tableVersion) => {
    const { mismatches } = await look({ cached: [cached], table: { a: table } });
    expect(mismatches).toEqual([
      { key: 'a', mismatch, cachedVersion: mismatch === 'unreadable' && table !== 'unknown-key' ? null : expect.any(Number), tableVersion },
    ]);
  });

  it.each<[string, CachedKey | undefined]>([
    ['was invalidated', undefined],
    ['was filled anew', value('a', 2)],
    ['was filled anew with the same, which a reader read before the change', value('a', 1, '{"v":1}', { expiresAtMs: NOW_MS + 70_000 })],
  ])('that differed and %s meanwhile was only a moment behind', async (_, later) => {
    expect(await look({ cached: [value('a', 1)], table: { a: at(2) }, later: { a: later } })).toMatchObject({
      caughtUp: 1,
      mismatches: [],
    });
  });

  it('that has run out, or a token of somebody who loads, is answered to nobody and judged by nobody', async () => {
    const over = value('a', 1, '{"v":1}', { expiresAtMs: NOW_MS });
    const token: CachedKey = { key: 'b', row: toAttributeValues({ key: 'b', token: 't', tokenUntilMs: NOW_MS + 1_000 }) };
    expect(await look({ cached: [over, token], table: {} })).toMatchObject({ looked: 2, noValue: 2, mismatches: [] });
  });

  it('of an order nobody can read any more is said to be such, and the others are still judged', async () => {
    const verification = await verify({
      async *entries() {
        yield [value('a', 1), value('b', 1)];
      },
      entry: async (key) => value(key, 1),
      truth: async (key) => {
        if (key === 'a') throw Object.assign(new Error('no order'), { code: 'order-unreadable' });
        return at(1);
      },
      valueIn,
      clock: { nowMs: () => NOW_MS, sleep: async () => undefined },
      lagMs: 1,
      sample: 'all',
    });
    expect(verification).toMatchObject({ equal: 1, mismatches: [{ key: 'a', mismatch: 'unreadable' }] });
  });
});

describe('a sample', () => {
  it('ends when it is large enough, counting values only', async () => {
    const cached = [value('x', 1, '1', { expiresAtMs: 0 }), ...Array.from({ length: 10 }, (_, index) => value(String(index), 1))];
    const table = Object.fromEntries(cached.map(({ key }) => [key, at(1)]));
    expect(await look({ cached, table, sample: 3 })).toMatchObject({ looked: 4, equal: 3 });
  });
});

describe('what the table says', () => {
  const order = {
    ...newOrder('u-1', 'o-1', { amountMinor: 5, currency: 'EUR' }, NOW_MS),
    version: 3,
    status: 'refunded' as const,
    refundId: 're-1',
  };
  const reader: OrderReader = {
    order: async (userId, orderId) => (userId === 'u-1' && orderId === 'o-1' ? order : undefined),
    orders: async (userId) => ({ orders: userId === 'u-1' ? [order] : [], unreadable: [], truncated: false }),
  };

  it('is made as the API makes its answers', async () => {
    expect(await tableTruth(reader)('order:u-1/o-1')).toEqual({ version: 3, value: orderView(order) });
    expect(await tableTruth(reader)('order_summary:user:u-1')).toEqual({
      version: 3,
      value: { orders: 1, byStatus: { refunded: 1 }, paidMinorByCurrency: {}, truncated: false },
    });
  });

  it('is nothing for an order, or a user, there is not, and unknown for a key of another make', async () => {
    expect(await tableTruth(reader)('order:u-1/o-2')).toBeUndefined();
    expect(await tableTruth(reader)('order_summary:user:u-2')).toBeUndefined();
    for (const key of ['order:u-1', 'order:u-1/o-1/x', 'xorder:u-1/o-1', '']) expect(await tableTruth(reader)(key)).toBe('unknown-key');
  });
});

describe('a repair', () => {
  it('goes on where one key cannot be reached, and says which are out', async () => {
    const cache = { invalidate: async (key: string) => (key === 'b' ? Promise.reject(new Error('no answer')) : undefined) };
    expect(await repair(['a', 'b', 'c'], cache)).toEqual(['a', 'c']);
  });

  it('is offered where something is wrong, and told how far it came', () => {
    const wrong: CacheReport['mismatches'] = [{ key: 'order:u-1/o-1', mismatch: 'stale', cachedVersion: 1, tableVersion: 2 }];
    const report: CacheReport = {
      stage: 'local',
      lagMs: 1_000,
      looked: 1,
      equal: 0,
      noValue: 0,
      caughtUp: 0,
      mismatches: wrong,
      repaired: null,
    };
    expect(formatCacheReport(report)).toMatch(/order:u-1\/o-1 +1 +2 +older than the table[\s\S]*cache verify --all --repair/);
    expect(formatCacheReport({ ...report, repaired: [] })).toContain('0 of 1 were taken out');
    expect(formatCacheReport({ ...report, equal: 1, mismatches: [] })).toContain('No value differs from the table for 1 s or longer.');
    expect(formatCacheReport({ ...report, mismatches: [] })).toContain('There was no value to compare.');
  });
});

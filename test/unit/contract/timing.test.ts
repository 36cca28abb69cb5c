import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LEASE_GRACE_MS, MAX_RECEIVE_COUNT, OWN_ITEM_RETENTION_DAYS, QUEUE_RETENTION_DAYS } from '#shared/contract/limits.ts';
import { assertTiming, deriveTiming } from '#shared/contract/timing.ts';
import { jobs } from '#shared/jobs/index.ts';
import { MAX_RETRY_AFTER_MS } from '#shared/retry/schedule.ts';

describe('the timing of a job kind', () => {
  test('follows from three declared numbers', () => {
    expect(deriveTiming({ p99Ms: 2_000, dependencyTimeoutMs: 10_000, marginMs: 3_000 })).toEqual({
      p99Ms: 2_000,
      dependencyTimeoutMs: 10_000,
      marginMs: 3_000,
      functionTimeoutSeconds: 25,
      leaseDurationMs: 27_000,
      visibilityTimeoutSeconds: 150,
      minimumRemainingMs: 13_000,
    });
  });

  test('always keeps provider timeout < function timeout < lease ≤ visibility timeout, at any scale', () => {
    const some = fc.integer({ min: 1, max: 60_000 });
    fc.assert(
      fc.property(
        some,
        some,
        some,
        fc.double({ min: 0.001, max: 1, noNaN: true }),
        fc.integer({ min: 0, max: 300 }),
        (p99Ms, dependencyTimeoutMs, marginMs, scale, batchingWindowSeconds) => {
          const timing = deriveTiming({ p99Ms, dependencyTimeoutMs, marginMs }, { scale, batchingWindowSeconds });
          expect(timing.dependencyTimeoutMs).toBeLessThan(timing.functionTimeoutSeconds * 1000);
          expect(timing.leaseDurationMs).toBe(timing.functionTimeoutSeconds * 1000 + LEASE_GRACE_MS);
          expect(timing.leaseDurationMs).toBeLessThanOrEqual(timing.visibilityTimeoutSeconds * 1000);
          expect(timing.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * timing.functionTimeoutSeconds + batchingWindowSeconds);
          expect(timing.minimumRemainingMs).toBeLessThanOrEqual(timing.functionTimeoutSeconds * 1000);
        },
      ),
    );
  });

  const good = deriveTiming({ p99Ms: 2_000, dependencyTimeoutMs: 10_000, marginMs: 3_000 });
  test.each([
    ['no margin', { marginMs: 0 }, 'positive'],
    ['a function that ends before its dependency may answer', { functionTimeoutSeconds: 12 }, 'fits into the function timeout'],
    ['a lease as short as the function', { leaseDurationMs: 25_000 }, 'shorter than the lease'],
    ['a lease longer than the visibility timeout', { leaseDurationMs: 151_000 }, 'not longer than the visibility timeout'],
    ['a visibility timeout under six function timeouts', { visibilityTimeoutSeconds: 149 }, 'six function timeouts'],
    [
      'a function longer than Lambda allows',
      { functionTimeoutSeconds: 901, leaseDurationMs: 903_000, visibilityTimeoutSeconds: 5_406 },
      'at most 900 s',
    ],
    ['a visibility timeout longer than SQS allows', { visibilityTimeoutSeconds: 43_201 }, 'at most 12 hours'],
  ])('with %s is refused in words', (_what, change, words) => {
    expect(() => assertTiming({ ...good, ...change })).toThrow(words);
  });

  test('of every kind that ships holds', () => {
    for (const { timing, queue } of jobs)
      expect(() => deriveTiming(timing, { batchingWindowSeconds: queue.batchingWindowSeconds ?? 0 })).not.toThrow();
  });
});

test('the limits fit each other: an item outlives queue, dead-letter queue and replay, and no wait is longer than SQS can hide a message', () => {
  expect(OWN_ITEM_RETENTION_DAYS).toBeGreaterThanOrEqual(3 * QUEUE_RETENTION_DAYS);
  expect(MAX_RETRY_AFTER_MS / 1000).toBeLessThanOrEqual(43_200);
  expect(MAX_RECEIVE_COUNT).toBe(1_000);
});

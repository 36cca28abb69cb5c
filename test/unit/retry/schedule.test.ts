import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_ATTEMPTS } from '#shared/contract/limits.ts';
import { jittered, MAX_RETRY_AFTER_MS, RETRY_DELAYS_MS, retryDelayMs } from '#shared/retry/schedule.ts';

const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

// B72
describe('the schedule', () => {
  test('is 10 s, 30 s, 2 min, 5 min and 15 min: one wait between each two of the six attempts', () => {
    expect(RETRY_DELAYS_MS.map((delayMs) => delayMs / 1000)).toEqual([10, 30, 120, 300, 900]);
    expect(RETRY_DELAYS_MS).toHaveLength(MAX_ATTEMPTS - 1);
  });

  test('keeps every wait within half and all of its step, in whole seconds, whatever chance says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fraction, (attempt, chance) => {
        const step = RETRY_DELAYS_MS[attempt - 1] ?? 0;
        const delayMs = retryDelayMs(attempt, { scale: 1, fraction: chance });
        expect(delayMs).toBeGreaterThanOrEqual(step / 2);
        expect(delayMs).toBeLessThanOrEqual(step);
        expect(delayMs % 1000).toBe(0);
      }),
    );
  });

  test('never waits less than asked, never longer than an hour on anybody’s word, and never not at all', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5, max: 50 }),
        fraction,
        fc.oneof(fc.double(), fc.integer({ min: 0, max: 10_000_000 })),
        (attempt, chance, retryAfterMs) => {
          const delayMs = retryDelayMs(attempt, { scale: 1, fraction: chance }, retryAfterMs);
          expect(delayMs).toBeGreaterThanOrEqual(1_000);
          expect(delayMs).toBeLessThanOrEqual(MAX_RETRY_AFTER_MS);
          if (retryAfterMs > 0) expect(delayMs).toBeGreaterThanOrEqual(Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
        },
      ),
    );
  });

  test('spreads: two workers that failed together do not come back together', () => {
    const delays = [0, 0.25, 0.5, 0.75, 0.999].map((chance) => jittered(900_000, { scale: 1, fraction: chance }));
    expect(new Set(delays).size).toBe(5);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { busiestWindow, saturate } from '../../support/limited-callers.ts';

// B71, S17
const WARM_UP_MS = 1_000;

describe('a rate limit that many workers want all of', () => {
  it('never lets more calls into any one second, with 20 workers whose clocks are 300 ms apart, and uses 90 % of it', async () => {
    const scenario = fc.record({
      callsPerSecond: fc.constantFrom(20, 60, 100, 200),
      jobs: fc.constantFrom(2, 4, 10),
      skewMs: fc.constantFrom(0, 300),
      seed: fc.integer({ min: 1, max: 100_000 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ callsPerSecond, jobs, skewMs, seed }) => {
        const lengthMs = 5_000;
        const { callsAtMs } = await saturate({ callsPerSecond, workers: 20, jobs, skewMs, seed, lengthMs });
        expect(busiestWindow(callsAtMs, 1_000)).toBeLessThanOrEqual(callsPerSecond);
        const steady = callsAtMs.filter((atMs) => atMs >= WARM_UP_MS).length / ((lengthMs - WARM_UP_MS) / 1_000);
        // Two jobs of each worker cannot use 200 calls a second, each taking 40 to 120 ms.
        expect(steady).toBeGreaterThanOrEqual(0.9 * Math.min(callsPerSecond, (20 * jobs) / 0.25));
      }),
      { seed: 71, numRuns: 25 },
    );
  });

  it('holds a slow limit at its edge: 10 a second, 40 callers in 4 processes', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { callsAtMs } = await saturate({ callsPerSecond: 10, workers: 4, jobs: 10, skewMs: 300, seed, lengthMs: 6_000 });
      expect(busiestWindow(callsAtMs, 1_000)).toBeLessThanOrEqual(10);
      expect(callsAtMs.length / 6).toBeGreaterThanOrEqual(9);
    }
  });

  it('costs one process about one write a block, not one a call', async () => {
    const { callsAtMs, control } = await saturate({ callsPerSecond: 200, workers: 1, jobs: 10, skewMs: 0, seed: 1, lengthMs: 4_000 });
    expect(control.calls.length).toBeLessThan(callsAtMs.length);
  });
});

describe('workers that start one after the other', () => {
  it('join without breaking the limit, fast clocks and slow ones', async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { callsAtMs } = await saturate({
        callsPerSecond: 100,
        workers: 20,
        jobs: 10,
        skewMs: 300,
        seed,
        lengthMs: 5_000,
        startWithinMs: 4_000,
      });
      expect(busiestWindow(callsAtMs, 1_000)).toBeLessThanOrEqual(100);
    }
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startValkey, valkeyIsMissing } from '../support/valkey-server.ts';
import { type CacheBench, openDynamoDbCache, openEmulatedCache, openMemoryCache, openValkeyCache } from './cache-benches.ts';
import { answerOfCache, cacheSteps, createSkewedClock } from './cache-steps.ts';
import { endpoint, randomRuns } from './target.ts';

/** Cheap without an emulator: here the memory cache is the model, and the adapter on the fake is judged by it. */
const runs = { ...randomRuns, numRuns: 150 };
const valkey = valkeyIsMissing === undefined ? await startValkey() : undefined;
if (valkeyIsMissing !== undefined) console.warn(valkeyIsMissing);
const SITUATIONS = ['token', 'wait', 'no answer', 'stored', 'refused', 'hit'];

describe('random sequences of readers, fills and invalidations', () => {
  const clock = createSkewedClock();
  let model: CacheBench;
  let others: CacheBench[];
  beforeAll(async () => {
    model = await openMemoryCache(clock);
    others = await Promise.all(
      [
        openDynamoDbCache,
        ...(endpoint === undefined ? [] : [openEmulatedCache(endpoint)]),
        ...(valkey === undefined ? [] : [openValkeyCache(valkey)]),
      ].map((open) => open(clock)),
    );
  });
  afterAll(async () => {
    await Promise.all(others.map((bench) => bench.close()));
    await valkey?.close();
  });

  it('get the same answers from every cache as from the one in memory, step by step', { timeout: 120_000 }, async () => {
    const met = new Set<unknown>();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(cacheSteps, async (sequence) => {
        const run = `r${++count}`;
        const seats = [model, ...others].map((bench) => ({ bench, run, given: new Map<string, string[]>() }));
        for (const step of sequence) {
          clock.actAs('reader' in step ? step.reader : 0);
          if (step.kind === 'pass') await clock.sleep(step.durationMs);
          const [wanted, ...answers] = await Promise.all(seats.map((seat) => answerOfCache(seat, step, clock.nowMs())));
          met.add(Array.isArray(wanted) ? wanted[0] : wanted);
          answers.forEach((answer, index) => expect(answer, `${others[index]?.name}: ${JSON.stringify(step)}`).toEqual(wanted));
        }
      }),
      runs,
    );
    expect([...met]).toEqual(expect.arrayContaining(SITUATIONS));
  });
});

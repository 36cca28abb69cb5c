import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { deriveTiming } from '#shared/contract/timing.ts';
import { defineJob, job, type RunInput } from '#shared/worker/define-job.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { done } from '#shared/worker/outcome.ts';
import type { Delivery, Worker } from '#shared/worker/worker.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

const HEARTBEAT_MS = 10_000;
const timing = { p99Ms: 60_000, dependencyTimeoutMs: 15_000, marginMs: 5_000, heartbeatMs: HEARTBEAT_MS };
const ITEM = { pk: 'JOB#long#long:1', sk: 'JOB' };

type Input = RunInput<{ id: string }>;

/** A long job on the real worker; `run` is what one execution does, time passes where it says so. */
function createBench() {
  const bench = createWorkerBench();
  const shown: number[] = [];
  const definitionOf = (run: (input: Input) => Promise<void>) =>
    defineJob({
      kind: 'long',
      version: 1,
      payload: z.strictObject({ id: z.string() }),
      key: ({ id }) => `long:${id}`,
      intent: () => ({}),
      timing,
      queue: { batchSize: 1, maxConcurrency: 2 },
      result: z.strictObject({}),
      async run(input: Input) {
        await run(input);
        return done({});
      },
    });
  const execute = (run: (input: Input) => Promise<void>, remainingMs = 95_000) => {
    const definition = definitionOf(run);
    const body = JSON.stringify(outboxMessage(job(definition, { id: '1' }), bench.clock.nowMs()));
    const delivery: Delivery = { messageId: 'm', receiptHandle: 'r', body, receiveCount: 1, firstReceivedAtMs: bench.clock.nowMs() };
    const worker: Worker = { ...bench.worker(definition), extendVisibility: async (_, seconds) => void shown.push(seconds) };
    return executeJob(delivery, worker, remainingMs);
  };
  const work =
    (rounds: number) =>
    async ({ progress }: Input) => {
      for (let round = 0; round < rounds; round++) {
        bench.clock.advance(HEARTBEAT_MS);
        await progress();
      }
    };
  return { ...bench, shown, execute, work, leaseUntilMs: () => bench.item(ITEM)?.['leaseUntilMs'] };
}

describe('work that outlasts its lease', () => {
  test('keeps lease and visibility while it reports progress, and commits', async () => {
    const { execute, work, shown, item } = createBench();
    expect(await execute(work(6))).toMatchObject({ outcome: 'committed', facts: { fence: 1 } });
    expect(shown).toEqual(Array(6).fill(deriveTiming(timing).visibilityTimeoutSeconds));
    expect(item(ITEM)).toMatchObject({ lease: 'free', fence: 1 });
  });

  test('keeps others out as long as it reports', async () => {
    const { execute, work } = createBench();
    const again: unknown[] = [];
    await execute(async (input) => {
      await work(4)(input);
      again.push((await execute(async () => undefined)).outcome);
    });
    expect(again).toEqual(['busy']);
  });

  test('loses both when it reports nothing: another takes over, and its own commit changes nothing', async () => {
    const bench = createBench();
    const successor: unknown[] = [];
    const late = await bench.execute(async () => {
      bench.clock.advance(3 * HEARTBEAT_MS + 1);
      successor.push(await bench.execute(async () => undefined));
    });
    expect(successor).toMatchObject([{ outcome: 'committed', facts: { fence: 2 } }]);
    expect(late).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
    expect(bench.shown).toEqual([]);
    expect(bench.item(ITEM)).toMatchObject({ fence: 2, version: 1 });
  });

  test('learns by its signal that another took over, and extends nothing any more', async () => {
    const bench = createBench();
    const aborted: boolean[] = [];
    const late = await bench.execute(async ({ progress, signal }) => {
      bench.clock.advance(3 * HEARTBEAT_MS + 1);
      await bench.execute(async () => undefined);
      await progress();
      aborted.push(signal.aborted);
    });
    expect(aborted).toEqual([true]);
    expect(late.outcome).toBe('fenced');
    expect(bench.shown).toEqual([]);
  });

  test('never holds its lease past the end of its function', async () => {
    const bench = createBench();
    const remainingMs = 35_000;
    const endsAtMs = bench.clock.nowMs() + remainingMs + 2_000;
    const seen: unknown[] = [];
    await bench.execute(async (input) => {
      seen.push(bench.leaseUntilMs());
      await bench.work(3)(input);
      seen.push(bench.leaseUntilMs());
    }, remainingMs);
    expect(seen).toEqual([endsAtMs - 7_000, endsAtMs]);
  });
});

// B55
describe('an extension under way when the run ends', () => {
  /** Lets the first extension wait on its way to the table until told otherwise. */
  const heldExtension = (bench: ReturnType<typeof createBench>) => {
    const held = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    bench.aws.fault = async ({ operation, input }) => {
      const isExtension =
        operation === 'UpdateItem' &&
        input['UpdateExpression'] === 'SET #n0 = :v0' &&
        input['ExpressionAttributeNames']['#n0'] === 'leaseUntilMs';
      if (!isExtension) return undefined;
      sent.resolve();
      await held.promise;
      return undefined;
    };
    return { let: () => held.resolve(), sent: sent.promise };
  };

  test.each(['ends well', 'throws'])('meets its condition when the run %s first: the item stays released', async (how) => {
    const bench = createBench();
    const extension = heldExtension(bench);
    let report: Promise<void> | undefined;
    const ending = await bench.execute(async ({ progress }) => {
      bench.clock.advance(HEARTBEAT_MS);
      report = progress();
      await extension.sent;
      if (how === 'throws') throw new RangeError('x');
    });
    expect(ending.outcome).toBe(how === 'throws' ? 'retry' : 'committed');
    const released = bench.item(ITEM);
    extension.let();
    await report;
    expect(bench.item(ITEM)).toEqual(released);
    expect(released).toMatchObject({ lease: 'free' });
    expect(bench.shown).toEqual([]);
  });

  test('that lands before the commit leaves it valid', async () => {
    const bench = createBench();
    const extension = heldExtension(bench);
    const ending = await bench.execute(async ({ progress }) => {
      bench.clock.advance(HEARTBEAT_MS);
      const report = progress();
      await extension.sent;
      extension.let();
      await report;
    });
    expect(ending.outcome).toBe('committed');
    expect(bench.item(ITEM)).toMatchObject({ lease: 'free' });
    expect(bench.shown).toHaveLength(1);
  });

  test('is not sent at all for a report that something left behind makes later', async () => {
    const bench = createBench();
    let leftBehind: Input['progress'] | undefined;
    await bench.execute(async ({ progress }) => {
      leftBehind = progress;
    });
    bench.aws.calls.length = 0;
    bench.clock.advance(10 * HEARTBEAT_MS);
    await leftBehind?.();
    expect(bench.aws.calls).toEqual([]);
  });

  test('keeps no timer alive after the job is done', async () => {
    const bench = createBench();
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    await bench.execute(bench.work(3));
    expect(timers()).toBe(before);
  });
});

import { describe, expect, test } from 'vitest';
import type { WriteAnswer } from '#shared/item/expression.ts';
import { createHeartbeat, LEASE_HEARTBEATS, noHeartbeat } from '#shared/worker/heartbeat.ts';

const INTERVAL_MS = 10_000;
const accepted: WriteAnswer = { accepted: true, image: {} };
const refused: WriteAnswer = { accepted: false, old: {} };

function createBench({ endsAtMs = 1_000_000 } = {}) {
  let nowMs = 0;
  const log: string[] = [];
  let answer: () => Promise<WriteAnswer> = async () => accepted;
  let show: () => Promise<void> = async () => undefined;
  const heartbeat = createHeartbeat({
    intervalMs: INTERVAL_MS,
    nowMs: () => nowMs,
    endsAtMs,
    extendLease: (leaseUntilMs) => {
      log.push(`lease ${leaseUntilMs}`);
      return answer();
    },
    extendVisibility: () => {
      log.push('visibility');
      return show();
    },
  });
  return {
    heartbeat,
    log,
    at: (ms: number) => {
      nowMs = ms;
    },
    answers: (give: () => Promise<WriteAnswer>) => {
      answer = give;
    },
    shows: (give: () => Promise<void>) => {
      show = give;
    },
  };
}

describe('a report of progress', () => {
  test('that comes early sends nothing', async () => {
    const { heartbeat, log, at } = createBench();
    await heartbeat.progress();
    at(INTERVAL_MS - 1);
    await heartbeat.progress();
    expect(log).toEqual([]);
  });

  test('that is due moves the lease three intervals on, then the visibility; the next is due an interval later', async () => {
    const { heartbeat, log, at } = createBench();
    at(INTERVAL_MS);
    await heartbeat.progress();
    at(2 * INTERVAL_MS - 1);
    await heartbeat.progress();
    at(2 * INTERVAL_MS);
    await heartbeat.progress();
    const leaseMs = LEASE_HEARTBEATS * INTERVAL_MS;
    expect(log).toEqual([`lease ${INTERVAL_MS + leaseMs}`, 'visibility', `lease ${2 * INTERVAL_MS + leaseMs}`, 'visibility']);
  });

  test('never moves the lease past the end of the function', async () => {
    const { heartbeat, log, at } = createBench({ endsAtMs: 25_000 });
    at(INTERVAL_MS);
    await heartbeat.progress();
    expect(log).toEqual(['lease 25000', 'visibility']);
  });

  test('whose extension is refused says so to the run, shows the message no longer and sends no more', async () => {
    const { heartbeat, log, at, answers } = createBench();
    answers(async () => refused);
    at(INTERVAL_MS);
    await heartbeat.progress();
    expect(heartbeat.signal.aborted).toBe(true);
    at(5 * INTERVAL_MS);
    await heartbeat.progress();
    expect(log).toEqual([`lease ${4 * INTERVAL_MS}`]);
  });

  test.each(['the table', 'the queue'])(
    'that gets no answer from %s is no loss: the run goes on and the next report tries again',
    async (who) => {
      const { heartbeat, log, at, answers, shows } = createBench();
      const silent = () => Promise.reject(new Error('no answer'));
      if (who === 'the table') answers(silent);
      else shows(silent);
      at(INTERVAL_MS);
      await heartbeat.progress();
      expect(heartbeat.signal.aborted).toBe(false);
      at(2 * INTERVAL_MS);
      await heartbeat.progress();
      expect(log.filter((entry) => entry.startsWith('lease'))).toHaveLength(2);
    },
  );

  test('made twice at once sends one extension', async () => {
    const { heartbeat, log, at } = createBench();
    at(INTERVAL_MS);
    await Promise.all([heartbeat.progress(), heartbeat.progress()]);
    expect(log).toEqual([`lease ${4 * INTERVAL_MS}`, 'visibility']);
  });
});

// B55
describe('a run that ended', () => {
  test('while an extension is pending sends nothing after it, whatever the answer', async () => {
    for (const answer of [accepted, refused]) {
      const { heartbeat, log, at, answers } = createBench();
      const pending = Promise.withResolvers<WriteAnswer>();
      answers(() => pending.promise);
      at(INTERVAL_MS);
      const report = heartbeat.progress();
      heartbeat.stop();
      pending.resolve(answer);
      await report;
      at(10 * INTERVAL_MS);
      await heartbeat.progress();
      expect(log).toEqual([`lease ${4 * INTERVAL_MS}`]);
    }
  });

  test('after its extension was answered sends nothing more either', async () => {
    const { heartbeat, log, at } = createBench();
    at(INTERVAL_MS);
    await heartbeat.progress();
    heartbeat.stop();
    at(10 * INTERVAL_MS);
    await heartbeat.progress();
    expect(log).toEqual([`lease ${4 * INTERVAL_MS}`, 'visibility']);
  });

  test('leaves no timer behind, ever', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout' || name === 'Immediate').length;
    const before = timers();
    const { heartbeat, at } = createBench();
    at(INTERVAL_MS);
    await heartbeat.progress();
    expect(timers()).toBe(before);
    heartbeat.stop();
    expect(timers()).toBe(before);
  });
});

test('a kind without a heartbeat reports into the void', async () => {
  const heartbeat = noHeartbeat();
  await heartbeat.progress();
  heartbeat.stop();
  expect(heartbeat.signal.aborted).toBe(false);
});

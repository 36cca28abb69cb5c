import { describe, expect, it, test } from 'vitest';
import { createPacer } from '#shared/rescue/pacer.ts';
import type { SweepTally } from '#shared/rescue/sweep.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Orders nobody has a message of, an hour old. */
async function forgottenOrders(count: number): Promise<PipelineBench> {
  const bench = createPipelineBench();
  for (let index = 0; index < count; index++) await bench.createOrder(`ord-${index}`);
  bench.loseStream();
  bench.clock.advance(HOUR_MS);
  return bench;
}

const scans = (bench: PipelineBench): number => bench.aws.calls.filter(({ operation }) => operation === 'Scan').length;
const ordersSent = (bench: PipelineBench): string[] => bench.sent.map(({ body }) => JSON.parse(body).payload.orderId);

describe('the daily sweep', () => {
  it('leaves what changed in the last half hour to its own messages', async () => {
    const bench = await forgottenOrders(1);
    await bench.createOrder('young');
    expect(await bench.sweep()).toMatchObject({ looked: 2, sent: 1 });
    expect(ordersSent(bench)).toEqual(['ord-0']);
  });

  it('is done once a day: a later run reads nothing, the next day begins anew', async () => {
    const bench = await forgottenOrders(3);
    await bench.sweep();
    bench.aws.calls.length = 0;
    expect(await bench.sweep()).toBeUndefined();
    expect(scans(bench)).toBe(0);
    bench.clock.advance(DAY_MS);
    expect(await bench.sweep()).toMatchObject({ looked: 3, sent: 3, doneSegments: 4 });
  });

  it('stops before its function must, and goes on where it stopped: each item is looked at once', async () => {
    const bench = await forgottenOrders(450);
    const tallies: (SweepTally | undefined)[] = [];
    for (let run = 0; run < 10; run++) {
      let pages = 0;
      tallies.push(await bench.sweep({ segments: 1, remainingMs: () => (pages++ < 2 ? 60_000 : 14_999) }));
    }
    expect(tallies.map((tally) => tally?.looked)).toEqual([200, 200, 50, ...Array.from({ length: 7 }, () => undefined)]);
    expect(new Set(ordersSent(bench))).toHaveLength(450);
    expect(ordersSent(bench)).toHaveLength(450);
  });

  it('that a day is too short for goes on the next day from where it stands', async () => {
    const bench = await forgottenOrders(250);
    let pages = 0;
    await bench.sweep({ segments: 1, remainingMs: () => (pages++ < 1 ? 60_000 : 0) });
    expect(ordersSent(bench)).toHaveLength(100);
    bench.clock.advance(DAY_MS);
    expect(await bench.sweep({ segments: 1 })).toMatchObject({ looked: 150 });
    expect(new Set(ordersSent(bench))).toHaveLength(250);
  });

  it('repeats a page whose jobs the queue did not take', async () => {
    const bench = await forgottenOrders(2);
    bench.deafQueues.add('capture-payment');
    await expect(bench.sweep({ segments: 1 })).rejects.toThrow('not accepted');
    bench.deafQueues.clear();
    expect(await bench.sweep({ segments: 1 })).toMatchObject({ looked: 2, sent: 2 });
  });

  it('holds back kinds that are paused or behind an open circuit', async () => {
    const bench = await forgottenOrders(2);
    bench.closedKinds.add('capture-payment');
    expect(await bench.sweep()).toMatchObject({ sent: 0, heldBack: 2 });
    expect(bench.sent).toEqual([]);
  });

  it('counts an item it cannot read and goes on', async () => {
    const bench = await forgottenOrders(2);
    bench.restore({ ...bench.order('ord-0'), status: 'nonsense' });
    expect(await bench.sweep()).toMatchObject({ looked: 2, sent: 1, unreadable: 1 });
    expect(bench.counted).toMatchObject({ SweepUnreadable: 1, SweepFound: 1 });
  });

  it('reads no faster than it may, whatever the number of segments', async () => {
    const bench = await forgottenOrders(400);
    const startMs = bench.clock.nowMs();
    const before = bench.aws.dynamodb.billed.read;
    await bench.sweep({ segments: 4, readUnitsPerSecond: 2 });
    const units = bench.aws.dynamodb.billed.read - before;
    const seconds = (bench.clock.nowMs() - startMs) / 1000;
    expect(units).toBeGreaterThan(10);
    // The last page is paid for by whoever comes next.
    expect(seconds).toBeGreaterThan((units / 2) * 0.6);
  });

  it('forgets a receipt older than thirteen days, whose own item may be gone', async () => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    await bench.deliverNow('capture-payment', body);
    bench.loseStream();
    bench.clock.advance(13 * DAY_MS);
    expect(await bench.sweep()).toMatchObject({ looked: 1, sent: 0 });
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', userId: USER });
  });
});

test('a pacer spends at its rate and saves nothing up', async () => {
  const clock = createVirtualClock(0);
  const pacer = createPacer(10, clock);
  clock.advance(60_000);
  for (let page = 0; page < 3; page++) {
    await pacer.ready();
    pacer.spend(5);
  }
  expect(clock.nowMs()).toBe(61_000);
});

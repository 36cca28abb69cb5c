import { expect, it } from 'vitest';
import { createSchedule } from '../../simulation/cloud/schedule.ts';
import type { World } from '../../simulation/kernel/world.ts';
import { createSmallWorld } from './small-world.ts';

const MINUTE_MS = 60_000;

function bench(nextMs: (nowMs: number) => number) {
  const world = createSmallWorld();
  const runs: number[] = [];
  const schedule = createSchedule(world as unknown as World, {
    everyMs: MINUTE_MS,
    nextMs: () => nextMs(world.nowMs),
    run: () => void runs.push(world.nowMs / MINUTE_MS),
  });
  return { world, runs, schedule };
}

it('runs at every full period for as long as there is something to do', async () => {
  const { world, runs, schedule } = bench((nowMs) => (nowMs < 3 * MINUTE_MS ? nowMs : Number.POSITIVE_INFINITY));
  schedule.poke();
  await world.pass(10 * MINUTE_MS);
  expect(runs).toEqual([1, 2, 3]);
});

it('leaves out the runs that would find nothing', async () => {
  let dueMs = 5.5 * MINUTE_MS;
  const { world, runs, schedule } = bench((nowMs) => (nowMs < dueMs ? dueMs : Number.POSITIVE_INFINITY));
  schedule.poke();
  await world.pass(10 * MINUTE_MS);
  expect(runs).toEqual([6]);
  dueMs = 12 * MINUTE_MS;
  await world.pass(10 * MINUTE_MS);
  expect(runs).toEqual([6]);
  schedule.poke();
  dueMs = 22 * MINUTE_MS;
  schedule.poke();
  await world.pass(10 * MINUTE_MS);
  expect(runs).toEqual([6, 22]);
});

it('comes sooner when something becomes due sooner', async () => {
  let dueMs = 9 * MINUTE_MS;
  const { world, runs, schedule } = bench((nowMs) => (nowMs < dueMs ? dueMs : Number.POSITIVE_INFINITY));
  schedule.poke();
  await world.pass(MINUTE_MS);
  dueMs = 3 * MINUTE_MS;
  schedule.poke();
  await world.pass(10 * MINUTE_MS);
  expect(runs).toEqual([3]);
});

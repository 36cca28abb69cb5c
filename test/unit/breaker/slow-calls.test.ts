import { expect, it } from 'vitest';
import { createSlowCalls } from '#shared/breaker/slow-calls.ts';
import { slowRow } from '#shared/control/rows.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function bench() {
  const clock = createVirtualClock();
  const control = createMemoryControl();
  const slow = createSlowCalls({ dependency: 'd', control, nowMs: clock.nowMs });
  const took = async (durations: number[]) => {
    for (const duration of durations) await slow.took(duration, 2_000);
  };
  return { clock, control, took };
}

it('reports a dependency half of whose calls take longer than a healthy run at its worst', async () => {
  const { clock, control, took } = bench();
  await took([...Array(9).fill(100), ...Array(11).fill(5_000)]);
  expect(control.rows.get(slowRow('d'))).toMatchObject({ sinceMs: clock.nowMs(), p50Ms: 5_000 });
});

it('takes a few slow calls, or calls as long as a healthy run, for nothing', async () => {
  const { control, took } = bench();
  await took([...Array(11).fill(100), ...Array(9).fill(60_000)]);
  await took(Array(20).fill(2_000));
  expect(control.calls).toEqual([]);
});

it('reports once a minute however many calls are slow, and bears a table that does not answer', async () => {
  const { clock, control, took } = bench();
  await took(Array(200).fill(5_000));
  expect(control.calls).toHaveLength(1);
  clock.advance(60_000);
  control.failure = new Error('no answer');
  await took(Array(200).fill(5_000));
  expect(control.calls).toHaveLength(2);
});

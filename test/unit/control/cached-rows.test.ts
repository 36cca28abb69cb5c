import { expect, it } from 'vitest';
import { createCachedRows } from '#shared/control/cached-rows.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function bench() {
  const clock = createVirtualClock();
  const control = createMemoryControl();
  return { clock, control, rows: createCachedRows({ control, nowMs: clock.nowMs, maxAgeMs: 1_000 }) };
}

it('reads a row once a second, absence too, and shares the answer with those who ask meanwhile', async () => {
  const { clock, control, rows } = bench();
  await Promise.all([rows.read('a'), rows.read('a'), rows.read('a')]);
  clock.advance(999);
  expect(await rows.read('a')).toBeUndefined();
  expect(control.calls).toEqual(['get a']);
  await control.put('a', { n: 1 });
  clock.advance(1);
  expect(await rows.read('a')).toEqual({ id: 'a', n: 1 });
});

it('does not keep a failed read', async () => {
  const { control, rows } = bench();
  control.failure = new Error('no answer');
  await expect(rows.read('a')).rejects.toThrow('no answer');
  control.failure = undefined;
  expect(await rows.read('a')).toBeUndefined();
});

it('asks again for a row that is known to have changed', async () => {
  const { control, rows } = bench();
  await rows.read('a');
  await control.put('a', { n: 1 });
  rows.forget('a');
  expect(await rows.read('a')).toEqual({ id: 'a', n: 1 });
});

import { describe, expect, it } from 'vitest';
import { type CircuitBreaker, createCircuitBreaker, type Entry, type Probe } from '#shared/breaker/circuit-breaker.ts';
import { createCachedRows } from '#shared/control/cached-rows.ts';
import { breakerRow } from '#shared/control/rows.ts';
import { createMemoryControl } from '../../support/memory-control.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

// B69, S16
const ROW = breakerRow('d');
const CALL_MS = 10_000;

function bench({ scale = 1 } = {}) {
  const clock = createVirtualClock();
  const control = createMemoryControl();
  let tokens = 0;
  const instance = (): CircuitBreaker => {
    const rows = createCachedRows({ control, nowMs: clock.nowMs, maxAgeMs: 1_000 });
    return createCircuitBreaker({ dependency: 'd', control, rows, nowMs: clock.nowMs, token: () => `t-${++tokens}`, scale });
  };
  const fail = async (breaker: CircuitBreaker, times: number, probe?: Probe) => {
    for (let time = 0; time < times; time++) await breaker.report('failed', probe);
  };
  const state = () => control.rows.get(ROW)?.state;
  return { clock, control, instance, fail, state };
}

const probeOf = (entry: Entry): Probe => {
  if (!entry.admitted || entry.probe === undefined) throw new Error('not admitted as the probe');
  return entry.probe;
};

describe('a healthy circuit', () => {
  it('costs no write, and one read a second however many jobs ask', async () => {
    const { clock, control, instance } = bench();
    const breaker = instance();
    for (let job = 0; job < 200; job++) {
      expect(await breaker.enter()).toEqual({ admitted: true, share: 1 });
      expect(await breaker.refuseCall(undefined, CALL_MS)).toBeUndefined();
      await breaker.report('answered', undefined);
      clock.advance(50);
    }
    expect(new Set(control.calls)).toEqual(new Set([`get ${ROW}`]));
    expect(control.calls).toHaveLength(10);
  });

  it('opens for all processes at the fifth failure in a row', async () => {
    const { clock, instance, fail, state } = bench();
    const [first, second] = [instance(), instance()];
    await second.enter();
    await fail(first, 4);
    expect(state()).toBeUndefined();
    await fail(first, 1);
    expect(state()).toBe('open');
    expect(await first.enter()).toEqual({ admitted: false, retryAfterMs: 15_000 });
    clock.advance(1_000);
    expect(await second.enter()).toEqual({ admitted: false, retryAfterMs: 14_000 });
  });

  it('counts neither answers nor requests to slow down, and an answer ends the row of failures', async () => {
    const { instance, fail, state } = bench();
    const breaker = instance();
    for (let round = 0; round < 5; round++) {
      await fail(breaker, 4);
      await breaker.report('answered', undefined);
    }
    for (let time = 0; time < 50; time++) await breaker.report('limited', undefined);
    for (let time = 0; time < 50; time++) await breaker.report('unsaid', undefined);
    expect(state()).toBeUndefined();
  });

  it('forgets failures that are a minute apart', async () => {
    const { clock, instance, fail, state } = bench();
    const breaker = instance();
    for (let round = 0; round < 10; round++) {
      await fail(breaker, 1);
      clock.advance(20_000);
    }
    expect(state()).toBeUndefined();
  });

  it('lets a process stop by itself when the table cannot be told', async () => {
    const { control, instance, fail, clock } = bench();
    const breaker = instance();
    await breaker.enter();
    const update = control.update;
    control.update = async () => Promise.reject(new Error('no answer'));
    await fail(breaker, 5);
    control.update = update;
    expect(await breaker.enter()).toMatchObject({ admitted: false });
    expect(await breaker.refuseCall(undefined, CALL_MS)).toMatchObject({ retryAfterMs: 15_000 });
    clock.advance(15_001);
    expect(await breaker.enter()).toMatchObject({ admitted: true });
  });
});

describe('an open circuit', () => {
  const opened = async (options = {}) => {
    const world = bench(options);
    await world.fail(world.instance(), 5);
    return world;
  };

  it('stops a job that was let in before it opened', async () => {
    const { clock, control, instance } = bench();
    const breaker = instance();
    expect(await breaker.enter()).toMatchObject({ admitted: true });
    await control.put(ROW, { state: 'open', openings: 1, openedAtMs: 0, retryAtMs: clock.nowMs() + 60_000 });
    clock.advance(1_000);
    expect(await breaker.refuseCall(undefined, CALL_MS)).toEqual({ retryAfterMs: 59_000 });
  });

  it('lets exactly one of 50 jobs in 5 processes through when its cool-down is over', async () => {
    const { clock, instance } = await opened();
    clock.advance(15_000);
    const processes = Array.from({ length: 5 }, instance);
    const entries = await Promise.all(processes.flatMap((breaker) => Array.from({ length: 10 }, () => breaker.enter())));
    expect(entries.filter(({ admitted }) => admitted)).toHaveLength(1);
    expect(entries.filter((entry) => entry.admitted && entry.probe !== undefined)).toHaveLength(1);
    for (const breaker of processes) expect(await breaker.enter()).toMatchObject({ admitted: false });
  });

  it('frees the place of a prober that died, before its call and during it', async () => {
    const { clock, instance } = await opened();
    clock.advance(15_000);
    const [first, second, third] = [instance(), instance(), instance()];
    probeOf(await first.enter());
    clock.advance(5_001);
    const probe = probeOf(await second.enter());
    expect(await second.refuseCall(probe, CALL_MS)).toBeUndefined();
    clock.advance(CALL_MS);
    expect(await third.enter()).toMatchObject({ admitted: false });
    clock.advance(CALL_MS + 1);
    probeOf(await third.enter());
  });

  it('stops a prober whose place was taken meanwhile', async () => {
    const { clock, instance } = await opened();
    clock.advance(15_000);
    const [slow, next] = [instance(), instance()];
    const late = probeOf(await slow.enter());
    clock.advance(5_001);
    probeOf(await next.enter());
    expect(await slow.refuseCall(late, CALL_MS)).toBeDefined();
  });

  it('opens again for twice as long when the probe fails, up to five minutes', async () => {
    const { clock, instance, fail, control } = await opened();
    const lengths: number[] = [];
    for (let round = 0; round < 7; round++) {
      clock.advance(Number(control.rows.get(ROW)?.retryAtMs) - clock.nowMs());
      const breaker = instance();
      await fail(breaker, 1, probeOf(await breaker.enter()));
      lengths.push(Number(control.rows.get(ROW)?.retryAtMs) - clock.nowMs());
    }
    expect(lengths).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000, 300_000]);
  });

  it.each(['answered', 'limited'] as const)('closes in steps when the probe was %s, and then says nothing any more', async (end) => {
    const { clock, instance, state } = await opened();
    clock.advance(15_000);
    const breaker = instance();
    await breaker.report(end, probeOf(await breaker.enter()));
    expect(state()).toBe('closing');
    const shares: number[] = [];
    for (let step = 0; step < 4; step++) {
      const entry = await instance().enter();
      shares.push(entry.admitted ? entry.share : 0);
      clock.advance(15_000);
    }
    expect(shares).toEqual([1 / 8, 1 / 4, 1 / 2, 1]);
  });

  it('keeps its place and its row when the probe did not get to call', async () => {
    const { clock, instance, state } = await opened();
    clock.advance(15_000);
    const breaker = instance();
    await breaker.report('unsaid', probeOf(await breaker.enter()));
    expect(state()).toBe('half-open');
  });

  it('ignores late ends of calls that were under way when it opened', async () => {
    const { instance, fail, control } = await opened();
    const before = control.rows.get(ROW);
    const breaker = instance();
    await fail(breaker, 20);
    await breaker.report('answered', undefined);
    expect(control.rows.get(ROW)).toEqual(before);
  });

  it('cools down in a tenth of the time where time is shortened', async () => {
    const { control, clock } = await opened({ scale: 0.1 });
    expect(Number(control.rows.get(ROW)?.retryAtMs) - clock.nowMs()).toBe(1_500);
  });
});

describe('a closing circuit', () => {
  const closing = async () => {
    const world = bench();
    await world.fail(world.instance(), 5);
    world.clock.advance(15_000);
    const breaker = world.instance();
    await breaker.report('answered', probeOf(await breaker.enter()));
    return { ...world, breaker };
  };

  it('opens again at the second failure in a row, for longer than before', async () => {
    const { breaker, fail, state, control, clock } = await closing();
    await fail(breaker, 1);
    expect(state()).toBe('closing');
    await fail(breaker, 1);
    expect(state()).toBe('open');
    expect(Number(control.rows.get(ROW)?.retryAtMs) - clock.nowMs()).toBe(30_000);
  });

  it('counts from one again once its ramp is over', async () => {
    const { clock, instance, fail, control } = await closing();
    clock.advance(60_000);
    const breaker = instance();
    await fail(breaker, 5);
    expect(Number(control.rows.get(ROW)?.retryAtMs) - clock.nowMs()).toBe(15_000);
  });
});

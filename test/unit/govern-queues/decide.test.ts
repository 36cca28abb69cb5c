import { describe, expect, it } from 'vitest';
import { decide, type QueueFacts } from '../../../functions/govern-queues/decide.ts';

const facts = (overrides: Partial<QueueFacts> & { now?: number; enabled?: boolean } = {}): QueueFacts => {
  const { now = 20, enabled = true, ...rest } = overrides;
  return {
    mapping: { kind: 'k', enabled, maxConcurrency: now, changing: false },
    maxConcurrency: 20,
    paused: false,
    standing: 'closed',
    slowAgoMs: undefined,
    ...rest,
  };
};
const runs = (concurrency: number) => ({ run: true, concurrency });

describe('a queue', () => {
  it.each([
    ['while its kind is paused', { paused: true }, 'paused'],
    ['while its kind is paused, whatever its circuit does', { paused: true, standing: 'probe-due' as const }, 'paused'],
    ['while the circuit is open', { standing: 'open' as const }, 'circuit-open'],
  ])('is off %s', (_when, overrides, reason) => {
    expect(decide(facts(overrides))).toEqual({ run: false, reason });
  });

  it.each(['probe-due', 'probing'] as const)(
    'runs at the least that AWS knows while its circuit is %s, so that somebody comes for the probe',
    (standing) => {
      expect(decide(facts({ standing }))).toEqual(runs(2));
      expect(decide(facts({ standing, enabled: false }))).toEqual(runs(2));
    },
  );

  it('comes back at two and doubles with every run, to what its definition says', () => {
    const steps = [decide(facts({ standing: 'closing', enabled: false }))];
    for (let run = 0; run < 5; run++)
      steps.push(decide(facts({ standing: 'closing', now: (steps.at(-1) as { concurrency: number }).concurrency })));
    expect(steps).toEqual([2, 4, 8, 16, 20, 20].map(runs));
  });

  it('comes back by itself whoever turned it off', () => {
    expect(decide(facts({ enabled: false }))).toEqual(runs(2));
  });

  it('is halved with every report of a slow dependency, to two', () => {
    expect([20, 10, 5, 2].map((now) => decide(facts({ now, slowAgoMs: 30_000 })))).toEqual([10, 5, 2, 2].map(runs));
  });

  it('stays for a quiet minute, then climbs by quarters, and doubles once slowness is forgotten', () => {
    expect(decide(facts({ now: 5, slowAgoMs: 90_000 }))).toEqual(runs(5));
    expect(decide(facts({ now: 5, slowAgoMs: 121_000 }))).toEqual(runs(10));
    expect(decide(facts({ now: 18, slowAgoMs: 121_000 }))).toEqual(runs(20));
    expect(decide(facts({ now: 5, slowAgoMs: 3_600_000 }))).toEqual(runs(10));
  });

  it('takes a definition of two at its word', () => {
    expect(decide(facts({ now: 2, maxConcurrency: 2 }))).toEqual(runs(2));
  });
});

import { describe, expect, it } from 'vitest';
import { deriveTiming } from '#shared/contract/timing.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { exportOrders } from '#shared/jobs/export-orders.ts';
import { formatTuning } from '../../../cli/tune/format-tuning.ts';
import { measure } from '../../../cli/tune/measure.ts';
import { percentile } from '../../../cli/tune/percentile.ts';
import { LEAST_RUNS, propose } from '../../../cli/tune/propose.ts';

const KIND = capturePayment.kind;
const batch = (jobs: object[], kind = KIND, atMs = 10_000) => ({ atMs, logGroup: 'g', fields: { message: 'batch', kind, jobs } });
const committed = (durationMs: number, count = 1) => Array.from({ length: count }, () => ({ outcome: 'committed', durationMs }));
const measured = (durationMs: number, count = LEAST_RUNS) => measure(KIND, [batch(committed(durationMs, count))]);

describe('a measurement', () => {
  it('takes the p99 by its rank', () => {
    expect(percentile([...Array(100).keys()], 0.99)).toBe(98);
    expect(percentile([5], 0.99)).toBe(5);
    expect(percentile([], 0.99)).toBeUndefined();
  });

  it('is made of healthy runs of one kind, and counts what was cut off or put off', () => {
    const jobs = [
      ...committed(100, 98),
      ...committed(900, 2),
      { outcome: 'retry', code: 'provider-timeout', durationMs: 10_000 },
      { outcome: 'rate-limited', durationMs: 5 },
      { outcome: 'deferred', code: 'circuit-open', durationMs: 5 },
      { outcome: 'duplicate', durationMs: 1 },
    ];
    const lines = [
      batch(jobs),
      batch(committed(7_777), 'send-receipt'),
      { atMs: 0, logGroup: 'g', fields: { message: 'other', kind: KIND } },
    ];
    expect(measure(KIND, lines)).toEqual({
      kind: KIND,
      runs: 104,
      healthyRuns: 100,
      p50Ms: 100,
      p99Ms: 900,
      longestMs: 900,
      timedOut: 1,
      rateLimited: 1,
      circuitOpen: 1,
      mostPerSecond: 100,
    });
  });
});

describe('a proposal', () => {
  it('is not made on too little data', () => {
    expect(propose(capturePayment, measured(5_000, LEAST_RUNS - 1), 1)).toMatchObject({ verdict: 'too-little-data', proposed: null });
    expect(propose(capturePayment, measured(5_000), 1).verdict).toBe('too-tight');
  });

  it.each([
    [1_000, 'fits'],
    [2_000, 'too-tight'],
    [100, 'too-loose'],
  ])('for a p99 of %i ms where 2000 is declared says that it %s', (p99Ms, verdict) => {
    expect(propose(capturePayment, measured(p99Ms), 1).verdict).toBe(verdict);
  });

  it('leaves room above what was measured, waits five healthy runs for an answer, and holds together', () => {
    const { proposed, derived, edit } = propose(capturePayment, measured(2_010), 1);
    expect(proposed).toEqual({ p99Ms: 3_100, dependencyTimeoutMs: 15_500, marginMs: 3_000 });
    expect(derived).toEqual(deriveTiming({ p99Ms: 3_100, dependencyTimeoutMs: 15_500, marginMs: 3_000 }));
    expect(edit).toBe('shared/jobs/capture-payment.ts: timing: { p99Ms: 3_100, dependencyTimeoutMs: 15_500, marginMs: 3_000 },');
  });

  it('never waits shorter for an answer than one has taken, nor than three seconds', () => {
    const fast = measure(KIND, [batch([...committed(20, LEAST_RUNS), ...committed(4_200)])]);
    expect(propose(capturePayment, fast, 1).proposed?.dependencyTimeoutMs).toBe(4_500);
    expect(propose(capturePayment, measured(20), 1).proposed?.dependencyTimeoutMs).toBe(3_000);
  });

  it('says nothing about the calls of a job that goes on from beat to beat', () => {
    const long = measure(exportOrders.kind, [batch(committed(100_000, LEAST_RUNS), exportOrders.kind)]);
    const { dependencyTimeoutMs, heartbeatMs } = exportOrders.timing;
    expect(propose(exportOrders, long, 1).proposed).toMatchObject({ dependencyTimeoutMs, heartbeatMs });
  });

  it('is in declared time where a stage shortens time', () => {
    expect(propose(capturePayment, measured(201), 0.1).proposed).toMatchObject({ p99Ms: 3_100 });
  });
});

describe('what tune says', () => {
  const say = (durationMs: number, count: number, extra: object[] = []) => {
    const proposal = propose(capturePayment, measure(KIND, [batch([...committed(durationMs, count), ...extra])]), 1);
    const proposals = [{ ...proposal, dependency: 'payment-provider' }];
    return formatTuning({ stage: 'test', sinceMs: 0, timeScale: 1, rateLimits: { 'payment-provider': 100 }, proposals });
  };

  it('ends in an edit, or in what is missing for one', () => {
    expect(say(3_000, LEAST_RUNS)).toContain('edit shared/jobs/capture-payment.ts: timing:');
    expect(say(3_000, 5)).toMatch(/too little data[\s\S]*300 healthy runs/);
  });

  it('warns of answers that did not come, and names the limit that put jobs off', () => {
    const text = say(1_000, LEAST_RUNS, [{ outcome: 'retry', code: 'provider-timeout' }, { outcome: 'rate-limited' }]);
    expect(text).toContain('1 of 302 runs had no answer in time');
    expect(text).toContain('1 of 302 were put off by the rate limit (100 calls/s, at most 300 runs began in a second)');
  });
});

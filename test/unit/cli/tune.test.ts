import { describe, expect, it } from 'vitest';
import { deriveTiming } from '#shared/contract/timing.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { exportOrders } from '#shared/jobs/export-orders.ts';
import { formatTuning } from '../../../cli/tune/format-tuning.ts';
import { measure } from '../../../cli/tune/measure.ts';
import { percentile } from '../../../cli/tune/percentile.ts';
import { LEAST_RUNS, propose } from '../../../cli/tune/propose.ts';
import { proposeLoad } from '../../../cli/tune/propose-load.ts';

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
      calls: 0,
      callP99Ms: null,
      callLongestMs: null,
      writes: 0,
      writeP99Ms: null,
      callFailed: 1,
      refusedForRate: 0,
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

describe('a proposal from what the workers noted of their calls and writes', () => {
  const noted = (callMs: number[], writeMs: number[] = []) => {
    const line = batch(committed(1_000, LEAST_RUNS));
    return propose(capturePayment, measure(KIND, [{ ...line, fields: { ...line.fields, callMs, writeMs } }]), 1);
  };
  const of = (proposal: ReturnType<typeof noted>, name: string) => proposal.values.find((value) => value.name === name);
  const times = (ms: number, count = LEAST_RUNS): number[] => Array.from({ length: count }, () => ms);

  it('takes the longest wait for an answer from the calls, not from whole runs, and names the measurement', () => {
    const proposal = noted([...times(200), 2_900]);
    expect(of(proposal, 'p99Ms')).toEqual({ name: 'p99Ms', now: 2_000, proposed: null, because: 'p99 of 300 runs 1000 ms' });
    expect(of(proposal, 'dependencyTimeoutMs')).toMatchObject({ proposed: null, because: 'p99 of 301 calls 200 ms, longest 2900 ms' });
    expect(of(noted(times(2_000)), 'dependencyTimeoutMs')).toMatchObject({ now: 10_000, proposed: 15_000 });
    expect(noted(times(2_000)).edit).toContain('dependencyTimeoutMs: 15_000');
  });

  it('keeps what too little was measured of, and says so', () => {
    const proposal = noted(times(9_000, 12), times(1, 7));
    expect(of(proposal, 'dependencyTimeoutMs')).toMatchObject({ proposed: null, because: '12 calls noted: judged by whole runs' });
    expect(of(proposal, 'marginMs')).toMatchObject({ proposed: null, because: '7 writes noted, 300 are needed' });
  });

  it('keeps more time in hand where writes are slow, and never less than is declared', () => {
    expect(of(noted([], times(900)), 'marginMs')).toMatchObject({ now: 3_000, proposed: 4_500, because: 'p99 of 300 writes 900 ms' });
    expect(of(noted([], times(5)), 'marginMs')).toMatchObject({ proposed: null });
  });
});

describe('a proposal for what stands before a dependency', () => {
  const load = (extra: object[], count = 10_000) => {
    const spread = committed(100, count).map((job, index) => batch([job], KIND, 1_000_000 + index * 100));
    return proposeLoad('payment-provider', [measure(KIND, [...spread, batch(extra)])], 100).values;
  };
  const many = (job: object, count: number) => Array.from({ length: count }, () => job);

  it('keeps both where nothing speaks against them, or too little was run', () => {
    expect(load([]).map(({ proposed }) => proposed)).toEqual([null, null]);
    expect(load([], 5)).toMatchObject([{ proposed: null, because: '5 runs, 300 are needed' }, { proposed: null }]);
  });

  it('takes more failures to open a circuit that chance alone would open, but for those of an outage', () => {
    const failed = many({ outcome: 'unknown', code: 'provider-timeout' }, 1_000);
    expect(load(failed)[0]).toMatchObject({ now: 5, proposed: 7, because: '1000 of 11000 runs failed at the dependency' });
    expect(load([...failed, { outcome: 'circuit-open' }])[0]).toMatchObject({
      proposed: null,
      because: expect.stringContaining('in an outage'),
    });
  });

  it('calls less often where the provider refuses, more often where only we do', () => {
    expect(load(many({ outcome: 'retry', code: 'provider-rate-limited' }, 3))[1]).toMatchObject({ now: 100, proposed: 8 });
    expect(load(many({ outcome: 'rate-limited' }, 500))[1]).toMatchObject({
      proposed: 150,
      because: expect.stringContaining('if the provider allows it'),
    });
    expect(load(many({ outcome: 'rate-limited' }, 5))[1]).toMatchObject({ proposed: null });
  });
});

describe('what tune says', () => {
  const say = (durationMs: number, count: number, extra: object[] = []) => {
    const proposal = propose(capturePayment, measure(KIND, [batch([...committed(durationMs, count), ...extra])]), 1);
    const proposals = [{ ...proposal, dependency: 'payment-provider' }];
    const load = [proposeLoad('payment-provider', [proposal.measured], 100)];
    return formatTuning({ stage: 'test', sinceMs: 0, timeScale: 1, rateLimits: { 'payment-provider': 100 }, proposals, load });
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

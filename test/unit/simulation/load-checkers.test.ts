import { describe, expect, it } from 'vitest';
import { noSelfLockout } from '../../simulation/invariants/l5-no-self-lockout.ts';
import { breakerCloses } from '../../simulation/invariants/l6-breaker-closes.ts';
import { retrySpreadFault, situationOfWait } from '../../simulation/invariants/retry-spread.ts';
import { breaker } from '../../simulation/invariants/s16-breaker.ts';
import { limits } from '../../simulation/invariants/s17-limits.ts';
import { messageOf, type ObservedRun, ORDER, ORDER_ID, observe } from './observed-run.ts';

const ROW = 'breaker:payment-provider';
const WORKER = 'execute-job/capture-payment#1';
const OTHER = 'execute-job/capture-payment#2';
const CAPTURE = messageOf('capture-payment', 'capture:u1/o1:1');
const MINUTE_MS = 60_000;

const fail = (run: ObservedRun, times: number): void => {
  for (let time = 0; time < times; time++) run.see.providerAnswered(run.call({}), { status: 503, retryAfterSeconds: undefined });
};
const open = (run: ObservedRun, seconds = 15): void =>
  run.write('Control', ROW, { state: 'open', openings: 1, openedAtMs: run.nowMs, retryAtMs: run.nowMs + seconds * 1000 });
const halfOpen = (run: ObservedRun, by: string): void => run.write('Control', ROW, { state: 'half-open', openings: 1, probeOwner: by }, by);

describe('S16, the breaker', () => {
  it('takes a circuit opened by failures, calls that could not know, and one probe', () => {
    const run = observe(breaker);
    fail(run, 5);
    open(run);
    run.nowMs += 900;
    run.call({ from: OTHER });
    run.end(OTHER);
    run.nowMs += 20_000;
    halfOpen(run, OTHER);
    run.call({ from: OTHER });
    run.end(OTHER);
    run.write('Control', ROW, { state: 'closing' }, OTHER);
    run.call({});
    run.end(WORKER);
    expect(run.violations).toEqual([]);
    expect(run.situations).toEqual({ 'breaker open': 1, 'breaker half-open': 1, 'breaker closing': 1 });
  });

  it('sees a call on an open circuit, unless its process had stood still', () => {
    const run = observe(breaker);
    fail(run, 5);
    open(run);
    run.nowMs += 5_000;
    run.call({ from: OTHER });
    run.end(OTHER, { frozenUntilMs: run.nowMs });
    expect(run.violations).toEqual([]);
    run.call({});
    run.end(WORKER);
    expect(run.violations).toEqual([expect.stringContaining(`${WORKER} sent a capture 5000 ms after the circuit had opened`)]);
  });

  it('sees a second call of a probe, and a call of somebody who is not the probe', () => {
    const run = observe(breaker);
    fail(run, 5);
    open(run);
    run.nowMs += 20_000;
    halfOpen(run, OTHER);
    run.call({ from: OTHER, operation: 'find' });
    run.call({ from: OTHER });
    run.end(OTHER);
    run.call({});
    run.end(WORKER);
    expect(run.violations).toEqual([
      expect.stringContaining('as call 2 of one probe'),
      expect.stringContaining(`while ${OTHER} was the one to try it`),
    ]);
  });

  it('sees a circuit that declines have opened', () => {
    const run = observe(breaker);
    for (let time = 0; time < 6; time++) run.see.providerAnswered(run.call({}), { status: 200, retryAfterSeconds: undefined });
    fail(run, 4);
    open(run);
    expect(run.violations).toEqual([expect.stringContaining('after 4 failed calls')]);
  });

  it('counts calls that never arrived, and needs fewer while the circuit is closing', () => {
    const run = observe(breaker);
    run.write('Control', ROW, { state: 'closing' });
    run.inject('execute-job/capture-payment capture at the provider', 'refused');
    fail(run, 1);
    open(run);
    expect(run.violations).toEqual([]);
  });
});

const claim = (run: ObservedRun, attempt: number, by = WORKER, more: object = {}): void =>
  run.write('State', ORDER_ID, { ...ORDER, fence: attempt, lease: 'held', leaseOp: 'capture:1', 'try:capture:1': attempt, ...more }, by);
const release = (run: ObservedRun, attempt: number, dueMs: number | undefined, tries = attempt): void =>
  run.write('State', ORDER_ID, { ...ORDER, fence: attempt, 'try:capture:1': tries, 'due:capture:1': dueMs });
const failAttempt = (run: ObservedRun, attempt: number, seconds: number): void => {
  run.deliver('capture-payment', [CAPTURE]);
  claim(run, attempt);
  release(run, attempt, run.nowMs + seconds * 1000 - 1000);
  run.handBack(WORKER, CAPTURE, seconds);
  run.end(WORKER);
  run.nowMs += seconds * 1000;
};

describe('S17, limits', () => {
  it('takes a hundred calls a second and sees the one more', () => {
    const run = observe(limits);
    for (let call = 0; call < 100; call++) run.call({ operation: 'find', key: undefined });
    run.nowMs += 1_000;
    run.call({ operation: 'find', key: undefined });
    expect(run.violations).toEqual([]);
    for (let call = 0; call < 100; call++) run.call({ operation: 'find', key: undefined });
    expect(run.violations).toEqual([expect.stringContaining('101 calls left within one second')]);
  });

  it('counts six charging calls of an intent; what was refused does not count, and a replay starts anew', () => {
    const run = observe(limits);
    run.write('State', ORDER_ID, { ...ORDER });
    for (let call = 0; call < 6; call++) run.call({});
    run.see.providerAnswered(run.call({ key: 'capture:u1/o2:1' }), { status: 429, retryAfterSeconds: undefined });
    for (let call = 0; call < 6; call++) run.call({ key: 'capture:u1/o2:1' });
    run.write('State', ORDER_ID, { ...ORDER, 'op:capture:1': { status: 'discarded' } });
    run.write('State', ORDER_ID, { ...ORDER });
    for (let call = 0; call < 6; call++) run.call({});
    expect(run.violations).toEqual([]);
    run.call({});
    expect(run.violations).toEqual([expect.stringContaining('capture:u1/o1:1 is sent for the 7th time')]);
  });

  it('takes waits of the schedule, half an hour and more beyond it, and counts where they lie', () => {
    const run = observe(limits);
    for (const [index, seconds] of [5, 30, 61, 299, 900, 1_800].entries()) failAttempt(run, index + 1, seconds);
    expect(run.violations).toEqual([]);
    expect(Object.values(run.situations).reduce((sum, count) => sum + count, 0)).toBe(5);
  });

  it.each([
    [1, 4],
    [1, 11],
    [5, 901],
    [6, 1_799],
  ])('sees a message handed back after attempt %i for %i s', (attempt, seconds) => {
    const run = observe(limits);
    failAttempt(run, attempt, seconds);
    expect(run.violations).toEqual([expect.stringContaining(`for ${seconds} s after attempt ${attempt}`)]);
  });

  it('takes a deferral of up to a quarter of an hour, and sees a longer one', () => {
    const run = observe(limits);
    for (const seconds of [5, 900, 901]) {
      run.deliver('capture-payment', [CAPTURE]);
      claim(run, 1);
      release(run, 1, run.nowMs + seconds * 1000 - 1000, 0);
      run.handBack(WORKER, CAPTURE, seconds);
      run.nowMs += seconds * 1000;
    }
    run.end(WORKER);
    expect(run.violations).toEqual([expect.stringContaining('for 901 s')]);
  });

  it('judges the longest wait when the clock that measured it is known', () => {
    const [behind, right] = [observe(limits), observe(limits)];
    for (const run of [behind, right]) {
      run.deliver('capture-payment', [CAPTURE]);
      run.handBack(WORKER, CAPTURE, 3_800);
      expect(run.violations).toEqual([]);
    }
    behind.end(WORKER, { clockAheadMs: -250_000 });
    right.end(WORKER);
    expect(behind.violations).toEqual([]);
    expect(right.violations).toEqual([expect.stringContaining('for 3800 s')]);
  });

  it('sees a failed attempt that leaves no time behind, and a claim before that time by the claimer’s clock', () => {
    const run = observe(limits);
    claim(run, 1);
    release(run, 1, undefined);
    expect(run.violations).toEqual([expect.stringContaining('says not when it is due again')]);
    const early = observe(limits);
    const dueMs = early.nowMs + 9_000;
    claim(early, 1);
    release(early, 1, dueMs);
    claim(early, 2, OTHER, { 'due:capture:1': dueMs });
    early.end(OTHER, { clockAheadMs: 9_000 });
    expect(early.violations).toEqual([]);
    claim(early, 3, 'execute-job/capture-payment#3', { 'due:capture:1': dueMs });
    early.end('execute-job/capture-payment#3');
    expect(early.violations).toEqual([expect.stringContaining('9000 ms before it is due')]);
  });

  const limited = (run: ObservedRun): void => {
    claim(run, 1);
    run.see.providerAnswered(run.call({}), { status: 429, retryAfterSeconds: 60 });
    release(run, 1, run.nowMs + 59_000, 0);
    run.end(WORKER);
  };

  it('takes a sending once the provider’s Retry-After is over, or by a worker that had claimed before', () => {
    const run = observe(limits);
    claim(run, 1, OTHER);
    run.nowMs += 1;
    limited(run);
    run.call({ from: OTHER });
    run.nowMs += 59_000;
    claim(run, 2, WORKER, { 'due:capture:1': run.nowMs });
    run.call({});
    run.end(OTHER);
    expect(run.violations).toEqual([]);
  });

  it('sees a sending before it is over, whoever sends', () => {
    const run = observe(limits);
    limited(run);
    run.nowMs += 30_000;
    claim(run, 2, OTHER, { 'due:capture:1': run.nowMs });
    run.call({ from: OTHER });
    run.end(OTHER);
    expect(run.violations).toEqual([expect.stringContaining("29000 ms before the provider's Retry-After is over")]);
  });

  it('asks nobody to wait for an answer that was lost', () => {
    const run = observe(limits);
    claim(run, 1);
    const call = run.call({ sentAtMs: run.nowMs });
    run.inject('execute-job/capture-payment capture at the provider', 'answer-lost');
    run.see.providerAnswered(call, { status: 429, retryAfterSeconds: 60 });
    release(run, 1, run.nowMs + 9_000);
    run.nowMs += 10_000;
    claim(run, 2);
    run.call({});
    run.end(WORKER);
    expect(run.violations).toEqual([]);
  });
});

describe('the spread of retries over many runs', () => {
  const counted = (waits: readonly number[]): Record<string, number> => {
    const situations: Record<string, number> = {};
    for (const seconds of waits) situations[situationOfWait(seconds, 120)] = (situations[situationOfWait(seconds, 120)] ?? 0) + 1;
    return situations;
  };

  it('takes waits all over the upper half of their step, and too few of them', () => {
    expect(retrySpreadFault(counted(Array.from({ length: 120 }, (_, index) => 61 + (index % 60))))).toBeUndefined();
    expect(retrySpreadFault(counted(Array.from({ length: 99 }, () => 120)))).toBeUndefined();
  });

  it('sees a constant wait', () => {
    expect(retrySpreadFault(counted(Array.from({ length: 100 }, () => 120)))).toContain('not spread');
  });
});

describe('L5, no self-lockout', () => {
  it('takes two deliveries and one sending of each job', () => {
    const run = observe(noSelfLockout);
    run.send('capture-payment', CAPTURE);
    run.deliver('capture-payment', [CAPTURE], 2);
    run.deliver('capture-payment', ['poison'], 7);
    expect(run.violations).toEqual([]);
  });

  it('sees a third delivery, and a job sent twice', () => {
    const run = observe(noSelfLockout);
    run.send('capture-payment', CAPTURE);
    run.send('capture-payment', CAPTURE);
    run.deliver('capture-payment', [CAPTURE], 3);
    expect(run.violations).toEqual([expect.stringContaining('sent a second time'), expect.stringContaining('delivered 3 times')]);
  });

  it('judges healthy times only', () => {
    const run = observe(noSelfLockout);
    run.inject('execute-job/capture-payment claim State');
    run.deliver('capture-payment', [CAPTURE], 3);
    const clocks = observe(noSelfLockout);
    clocks.end(WORKER, { clockAheadMs: 5 * MINUTE_MS });
    clocks.deliver('capture-payment', [CAPTURE], 3);
    const provider = observe(noSelfLockout);
    fail(provider, 1);
    provider.deliver('capture-payment', [CAPTURE], 3);
    expect([...run.violations, ...clocks.violations, ...provider.violations]).toEqual([]);
  });
});

describe('L6, the breaker closes', () => {
  it('takes a circuit that is closing, and one that nobody has tried since', () => {
    const run = observe(breakerCloses);
    run.see.rested();
    run.write('Control', ROW, { state: 'closing' });
    run.see.rested();
    open(run);
    run.see.finished();
    expect(run.violations).toEqual([]);
    expect(run.situations['a circuit nobody has tried since']).toBe(2);
  });

  it('sees a circuit with jobs behind it, one that lets nobody try for an hour, and a queue nobody consumes', () => {
    const behind = observe(breakerCloses);
    behind.send('capture-payment', CAPTURE);
    open(behind);
    behind.see.rested();
    const long = observe(breakerCloses);
    long.write('Control', ROW, { state: 'open', retryAtMs: long.nowMs + 60 * MINUTE_MS });
    long.see.rested();
    const off = observe(breakerCloses);
    Object.assign(off.simulation.mappings.get('send-receipt') ?? {}, { enabled: false });
    off.see.rested();
    expect(behind.violations).toEqual([expect.stringContaining('1 messages wait behind a circuit')]);
    expect(long.violations[0]).toContain('lets nobody try before');
    expect(off.violations).toEqual(['send-receipt is not consumed']);
  });
});

import { describe, expect, it } from 'vitest';
import { doneMeansHeard } from '../../simulation/invariants/done-means-heard.ts';
import { ownKindInvariants } from '../../simulation/invariants/own-kind.ts';
import { goesRound } from '../../simulation/modes/goes-round.ts';
import { ownKindPlan } from '../../simulation/modes/own-kind-weather.ts';
import { type ObservedRun, ORDER, ORDER_ID, observe, START_MS } from './observed-run.ts';

const OWN = { kind: 'capture-payment', payload: { userId: 'u1', orderId: 'o1', attempt: 1 } } as const;
const WORKER = 'execute-job/capture-payment#1';
const OTHER = 'execute-job/capture-payment#2';
const CAPTURE = 'execute-job/capture-payment capture at the provider';

const claim = (run: ObservedRun, fence: number, by = WORKER): void =>
  run.write('State', ORDER_ID, { ...ORDER, fence, lease: 'held', leaseOp: 'capture:1' }, by);
const commit = (run: ObservedRun, fence: number, by = WORKER): void =>
  run.write('State', ORDER_ID, { ...ORDER, fence, status: 'paid', 'op:capture:1': { status: 'completed' } }, by);
const fail = (run: ObservedRun, fault: string): void => {
  run.inject(CAPTURE, fault);
  run.nowMs += 10_000;
};

describe('S12 of a kind of one’s own', () => {
  const observed = (): ObservedRun => observe(doneMeansHeard(OWN));

  it.each(['dropped', 'late', 'answer-lost', 'slow', 'server-error-applied'])(
    'sees a call that ended with %s taken for success',
    (fault) => {
      const run = observed();
      claim(run, 1);
      fail(run, fault);
      commit(run, 1);
      expect(run.violations).toEqual([expect.stringContaining(`ended with ${fault} and nobody asked`)]);
    },
  );

  it('takes a job that was answered, or that asked what became of its call', () => {
    const answered = observed();
    claim(answered, 1);
    answered.see.providerAnswered(answered.call({}), { status: 200, retryAfterSeconds: undefined });
    commit(answered, 1);
    expect(answered.violations).toEqual([]);
    const asked = observed();
    claim(asked, 1);
    fail(asked, 'dropped');
    asked.see.providerAnswered(asked.call({ operation: 'find' }), { status: 200, retryAfterSeconds: undefined });
    commit(asked, 1);
    expect(asked.violations).toEqual([]);
  });

  it('does not take a question that was not answered for an answer', () => {
    const run = observed();
    claim(run, 1);
    fail(run, 'dropped');
    run.see.providerAnswered(run.call({ operation: 'find' }), { status: 503, retryAfterSeconds: undefined });
    commit(run, 1);
    expect(run.violations).toHaveLength(1);
  });

  it('says nothing of a call that a process before may have made', () => {
    const run = observed();
    claim(run, 1, OTHER);
    claim(run, 2);
    fail(run, 'dropped');
    commit(run, 2);
    expect(run.violations).toEqual([]);
    const after = observed();
    claim(after, 1, OTHER);
    fail(after, 'dropped');
    after.end(OTHER);
    claim(after, 2);
    commit(after, 2);
    expect(after.violations).toEqual([]);
  });
});

describe('S11 of a kind of one’s own', () => {
  const checker = ownKindInvariants(OWN).find(({ id }) => id === 'S11');
  const called = (...keys: readonly (string | undefined)[]): readonly string[] => {
    const run = observe(checker as NonNullable<typeof checker>);
    for (const key of keys) run.call({ key });
    return run.violations;
  };

  it('takes one key, and sees none, an empty one, and a second one', () => {
    expect(called('fee:1', 'fee:1')).toEqual([]);
    expect(called(undefined)).toEqual([expect.stringContaining('has no idempotency key')]);
    expect(called('')).toEqual([expect.stringContaining('has no idempotency key')]);
    expect(called('fee:1', 'fee:2')).toEqual([expect.stringContaining('under two keys, fee:1 and fee:2')]);
  });
});

describe('a kind of one’s own that is put off again and again', () => {
  const observed = () => {
    const invoked: string[] = [];
    const checker = goesRound(OWN);
    const run = observe({
      ...checker,
      watch(simulation, violate) {
        Object.assign(simulation, { lambda: { invoke: (name: string) => invoked.push(name) } });
        return checker.watch(simulation, violate);
      },
    });
    const deliver = (times: number): void => {
      for (let time = 0; time < times; time++) run.deliver('capture-payment', ['a', 'b']);
    };
    const invoke = (name: string): void => run.simulation.lambda.invoke(name, {}, () => undefined);
    return { run, deliver, invoke, invoked };
  };

  it('breaks a promise after some hundred deliveries, and its worker is called no more', () => {
    const { run, deliver, invoke, invoked } = observed();
    deliver(150);
    invoke('execute-job/capture-payment');
    expect(run.violations).toEqual([]);
    deliver(1);
    expect(run.violations).toEqual([expect.stringContaining('was delivered 302 times and was neither done nor given up')]);
    invoke('execute-job/capture-payment');
    invoke('rescue-jobs');
    expect(invoked).toEqual(['execute-job/capture-payment', 'rescue-jobs']);
  });

  it('is left alone where it ends in between, by its record or by its letter', () => {
    const { run, deliver } = observed();
    deliver(140);
    commit(run, 1);
    deliver(140);
    run.send('capture-payment-dlq', '{}');
    deliver(140);
    expect(run.violations).toEqual([]);
    for (let time = 0; time < 400; time++) run.deliver('send-receipt', ['a']);
    expect(run.violations).toEqual([]);
  });
});

describe('the weather of a kind of one’s own', () => {
  const possible = ['dropped', 'slow', 'rate-limited', 'crash-after'] as const;
  const strikes = (label: string, atMs: number): number => {
    let struck = 0;
    for (let seed = 1; seed <= 300; seed++) if (ownKindPlan(seed, 60_000).at({ index: 3, label, atMs }, possible) !== undefined) struck++;
    return struck;
  };

  it('lets the provider fail often, in every third call and more, until the storm is over', () => {
    expect(strikes(CAPTURE, START_MS + 1_000)).toBeGreaterThan(100);
    expect(strikes('execute-job/capture-payment claim State', START_MS + 1_000)).toBeLessThan(90);
    expect(strikes(CAPTURE, START_MS + 61_000)).toBe(0);
  });
});

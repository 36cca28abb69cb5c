import { describe, expect, it } from 'vitest';
import { canaryIn, canaryKey, canaryNote } from '../../simulation/invariants/canaries.ts';
import { apiIdempotency } from '../../simulation/invariants/s09-api-idempotency.ts';
import { noLeaks } from '../../simulation/invariants/s20-no-leaks.ts';
import { isolation } from '../../simulation/invariants/s21-isolation.ts';
import { skew } from '../../simulation/invariants/s22-skew.ts';
import { versions } from '../../simulation/invariants/s23-versions.ts';
import { messageOf, type ObservedRun, ORDER, ORDER_ID, observe } from './observed-run.ts';

const MINUTE_MS = 60_000;
const CAPTURE = messageOf('capture-payment', 'capture:u1/o1:1');
const WORKER = 'execute-job/capture-payment#1';

interface Post {
  readonly functionName?: string;
  readonly key?: string;
  readonly body?: object;
  readonly status: number;
  readonly told?: object;
}
const BODY = { amountMinor: 4_999, currency: 'EUR' };

const post = (run: ObservedRun, { functionName = 'accept-order', key = 'k1', body = BODY, status, told = {} }: Post): void =>
  run.see.apiAnswered({
    functionName,
    idempotencyKey: key,
    request: { userId: 'u1', rawPath: '', body },
    answer: { statusCode: status, body: JSON.stringify({ userId: 'u1', orderId: 'o1', ...told }) },
    startedAtMs: run.nowMs,
    atMs: run.nowMs,
  });

describe('S9, the API is idempotent', () => {
  it('takes one order of one key, told again, and another body refused', () => {
    const run = observe(apiIdempotency);
    post(run, { status: 503 });
    run.write('State', ORDER_ID, { ...ORDER }, 'accept-order#1');
    post(run, { status: 202 });
    post(run, { status: 200, body: { currency: 'EUR', amountMinor: 4_999 } });
    post(run, { status: 422, body: { ...BODY, amountMinor: 1 } });
    run.see.finished();
    expect(run.violations).toEqual([]);
    expect(run.situations).toEqual({ 'one key, two bodies': 1 });
  });

  it('sees two orders, two takings, and two bodies of one key', () => {
    const [orders, takings, bodies] = [observe(apiIdempotency), observe(apiIdempotency), observe(apiIdempotency)];
    post(orders, { status: 202 });
    post(orders, { status: 200, told: { orderId: 'o2' } });
    post(takings, { status: 202 });
    post(takings, { status: 202 });
    post(bodies, { status: 202 });
    post(bodies, { status: 200, body: { ...BODY, note: 'n' } });
    expect(orders.violations[0]).toContain('was told o1 and then o2');
    expect(takings.violations[0]).toContain('was taken 2 times');
    expect(bodies.violations[0]).toContain('took two bodies');
  });

  it('sees the own body refused, and an order told that another body made', () => {
    const run = observe(apiIdempotency);
    run.write('State', ORDER_ID, { ...ORDER, amountMinor: 1 }, 'accept-order#1');
    post(run, { status: 200 });
    post(run, { status: 422 });
    expect(run.violations).toEqual([
      expect.stringContaining('that another body made'),
      expect.stringContaining('refused the body it had taken'),
    ]);
  });

  it('sees an order written over, an attempt nobody asked for, and an order without a key', () => {
    const run = observe(apiIdempotency);
    run.write('State', ORDER_ID, { ...ORDER }, 'accept-order#1');
    run.write('State', ORDER_ID, { ...ORDER, amountMinor: 1 }, 'accept-order#2');
    run.write('State', ORDER_ID, { ...ORDER, amountMinor: 1, version: 2, attempt: 2, 'req:a': 't' }, 'accept-payment-attempt#1');
    run.write('State', ORDER_ID, { ...ORDER, amountMinor: 1, version: 3, attempt: 3, 'req:a': 't' }, 'accept-payment-attempt#1');
    run.see.finished();
    expect(run.violations).toEqual([
      expect.stringContaining('changed amountMinor of u1/o1'),
      'u1/o1 was asked for 1 times and opened 2 attempts',
      'accept-order u1: 1 were taken from 0 keys',
    ]);
  });
});

describe('S9, what a key stands for', () => {
  const wish = (run: ObservedRun, functionName: string, key: string, status: number): void =>
    run.see.apiAnswered({
      functionName,
      idempotencyKey: key,
      request: { userId: 'u1', orderId: 'o1', rawPath: '', body: undefined },
      answer: { statusCode: status, body: JSON.stringify({ userId: 'u1', orderId: 'o1' }) },
      startedAtMs: run.nowMs,
      atMs: run.nowMs,
    });
  const paid = { ...ORDER, status: 'paid', version: 2 };
  const refunding = { ...paid, status: 'refund_pending', version: 3, refundAttempt: 1, 'req:a': 't' };

  it('takes a wish that opened an attempt, told again, and one that was refused', () => {
    const run = observe(apiIdempotency);
    run.write('State', ORDER_ID, paid, 'execute-job/capture-payment#1');
    run.write('State', ORDER_ID, refunding, 'accept-refund#1');
    wish(run, 'accept-refund', 'k1', 202);
    wish(run, 'accept-refund', 'k1', 200);
    wish(run, 'accept-payment-attempt', 'k1', 409);
    expect(run.violations).toEqual([]);
  });

  it('sees a wish taken for another one of the same key, and nothing opened for it', () => {
    const run = observe(apiIdempotency);
    run.write('State', ORDER_ID, paid, 'execute-job/capture-payment#1');
    run.write('State', ORDER_ID, refunding, 'accept-refund#1');
    wish(run, 'accept-refund', 'k1', 202);
    wish(run, 'accept-payment-attempt', 'k1', 200);
    expect(run.violations).toEqual([expect.stringContaining('0 of 1 wishes opened an attempt')]);
  });

  it('sees one adjustment taken twice', () => {
    const run = observe(apiIdempotency);
    const message = JSON.stringify({ kind: 'adjust-stock', payload: { sku: 'sku-1', adjustmentId: 'a1', delta: 1 } });
    for (const id of ['a1', 'a2'])
      run.write('State', `JOB#adjust-stock#sku-1|JOB#adjust:sku-1/${id}`, { message }, 'accept-stock-adjustment#1');
    run.see.apiAnswered({
      functionName: 'accept-stock-adjustment',
      idempotencyKey: 'k1',
      request: { sku: 'sku-1', rawPath: '', body: { delta: 1 } },
      answer: { statusCode: 202, body: JSON.stringify({ adjustmentId: 'a1' }) },
      startedAtMs: run.nowMs,
      atMs: run.nowMs,
    });
    run.see.finished();
    expect(run.violations).toEqual(['accept-stock-adjustment sku-1: 2 were taken from 1 keys']);
  });
});

describe('S20, no leaks', () => {
  it('leaves customers their own notes', () => {
    const run = observe(noLeaks);
    const note = canaryNote(1);
    run.write('State', ORDER_ID, { ...ORDER, note });
    run.write('Cache', 'order:u1/o1', { value: JSON.stringify({ note }) });
    post(run, { status: 202, told: { note } });
    run.send('capture-payment', CAPTURE);
    run.see.logged('execute-job', 'info', 'batch', { jobs: [{ key: 'capture:u1/o1:1' }] });
    expect(run.violations).toEqual([]);
  });

  it.each<[string, (run: ObservedRun, secret: string) => void]>([
    ['a log line', (run, secret) => run.see.logged('accept-order', 'error', 'failed', { error: new Error(`bad note ${secret}`) })],
    [
      'the cause of a logged error',
      (run, secret) => run.see.logged('accept-order', 'warn', 'x', { error: new Error('a', { cause: new Error(secret) }) }),
    ],
    ['a metric', (run, secret) => run.see.counted('accept-order', secret, 1, {})],
    ['a message', (run, secret) => run.send('capture-payment', `{"payload":"${secret}"}`)],
    ['an error of the API', (run, secret) => post(run, { status: 400, told: { detail: secret } })],
    ['an error stored on an item', (run, secret) => run.write('State', ORDER_ID, { ...ORDER, lastError: secret })],
    ['a row of the Control table', (run, secret) => run.write('Control', 'audit:1', { why: secret })],
    ['a call to the provider', (run, secret) => run.call({ body: secret })],
    [
      "a dead letter's attribute",
      (run, secret) =>
        run.see.queueCalled(
          { service: 'sqs', operation: 'SendMessage', input: { MessageBody: '', MessageAttributes: { andal: { StringValue: secret } } } },
          WORKER,
        ),
    ],
    [
      'an error that a function threw',
      (run, secret) =>
        run.see.invocationEnded('accept-order', { name: 'accept-order#1' } as never, { how: 'threw', error: new Error(secret) }),
    ],
  ])('sees a canary in %s', (_where, leak) => {
    const run = observe(noLeaks);
    leak(run, canaryNote(7));
    expect(run.violations).toEqual([expect.stringContaining('tells "canary"')]);
  });

  it('knows each canary by name, note and card number', () => {
    expect([canaryIn('Kanari Vogelsang'), canaryIn('4000 0012 3456 7899'), canaryIn(canaryKey(1).slice(12)), canaryIn('nothing')]).toEqual([
      'Kanari Vogelsang',
      '4000 0012 3456 7899',
      '4000001234567899',
      undefined,
    ]);
  });
});

const finish = (run: ObservedRun): void => {
  run.write('State', ORDER_ID, { ...ORDER, lease: 'held', leaseOp: 'capture:1' });
  run.write('State', ORDER_ID, { ...ORDER, version: 2, 'op:capture:1': { status: 'completed' } });
};

describe('S21, isolation', () => {
  it('takes poison that goes alone, and neighbours that are handed back for reasons of their own', () => {
    const run = observe(isolation);
    run.deliver('capture-payment', ['poison', CAPTURE]);
    run.nowMs += 1;
    finish(run);
    run.handBack(WORKER, CAPTURE, 10);
    run.deliver('capture-payment', [CAPTURE], 2);
    run.inject('execute-job/capture-payment claim State');
    run.deliver('capture-payment', ['poison']);
    expect(run.violations).toEqual([]);
    expect(run.situations).toEqual({ 'poison in a batch with others': 1, 'poison alone in its batch': 1 });
  });

  it('sees poison come back, and a finished neighbour with it', () => {
    const run = observe(isolation);
    run.deliver('capture-payment', ['poison', CAPTURE]);
    run.nowMs += 1;
    finish(run);
    run.deliver('capture-payment', ['poison', CAPTURE], 2);
    expect(run.violations).toEqual([
      expect.stringContaining('the poison message poison came back'),
      expect.stringContaining('came back with the poison'),
    ]);
  });

  it('asks nothing of a batch that a fault struck', () => {
    const run = observe(isolation);
    run.deliver('capture-payment', ['poison']);
    run.inject('mapping takes capture-payment', 'delete-lost');
    run.deliver('capture-payment', ['poison'], 2);
    expect(run.violations).toEqual([]);
  });

  const poisonedStream = (): ObservedRun => {
    const run = observe(isolation);
    run.write('State', 'USER#u2|ORDER#o2', { version: 1, lease: 'free', outbox: 'no list' });
    run.write('State', ORDER_ID, { ...ORDER, outbox: [JSON.parse(CAPTURE)] });
    return run;
  };

  it('takes a change that leaves in time beside a poison record', () => {
    const run = poisonedStream();
    run.nowMs += 2_000;
    run.send('capture-payment', CAPTURE);
    expect(run.violations).toEqual([]);
    expect(run.situations).toEqual({ 'a poison stream record': 1 });
  });

  it('sees a change held up behind a poison record', () => {
    const run = poisonedStream();
    run.nowMs += 2 * MINUTE_MS;
    run.send('capture-payment', CAPTURE);
    expect(run.violations).toEqual(['capture:u1/o1:1 left 120000 ms after its commit, behind a poison record']);
  });
});

describe('S22 and S23, the others hold under skew and with mixed versions', () => {
  it('claims what others find once clocks are minutes apart, and says when that was', () => {
    const run = observe(skew);
    run.end('a#1', { clockAheadMs: 4 * MINUTE_MS });
    run.end('b#1');
    run.write('State', ORDER_ID, { ...ORDER }, 'a#1');
    run.write('State', ORDER_ID, { ...ORDER, version: 2 }, 'b#1');
    expect([run.violations, run.situations]).toEqual([[], { 'writers of one item with clocks minutes apart': 1 }]);
    run.blame('S7');
    run.write('State', ORDER_ID, { ...ORDER, version: 3 }, 'b#1');
    expect(run.violations).toEqual(['S7: seen by another']);
  });

  it('leaves to others what happens while clocks agree, and what is none of S1 to S14', () => {
    const run = observe(skew);
    run.end('a#1');
    run.blame('S7');
    run.see.finished();
    const limitsRun = observe(skew);
    limitsRun.end('a#1', { clockAheadMs: -4 * MINUTE_MS });
    limitsRun.blame('S17');
    limitsRun.see.finished();
    expect([...run.violations, ...limitsRun.violations]).toEqual([]);
  });

  it('claims what others find once messages of another version are about, or code is replaced', () => {
    const [message, rollOut, plain] = [observe(versions), observe(versions), observe(versions)];
    message.deliver('capture-payment', [messageOf('capture-payment', 'capture:u1/o1:1', 2)]);
    rollOut.see.disturbed('roll-out');
    plain.deliver('capture-payment', [CAPTURE]);
    for (const run of [message, rollOut, plain]) {
      run.blame('S1');
      run.see.finished();
    }
    expect([message.violations, rollOut.violations, plain.violations]).toEqual([['S1: seen by another'], ['S1: seen by another'], []]);
    expect({ ...message.situations, ...rollOut.situations }).toEqual({ 'a message of a newer version': 1, 'a roll-out under load': 1 });
  });
});

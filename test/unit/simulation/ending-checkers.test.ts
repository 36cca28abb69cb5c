import { describe, expect, it } from 'vitest';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { everythingEnds } from '../../simulation/invariants/l1-everything-ends.ts';
import { outboxDrains } from '../../simulation/invariants/l2-outbox-drains.ts';
import { unknownResolved } from '../../simulation/invariants/l4-unknown-resolved.ts';
import { poisonOnly } from '../../simulation/invariants/l7-poison-only.ts';
import { leaseDeadlines } from '../../simulation/invariants/l8-lease-deadlines.ts';
import { messageOf, type ObservedRun, ORDER, ORDER_ID, observe } from './observed-run.ts';

const CAPTURE = messageOf('capture-payment', 'capture:u1/o1:1');
const WORKER = 'execute-job/capture-payment#1';
const RECEIPT_ID = 'JOB#send-receipt#receipt:u1/o1:1|JOB';
const HOUR_MS = 3_600_000;

const PAID = { ...ORDER, status: 'paid', version: 2, 'op:capture:1': { status: 'completed', result: { captureId: 'c1' } } };
const DISCARDED = { ...ORDER, 'sent:capture:1': 1, 'op:capture:1': { status: 'discarded', reason: 'unresolved', buried: true } };

describe('L1, everything ends', () => {
  it('takes a paid order with its receipt, and a discarded job whose letter waits for a person or was thrown away', () => {
    const run = observe(everythingEnds);
    run.write('State', ORDER_ID, PAID);
    run.write('State', RECEIPT_ID, { message: messageOf('send-receipt', 'receipt:u1/o1:1'), 'op:run': { status: 'completed' } });
    run.see.rested();
    const letter = observe(everythingEnds);
    letter.write('State', ORDER_ID, DISCARDED);
    letter.send('capture-payment-dlq', CAPTURE);
    letter.see.rested();
    const thrownAway = observe(everythingEnds);
    thrownAway.write('State', ORDER_ID, DISCARDED);
    thrownAway.see.operatorActs({ kind: 'discard', queueName: 'capture-payment-dlq', body: CAPTURE, atMs: 0 });
    thrownAway.see.finished();
    expect([...run.violations, ...letter.violations, ...thrownAway.violations]).toEqual([]);
  });

  it('sees an order that waits for ever, a receipt that never began, an open job of its own, and one whose letter is gone', () => {
    const [waiting, receipt, own, letter] = [
      observe(everythingEnds),
      observe(everythingEnds),
      observe(everythingEnds),
      observe(everythingEnds),
    ];
    waiting.write('State', ORDER_ID, { ...ORDER });
    receipt.write('State', ORDER_ID, PAID);
    own.write('State', RECEIPT_ID, { message: messageOf('send-receipt', 'receipt:u1/o1:1'), 'try:run': 1 });
    letter.write('State', ORDER_ID, DISCARDED);
    for (const run of [waiting, receipt, own, letter]) run.see.rested();
    expect([waiting, receipt, own, letter].map(({ violations }) => violations[0])).toEqual([
      'capture:u1/o1:1 has not ended',
      'receipt:u1/o1:1 has not ended',
      'receipt:u1/o1:1 has not ended',
      'capture:u1/o1:1 is discarded, and nobody has its letter',
    ]);
  });

  it('sees a message left in a queue, unless its kind is paused', () => {
    const run = observe(everythingEnds);
    run.send('capture-payment', CAPTURE);
    run.write('Control', 'pause:capture-payment', { by: 'a' });
    run.see.rested();
    expect(run.violations).toEqual([]);
    run.write('Control', 'pause:capture-payment', undefined);
    run.see.rested();
    expect(run.violations).toEqual(['capture-payment still holds 1 messages, first capture:u1/o1:1']);
  });
});

describe('L2, the outbox drains', () => {
  const written = (): ObservedRun => {
    const run = observe(outboxDrains);
    run.write('State', ORDER_ID, { ...ORDER, outbox: [JSON.parse(CAPTURE)] });
    return run;
  };

  it('takes an entry that was sent, and one whose job is done or overtaken', () => {
    const sent = written();
    sent.send('capture-payment', CAPTURE);
    sent.see.rested();
    const done = written();
    done.write('State', ORDER_ID, { ...ORDER, 'op:capture:1': { status: 'completed' } });
    done.see.rested();
    const overtaken = written();
    overtaken.write('State', ORDER_ID, { ...ORDER, attempt: 2 });
    overtaken.see.finished();
    expect([...sent.violations, ...done.violations, ...overtaken.violations]).toEqual([]);
  });

  it('sees an entry that stayed, also when it was only parked', () => {
    const run = written();
    run.send('outbox-failed', JSON.stringify({ message: JSON.parse(CAPTURE) }));
    run.see.rested();
    expect(run.violations).toEqual(['outbox-failed still holds 1 messages', 'capture:u1/o1:1 never left its outbox']);
  });

  it('sees records that the stream still keeps', () => {
    const run = observe(outboxDrains);
    Object.assign(run.simulation.streams[0] ?? {}, { waiting: 3 });
    run.see.rested();
    expect(run.violations).toEqual(['3 stream records still wait for dispatch-outbox']);
  });
});

describe('L4, the unknown is resolved', () => {
  const unknown = { ...ORDER, lease: 'held', leaseOp: 'capture:1', 'try:capture:1': 2, 'sent:capture:1': 2 };

  it('takes an unknown outcome that ends, and says how', () => {
    const run = observe(unknownResolved);
    run.write('State', ORDER_ID, unknown);
    run.see.calm();
    run.write('State', ORDER_ID, PAID);
    run.see.rested();
    expect(run.violations).toEqual([]);
    expect(run.situations).toEqual({ 'unknown at the calm': 1, 'unknown resolved: captureId': 1 });
  });

  it('sees one that stays unknown', () => {
    const run = observe(unknownResolved);
    run.write('State', ORDER_ID, unknown);
    run.see.rested();
    expect(run.violations).toEqual([expect.stringContaining('nobody knows yet what became of capture:1')]);
  });
});

describe('L7, dead-letter queues hold poison only', () => {
  const letter = (run: ObservedRun, reason: string, body = CAPTURE): void => {
    const MessageAttributes = { andal: { DataType: 'String', StringValue: JSON.stringify({ reason }) } };
    const input = { QueueUrl: 'https://sqs/capture-payment-dlq', MessageBody: body, MessageAttributes };
    run.see.queueCalled({ service: 'sqs', operation: 'SendMessage', input }, WORKER);
  };

  it('takes letters of poison and of jobs for a person, and a few for one ending after faults', () => {
    const run = observe(poisonOnly);
    letter(run, 'malformed', 'poison');
    letter(run, 'captured-amount-differs');
    run.inject('execute-job/capture-payment SendMessage capture-payment-dlq');
    run.write('State', ORDER_ID, DISCARDED);
    for (let copy = 0; copy < 6; copy++) letter(run, 'unresolved');
    run.see.finished();
    expect(run.violations).toEqual([]);
  });

  it('sees a job given up in healthy times, a letter for a job that is done, and letters without end', () => {
    const [healthy, done, endless] = [observe(poisonOnly), observe(poisonOnly), observe(poisonOnly)];
    letter(healthy, 'attempts-spent');
    done.inject('any');
    done.write('State', ORDER_ID, PAID);
    letter(done, 'attempts-spent');
    endless.inject('any');
    endless.write('State', ORDER_ID, DISCARDED);
    for (let copy = 0; copy < 7; copy++) letter(endless, 'unresolved');
    expect(healthy.violations[0]).toContain('is dead-lettered (attempts-spent) in healthy times');
    expect(done.violations[0]).toContain('which is done');
    expect(endless.violations).toEqual(['capture:u1/o1:1 gets its 7th letter for one ending']);
  });

  it('takes the letter that a worker was about to send when it froze, and woke up after somebody else had done the job', () => {
    const run = observe(poisonOnly);
    run.inject('execute-job/capture-payment SendMessage capture-payment-dlq');
    run.see.invocationEnded('execute-job/capture-payment', { name: WORKER } as never, { how: 'timed-out' });
    run.write('State', ORDER_ID, PAID);
    letter(run, 'attempts-spent');
    expect(run.violations).toEqual([]);
  });

  it('sees letters left that could succeed, once a person has worked them off', () => {
    const run = observe(poisonOnly);
    run.send('capture-payment-dlq', CAPTURE, 'poison');
    run.see.finished();
    expect(run.violations).toEqual([]);
    run.see.operatorActs({ kind: 'replay', queueName: 'send-receipt-dlq', body: '', atMs: 0 });
    run.write('State', ORDER_ID, { ...DISCARDED, amountMinor: MAGIC_AMOUNTS.findUnavailable.amountMinor });
    run.see.finished();
    expect(run.violations).toEqual([]);
    run.write('State', ORDER_ID, DISCARDED);
    run.see.finished();
    expect(run.violations).toEqual(['capture-payment-dlq still holds capture:u1/o1:1 (none)']);
  });
});

describe('L8, what is held has a deadline', () => {
  const held = (run: ObservedRun, leaseUntilMs: number | undefined): void =>
    run.write('State', ORDER_ID, { ...ORDER, fence: 1, lease: 'held', leaseOwner: 'a', leaseOp: 'capture:1', leaseUntilMs });

  it('takes a lease of its function’s time, a token, a probe, and a mapping turned off for minutes', () => {
    const run = observe(leaseDeadlines);
    held(run, run.nowMs + 27_000);
    run.write('State', ORDER_ID, { ...ORDER, fence: 1 });
    run.write('Cache', 'order:u1/o1', { token: 'a', tokenUntilMs: run.nowMs + 5_000 });
    run.write('Control', 'breaker:payment-provider', { state: 'half-open', probeUntilMs: run.nowMs + 5_000 });
    run.write('Control', 'mapping:send-receipt', { deadlineMs: run.nowMs + 300_000 });
    run.see.rested();
    expect(run.violations).toEqual([]);
  });

  it.each([
    ['without a deadline', undefined],
    ['for an hour', HOUR_MS],
    ['until some second of 1970', -1.7e12],
  ])('sees a lease %s', (_what, aheadMs) => {
    const run = observe(leaseDeadlines);
    held(run, aheadMs === undefined ? undefined : run.nowMs + aheadMs);
    expect(run.violations).toEqual([expect.stringContaining('is held until')]);
  });

  it('sees a free item that names its owner, and a token, a probe and a mapping that nobody ends', () => {
    const run = observe(leaseDeadlines);
    run.write('State', ORDER_ID, { ...ORDER, leaseOwner: 'a' });
    run.write('Cache', 'order:u1/o1', { token: 'a' });
    run.write('Control', 'breaker:payment-provider', { state: 'half-open' });
    run.write('Control', 'mapping:send-receipt', { reason: 'paused' });
    expect(run.violations).toHaveLength(4);
  });

  it('sees a lease that does not pass', () => {
    const run = observe(leaseDeadlines);
    held(run, run.nowMs + 27_000);
    run.nowMs -= HOUR_MS;
    run.see.rested();
    expect(run.violations).toEqual([expect.stringContaining('does not pass')]);
  });
});

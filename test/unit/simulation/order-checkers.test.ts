import { describe, expect, it } from 'vitest';
import { ownKindInvariants } from '../../simulation/invariants/own-kind.ts';
import { rightReceipt } from '../../simulation/invariants/s25-right-receipt.ts';
import { fifoOrder } from '../../simulation/invariants/s28-fifo-order.ts';
import { paused } from '../../simulation/invariants/s29-paused.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import { messageOf, type ObservedRun, ORDER, ORDER_ID, observe } from './observed-run.ts';
import { acceptOrder, charge, claim, commitPaid, REFERENCE, watchAccount } from './watched-account.ts';

const KEY = `receipt:${REFERENCE}:1`;
const RECEIPT_ITEM = `JOB#send-receipt#${KEY}|JOB`;
const SENDER = 'execute-job/send-receipt#1';
const OTHER = 'execute-job/send-receipt#2';
const MAIL = { deliveryKey: KEY, userId: 'u-1', orderId: 'ord-1', captureId: 'cap-1', amountMinor: 4_999, currency: 'EUR' };

describe('S25, how often a receipt is sent', () => {
  const account = (invariant = rightReceipt) => {
    const watched = watchAccount(invariant);
    let fence = 0;
    const seen = (table: string, id: string, next: object, by: string): void =>
      watched.observer.itemWritten?.({ table, id, old: undefined, next: next as never, by, call: undefined, atMs: watched.now() });
    return {
      ...watched,
      claims: (by: string): void => seen('State', RECEIPT_ITEM, { lease: 'held', fence: ++fence }, by),
      sends: (by: string): void => seen('Mail', `${KEY}|${by}${watched.now()}`, MAIL, by),
      ends: (by: string): void => seen('State', RECEIPT_ITEM, { lease: 'free', fence, 'op:run': { status: 'completed' } }, by),
    };
  };
  const charged = async () => {
    const made = account();
    await made.move(charge(), `capture:${REFERENCE}:1`);
    return made;
  };

  it('may be twice, where the second sender could not know: it claimed before the first one was out', async () => {
    const late = await charged();
    late.claims(SENDER);
    late.claims(OTHER);
    late.sends(OTHER);
    late.sends(SENDER);
    expect(late.violations).toEqual([]);
  });

  it.each([SENDER, OTHER])('is once for whoever claims after it was out: %s', async (by) => {
    const again = await charged();
    again.claims(SENDER);
    again.sends(SENDER);
    again.pass(30_000);
    again.claims(by);
    again.sends(by);
    expect(again.violations).toEqual([`${by} sends ${KEY} again, 30000 ms after it was sent, and need only have asked`]);
  });

  it('is seen to be never, when its job is done, and when everything has come to rest', async () => {
    const unsent = await charged();
    unsent.claims(SENDER);
    unsent.ends(SENDER);
    unsent.write(acceptOrder(unsent.now()), 'accept-order#1');
    unsent.write(claim(unsent.now()));
    unsent.write(commitPaid(unsent.now()));
    unsent.observer.rested?.();
    expect(unsent.violations).toEqual([
      `${KEY} is finished by ${SENDER}, and nothing was sent`,
      `${KEY}: its customer was never told at rest`,
    ]);
  });

  it('is nobody’s fault where a letter says so', async () => {
    const dead = await charged();
    dead.write(acceptOrder(dead.now()), 'accept-order#1');
    dead.write(claim(dead.now()));
    dead.write(commitPaid(dead.now()));
    dead.send('send-receipt-dlq', messageOf('send-receipt', KEY), SENDER);
    dead.observer.rested?.();
    expect(dead.violations).toEqual([]);
  });

  it('is watched for a kind of one’s own', () => {
    const payload = { userId: 'u-1', orderId: 'ord-1', attempt: 1, amountMinor: 4_999, currency: 'EUR', captureId: 'cap-1' };
    const checker = ownKindInvariants({ kind: 'send-receipt', payload }).find(({ id }) => id === 'S25');
    const own = account(checker);
    own.claims(SENDER);
    own.sends(SENDER);
    own.pass(1_000);
    own.claims(OTHER);
    own.sends(OTHER);
    expect(own.violations).toEqual([expect.stringContaining('need only have asked')]);
  });
});

describe('S28, the order of a group', () => {
  const STOCK = 'adjust-stock.fifo';
  const WORKER = 'execute-job/adjust-stock#1';
  const keyOf = (name: string): string => `adjust:sku-1/${name}`;
  const itemOf = (name: string): string => `JOB#adjust-stock#sku-1|JOB#${keyOf(name)}`;
  const accept = (run: ObservedRun, name: string): void =>
    run.write('State', itemOf(name), { lease: 'free', message: messageOf('adjust-stock', keyOf(name)) }, 'accept-stock-adjustment#1');
  const bring = (run: ObservedRun, name: string, by = 'dispatch-outbox#1'): void => {
    const input = {
      QueueUrl: urlOf(STOCK),
      MessageBody: messageOf('adjust-stock', keyOf(name)),
      MessageGroupId: 'sku-1',
      MessageDeduplicationId: name,
    };
    run.simulation.sqs.handle('SendMessage', input);
    run.see.queueCalled({ service: 'sqs', operation: 'SendMessage', input }, by);
  };
  const end = (run: ObservedRun, name: string, status = 'completed'): void =>
    run.write('State', itemOf(name), { lease: 'free', 'op:run': { status } }, WORKER);
  const begun = (...names: readonly string[]): ObservedRun => {
    const run = observe(fifoOrder);
    for (const name of ['a', 'b', 'c']) accept(run, name);
    for (const name of names) bring(run, name);
    return run;
  };

  it('is that of their acceptance', () => {
    const run = begun('a', 'b', 'c');
    for (const name of ['a', 'b', 'c']) end(run, name);
    expect(run.violations).toEqual([]);
  });

  it('is seen broken on the way to the queue, by the dispatcher alone', () => {
    expect(begun('b', 'a').violations).toEqual([expect.stringContaining('brings adjust:sku-1/a after adjust:sku-1/b')]);
    const rescued = begun('b');
    bring(rescued, 'a', 'rescue-jobs#1');
    expect(rescued.violations).toEqual([]);
    const parked = begun('b');
    const input = {
      QueueUrl: urlOf('outbox-failed'),
      MessageBody: JSON.stringify({ message: JSON.parse(messageOf('adjust-stock', keyOf('a'))) }),
    };
    parked.see.queueCalled({ service: 'sqs', operation: 'SendMessage', input }, 'dispatch-outbox#1');
    bring(parked, 'a');
    expect(parked.violations).toEqual([]);
  });

  it('is seen broken when one is done before another that came first', () => {
    const run = begun('a', 'b', 'c');
    end(run, 'b');
    expect(run.violations).toEqual([expect.stringContaining('finishes adjust:sku-1/b before adjust:sku-1/a, which came first')]);
  });

  it('leaves out what became a letter', () => {
    const run = begun('a', 'b', 'c');
    end(run, 'a', 'discarded');
    accept(run, 'a');
    end(run, 'b');
    expect(run.violations).toEqual([]);
  });
});

describe('S29, a paused kind', () => {
  const CAPTURE = messageOf('capture-payment', 'capture:u1/o1:1');
  const held = { ...ORDER, lease: 'held', leaseOp: 'capture:1', fence: 1 };
  const pause = (run: ObservedRun): void => run.write('Control', 'pause:capture-payment', { pausedAtMs: run.nowMs }, 'operator');
  const begunAfter = (deliveredMs: number, resumed = false): readonly string[] => {
    const run = observe(paused);
    run.write('State', ORDER_ID, { ...ORDER }, 'accept-order#1');
    pause(run);
    run.nowMs += deliveredMs;
    run.deliver('capture-payment', [CAPTURE]);
    if (resumed) run.write('Control', 'pause:capture-payment', undefined, 'operator');
    run.nowMs += 30_000;
    run.write('State', ORDER_ID, held);
    return run.violations;
  };

  it('may go on with what it had, and begin again when it is resumed', () => {
    expect(begunAfter(500)).toEqual([]);
    expect(begunAfter(5_000, true)).toEqual([]);
  });

  it('is seen to begin something', () => {
    expect(begunAfter(5_000)).toEqual([expect.stringContaining('begins capture:u1/o1:1, 35 s after its kind was paused')]);
  });
});

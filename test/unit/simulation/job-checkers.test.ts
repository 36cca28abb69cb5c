import { describe, expect, it } from 'vitest';
import { updateWrite } from '#shared/item/expression.ts';
import { rearmWrite } from '#shared/item/rearm.ts';
import { buriedWrite } from '#shared/item/settle.ts';
import type { Invariant } from '../../simulation/invariant.ts';
import { ackAfterDurable } from '../../simulation/invariants/s04-ack-after-durable.ts';
import { noOrphan } from '../../simulation/invariants/s10-no-orphan.ts';
import { conservation } from '../../simulation/invariants/s18-conservation.ts';
import { replay } from '../../simulation/invariants/s19-replay.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import {
  acceptOrder,
  CAPTURE_KEY,
  captureMessage,
  claim,
  commitPaid,
  discard,
  ORDER,
  type WatchedAccount,
  watchAccount,
} from './watched-account.ts';

const QUEUE = 'capture-payment';
const LETTERS = 'capture-payment-dlq';
const BODY = JSON.stringify(captureMessage);

/** Accepted and brought to its queue by the stream. */
function queued(invariant: Invariant): WatchedAccount {
  const account = watchAccount(invariant);
  account.dispatcher.waiting = 1;
  account.write(acceptOrder(account.now()), 'accept-order#1');
  account.send(QUEUE, BODY);
  account.dispatcher.waiting = 0;
  return account;
}

/** Given up, its letter out. */
function buried(invariant: Invariant): WatchedAccount & { readonly letter: string } {
  const account = queued(invariant);
  account.write(claim(account.now()));
  account.write(discard(account.now(), 'unresolved'));
  account.observer.messagesDelivered?.(QUEUE, [{ body: BODY }] as never);
  const letter = account.send(LETTERS, BODY, 'execute-job/capture-payment#1');
  account.write(buriedWrite(ORDER, 'capture:1', { by: 'owner-1', keepOverdue: false }));
  account.acknowledge(QUEUE);
  return { ...account, letter };
}

describe('S4, ack after durable', () => {
  it('takes the end of a finished job, of one with a letter, and of a copy', () => {
    const account = queued(ackAfterDurable);
    account.write(claim(account.now()));
    account.write(commitPaid(account.now()));
    account.acknowledge(QUEUE);
    expect([...account.violations, ...buried(ackAfterDurable).violations]).toEqual([]);
  });

  it('sees a message go while its job is open, also when the rescue has a mark of it', () => {
    const account = queued(ackAfterDurable);
    account.write(updateWrite(ORDER, { set: { overdueAtMs: account.now() } }, () => ''));
    account.acknowledge(QUEUE);
    expect(account.violations[0]).toContain(`(${CAPTURE_KEY}) left ${QUEUE}: it is open and only in [overdue index]`);
  });

  it('sees a message go before the letter of its discarded job is sent', () => {
    const account = queued(ackAfterDurable);
    account.write(claim(account.now()));
    account.write(discard(account.now(), 'unresolved'));
    account.acknowledge(QUEUE);
    expect(account.violations[0]).toContain('it was discarded, and no letter was sent');
  });

  it('sees an unreadable message go without a letter', () => {
    const account = queued(ackAfterDurable);
    account.send(QUEUE, '{"broken":1}');
    account.send(QUEUE, 'with a letter');
    account.send(LETTERS, 'with a letter', 'execute-job/capture-payment#1');
    account.write(claim(account.now()));
    account.write(commitPaid(account.now()));
    account.acknowledge(QUEUE);
    expect(account.violations).toEqual([expect.stringContaining('no letter says what it was')]);
  });
});

describe('S10, no orphan', () => {
  it('finds the job in outbox, queue, overdue index and dead-letter queue', () => {
    const account = buried(noOrphan);
    account.observer.rested?.();
    account.observer.finished?.();
    expect(account.violations).toEqual([]);
  });

  it('sees an outbox that the stream carried nowhere', () => {
    const account = watchAccount(noOrphan);
    account.dispatcher.waiting = 1;
    account.write(acceptOrder(account.now()), 'accept-order#1');
    expect(account.violations).toEqual([]);
    account.dispatcher.waiting = 0;
    account.send(QUEUE, BODY, 'sweep-state#1');
    expect(account.violations[0]).toContain(`${CAPTURE_KEY} is nowhere before the sweep sent it again`);
  });

  it('waits until the rest for what a purge took, and no longer', () => {
    const account = queued(noOrphan);
    account.purge(QUEUE);
    account.write(updateWrite(ORDER, { set: { note: 'x' } }, () => ''));
    expect(account.violations).toEqual([]);
    account.observer.rested?.();
    expect(account.violations[0]).toContain(`u-1/ord-1 is pending_payment and ${CAPTURE_KEY} is nowhere at rest`);
  });
});

describe('S18, conservation', () => {
  it('counts what is finished, carried on, and thrown away with an audit entry', () => {
    const account = queued(conservation);
    account.dispatcher.waiting = 1;
    account.write(claim(account.now()));
    account.write(commitPaid(account.now()));
    account.acknowledge(QUEUE);
    account.observer.rested?.();
    const thrown = buried(conservation);
    thrown.audit('discard', thrown.letter, CAPTURE_KEY);
    thrown.removeLetters(LETTERS);
    thrown.observer.finished?.();
    expect([...account.violations, ...thrown.violations]).toEqual([]);
  });

  it('sees a letter that is not its message, byte for byte', () => {
    const account = buried(conservation);
    account.send(LETTERS, BODY.replace('{', '{ '), 'execute-job/capture-payment#1');
    expect(account.violations).toEqual([expect.stringContaining(`the letter of ${CAPTURE_KEY} is not the message`)]);
  });

  it('sees a letter thrown away without one', () => {
    const account = buried(conservation);
    account.removeLetters(LETTERS);
    expect(account.violations[0]).toContain(`${CAPTURE_KEY} was accepted and is lost after a letter was deleted`);
  });

  it('misses a receipt that nobody sent', () => {
    const account = queued(conservation);
    account.write(claim(account.now()));
    account.write(commitPaid(account.now()));
    account.acknowledge(QUEUE);
    account.observer.rested?.();
    expect(account.violations[0]).toContain('receipt:u-1/ord-1:1 was accepted and is lost at rest');
  });
});

describe('S19, replay', () => {
  it('takes audit, arm again, send, delete', () => {
    const account = buried(replay);
    account.pass(1_000);
    account.audit('replay', account.letter, CAPTURE_KEY);
    account.observer.operatorActs?.({ kind: 'replay', queueName: LETTERS, body: BODY, atMs: account.now() });
    account.write(rearmWrite(ORDER, 'capture:1'), 'operator');
    account.send(QUEUE, BODY, 'operator');
    account.removeLetters(LETTERS);
    expect(account.violations).toEqual([]);
  });

  it('sees a letter deleted before its message is out, or with another body', () => {
    const account = buried(replay);
    account.pass(1_000);
    account.audit('replay', account.letter, CAPTURE_KEY);
    account.send(QUEUE, BODY.replace('"version":1', '"version":2'), 'operator');
    account.removeLetters(LETTERS);
    expect(account.violations[0]).toContain('it was replayed, and no message with its body is out');
  });

  it('sees a replay that leaves out what others gave the message, and not what is ours', () => {
    const replayedWith = (MessageAttributes: object): readonly string[] => {
      const account = watchAccount(replay);
      const text = (StringValue: string) => ({ DataType: 'String', StringValue });
      const call = (queueName: string, attributes: object, by: string): void => {
        const input = { QueueUrl: urlOf(queueName), MessageBody: BODY, MessageAttributes: attributes };
        account.simulation.sqs.handle('SendMessage', input);
        account.observer.queueCalled?.({ service: 'sqs', operation: 'SendMessage', input }, by);
      };
      call(LETTERS, { andal: text('{}'), tenant: text('north') }, 'somebody');
      call(QUEUE, MessageAttributes, 'andal-dlq#1');
      return account.violations;
    };
    expect(replayedWith({ tenant: { DataType: 'String', StringValue: 'north' } })).toEqual([]);
    expect(replayedWith({})).toEqual([expect.stringContaining('is replayed without the attributes it had')]);
  });

  it('sees acts that were not written down first', () => {
    const account = buried(replay);
    account.observer.operatorActs?.({ kind: 'replay', queueName: LETTERS, body: BODY, atMs: account.now() });
    account.write(rearmWrite(ORDER, 'capture:1'), 'operator');
    account.removeLetters(LETTERS);
    expect(account.violations).toEqual([
      `the replay of ${CAPTURE_KEY} began before its audit entry`,
      'operator opens capture:1 of USER#u-1|ORDER#ord-1, and no audit entry says why',
      `the letter of ${CAPTURE_KEY} left ${LETTERS}: no audit entry says why`,
    ]);
  });

  it('sees a finished operation opened again', () => {
    const account = queued(replay);
    account.write(claim(account.now()));
    account.write(commitPaid(account.now()));
    account.audit('replay', 'any', CAPTURE_KEY);
    account.write(
      updateWrite(ORDER, { remove: ['op:capture:1'] }, () => ''),
      'operator',
    );
    expect(account.violations[0]).toContain('opens capture:1 of USER#u-1|ORDER#ord-1, which is finished');
  });
});

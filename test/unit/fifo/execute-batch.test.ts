import { describe, expect, test } from 'vitest';
import { executeBatch } from '#shared/worker/execute-batch.ts';
import type { Delivery, Ending } from '#shared/worker/worker.ts';

const ack: Ending = { action: 'ack', outcome: 'committed', facts: {} };
const back: Ending = { action: 'hand-back', outcome: 'retry', delayMs: 8_000, facts: { code: 'x' } };
const delivery = (messageId: string, fifoGroup: string, receiveCount = 1): Delivery => ({
  messageId,
  receiptHandle: 'r',
  body: '{}',
  receiveCount,
  firstReceivedAtMs: 0,
  fifoGroup,
});
const outcomes = (ended: readonly { delivery: Delivery; ending: Ending }[]): Record<string, string> =>
  Object.fromEntries(ended.map(({ delivery, ending }) => [delivery.messageId, ending.outcome]));

// B23
describe('a batch of a FIFO queue', () => {
  test('stops a group at the first that must come back; the ones behind it are not begun and are due no sooner', async () => {
    const begun: string[] = [];
    const ended = await executeBatch(
      [delivery('a1', 'a'), delivery('b1', 'b'), delivery('a2', 'a'), delivery('b2', 'b'), delivery('a3', 'a')],
      async ({ messageId }) => {
        begun.push(messageId);
        return messageId === 'a2' ? back : ack;
      },
      () => 0,
    );
    expect(begun.sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect(outcomes(ended)).toEqual({ a1: 'committed', a2: 'retry', a3: 'behind-its-group', b1: 'committed', b2: 'committed' });
    expect(ended.find(({ delivery: { messageId } }) => messageId === 'a3')?.ending).toEqual({
      action: 'hand-back',
      outcome: 'behind-its-group',
      delayMs: 8_000,
      facts: {},
    });
  });

  test('stops a group at one whose handling broke', async () => {
    const ended = await executeBatch(
      [delivery('a1', 'a'), delivery('a2', 'a')],
      () => Promise.reject(new RangeError('x')),
      () => 0,
    );
    expect(outcomes(ended)).toEqual({ a1: 'broken', a2: 'behind-its-group' });
  });

  test('runs one group in order and several side by side', async () => {
    const log: string[] = [];
    const released = Promise.withResolvers<void>();
    const run = executeBatch(
      [delivery('a1', 'a'), delivery('a2', 'a'), delivery('b1', 'b')],
      async ({ messageId }) => {
        log.push(`${messageId} begins`);
        if (messageId === 'b1') released.resolve();
        await released.promise;
        log.push(`${messageId} ends`);
        return ack;
      },
      () => 0,
    );
    await run;
    expect(log.indexOf('b1 begins')).toBeLessThan(log.indexOf('a1 ends'));
    expect(log.indexOf('a1 ends')).toBeLessThan(log.indexOf('a2 begins'));
  });

  test('takes groups received before one at a time, after the fresh ones', async () => {
    const log: string[] = [];
    await executeBatch(
      [delivery('a1', 'a', 2), delivery('b1', 'b', 3), delivery('c1', 'c'), delivery('a2', 'a'), delivery('b2', 'b')],
      async ({ messageId }) => {
        log.push(messageId);
        await new Promise((resolve) => setImmediate(resolve));
        return ack;
      },
      () => 0,
    );
    expect(log).toEqual(['c1', 'a1', 'a2', 'b1', 'b2']);
  });

  test('says of every message what becomes of it, whatever fails', async () => {
    const deliveries = Array.from({ length: 10 }, (_, index) => delivery(`m${index}`, `g${index % 3}`, index % 4));
    const ended = await executeBatch(
      deliveries,
      async ({ messageId }) => (Number(messageId.slice(1)) % 2 === 0 ? back : ack),
      () => 0.5,
    );
    expect(ended.map(({ delivery: { messageId } }) => messageId).sort()).toEqual(deliveries.map(({ messageId }) => messageId).sort());
  });
});

import { describe, expect, test } from 'vitest';
import { executeBatch } from '#shared/worker/execute-batch.ts';
import type { Delivery, Ending } from '#shared/worker/worker.ts';
import { gate, until } from './scripted-job.ts';

const delivery = (messageId: string, receiveCount = 1): Delivery => ({
  messageId,
  receiptHandle: `r-${messageId}`,
  body: '{}',
  receiveCount,
  firstReceivedAtMs: 0,
});
const ack: Ending = { action: 'ack', outcome: 'committed', facts: {} };
const names = (ended: readonly { delivery: Delivery }[]): string[] => ended.map(({ delivery }) => delivery.messageId);

describe('a batch', () => {
  test('runs first deliveries side by side', async () => {
    const running = new Set<string>();
    const all = gate();
    const ended = executeBatch(
      ['a', 'b', 'c'].map((id) => delivery(id)),
      async ({ messageId }) => {
        running.add(messageId);
        await all.opened;
        return ack;
      },
      () => 0.5,
    );
    await until(() => running.size === 3);
    all.open();
    expect(names(await ended)).toEqual(['a', 'b', 'c']);
  });

  test('runs messages received before one at a time, after the first deliveries, in an order that chance decides', async () => {
    const chances = [0.9, 0.1, 0.5];
    const log: string[] = [];
    await executeBatch(
      [delivery('again-1', 2), delivery('first'), delivery('again-2', 3), delivery('again-3', 9)],
      async ({ messageId }) => {
        log.push(`${messageId} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${messageId} ends`);
        return ack;
      },
      () => chances.shift() ?? 0,
    );
    expect(log).toEqual([
      'first begins',
      'first ends',
      'again-2 begins',
      'again-2 ends',
      'again-3 begins',
      'again-3 ends',
      'again-1 begins',
      'again-1 ends',
    ]);
  });

  // A3: what is in no list would be acknowledged without having been looked at.
  test.each([Number.NaN, 0, -1, Number.POSITIVE_INFINITY])('loses no message whose receive count is %s', async (receiveCount) => {
    const ended = await executeBatch(
      [delivery('odd', receiveCount), delivery('plain')],
      async () => ack,
      () => 0,
    );
    expect(names(ended).sort()).toEqual(['odd', 'plain']);
  });

  // B16
  test.each([
    ['undefined', undefined, 'unexpected-undefined'],
    ['null', null, 'unexpected-null'],
    ['a text', 'text', 'unexpected-string'],
    ['an object', { code: 1 }, 'unexpected-object'],
    ['an error', new RangeError('4000000000000002'), 'unexpected-RangeError'],
  ])('hands back alone the message whose handling throws %s', async (_what, thrown, code) => {
    const ended = await executeBatch(
      ['1', '2', '3', '4'].map((id) => delivery(id, id === '3' ? 2 : 1)),
      async ({ messageId }) => {
        if (messageId === '2') throw thrown;
        return ack;
      },
      () => 0,
    );
    const byName = Object.fromEntries(ended.map(({ delivery, ending }) => [delivery.messageId, ending]));
    expect(byName['2']).toEqual({ action: 'hand-back', outcome: 'broken', delayMs: 30_000, facts: { code } });
    expect([byName['1'], byName['3'], byName['4']]).toEqual([ack, ack, ack]);
  });

  test('that fails altogether hands every message back', async () => {
    const ended = await executeBatch(
      [delivery('1'), delivery('2', 2), delivery('3', 2)],
      () => Promise.reject(undefined),
      () => 0,
    );
    expect(ended.map(({ ending }) => ending.action)).toEqual(['hand-back', 'hand-back', 'hand-back']);
  });
});

import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { dispatch } from '#shared/outbox/dispatch.ts';
import { createHandler } from '../../../functions/retry-outbox/handler.ts';
import { jobMessage } from './stream.ts';

const record = (messageId: string, body: unknown): SQSRecord =>
  ({ messageId, body: typeof body === 'string' ? body : JSON.stringify(body) }) as SQSRecord;

function createRetry(failing: readonly string[] = []) {
  const sent: string[] = [];
  const sender = {
    async send(_url: string, entries: readonly { id: string; body: string }[]) {
      const failed = entries
        .filter(({ body }) => failing.some((name) => body.includes(name)))
        .map(({ id }) => ({ id, senderFault: false, code: 'InternalError' }));
      sent.push(...entries.filter(({ id }) => !failed.some((entry) => entry.id === id)).map(({ body }) => JSON.parse(body).idempotencyKey));
      return { failed };
    },
  };
  const logged: unknown[] = [];
  const handler = createHandler({
    measure: (parked) => (parked === 0 ? {} : { OutboxParked: parked }),
    dispatch: (outgoing) =>
      dispatch(
        outgoing,
        { 'send-receipt': 'url' },
        sender,
        async () => undefined,
        () => undefined,
      ),
    log: { info: (message, fields) => void logged.push({ message, ...fields }) },
  });
  return { sent, logged, handle: (...Records: SQSRecord[]) => handler({ Records } as SQSEvent) };
}

describe('what the dispatcher parked', () => {
  test('is sent again and leaves the queue', async () => {
    const { handle, sent } = createRetry();
    expect(await handle(record('1', { message: jobMessage('a') }), record('2', { message: jobMessage('b') }))).toEqual({
      batchItemFailures: [],
    });
    expect(sent).toEqual(['receipt:u-1/a:1', 'receipt:u-1/b:1']);
  });

  test('waits on when it still cannot go; its neighbours leave', async () => {
    const { handle, sent, logged } = createRetry(['/b:1']);
    const unknown = { message: jobMessage('c', { kind: 'future-kind' }) };
    const answer = await handle(record('1', { message: jobMessage('a') }), record('2', { message: jobMessage('b') }), record('3', unknown));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '3' }] });
    expect(sent).toEqual(['receipt:u-1/a:1']);
    expect(logged).toEqual([{ message: 'outbox retried', keys: ['receipt:u-1/a:1'], waiting: 2, OutboxParked: 2 }]);
  });

  test.each(['{', 'null', '[]', '{"unreadable":{"keys":{}}}', '{"message":{"kind":"send-receipt"}}'])(
    'and is no message (%s) waits for a person instead of being dropped',
    async (body) => {
      const { handle, sent } = createRetry();
      expect(await handle(record('1', body), record('2', { message: jobMessage('a') }))).toEqual({
        batchItemFailures: [{ itemIdentifier: '1' }],
      });
      expect(sent).toEqual(['receipt:u-1/a:1']);
    },
  );
});

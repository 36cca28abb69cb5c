import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { readItemChange } from '#shared/aws/stream-record.ts';
import { queueText } from '#shared/contract/queue-text.ts';
import { dispatch } from '#shared/outbox/dispatch.ts';
import { answerStreamBatch, type StreamFailureMode } from '#shared/runtime/stream-batch.ts';
import { createHandler } from '../../../functions/dispatch-outbox/handler.ts';
import type { FaultHook } from '../../support/fake-aws/request-handler.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { committed, jobMessage, streamRecord } from './stream.ts';

function createDispatcher(mode: StreamFailureMode = 'report') {
  const clock = createVirtualClock();
  const aws = createFakeAws({ now: clock.nowMs });
  const queueUrls = {
    'send-receipt': aws.sqs.createQueue({ QueueName: 'receipts' }),
    'capture-payment': aws.sqs.createQueue({ QueueName: 'captures' }),
  };
  const failedUrl = aws.sqs.createQueue({ QueueName: 'outbox-failed' });
  const sender = createQueueSender(new SQSClient({ ...aws.clientConfig, maxAttempts: 1 } as SQSClientConfig));
  const logged: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const log = (level: string) => (message: string, fields: Record<string, unknown>) => void logged.push({ level, message, fields });
  const handler = createHandler({
    readItemChange,
    dispatch: (outgoing) => dispatch(outgoing, queueUrls, sender, clock.sleep, () => undefined),
    park: async (entries) =>
      (
        await sender.send(
          failedUrl,
          entries.map(({ body }, index) => ({ id: String(index), body: queueText(body) })),
        )
      ).failed.map(({ id }) => Number(id)),
    answerStreamBatch: (failures) => answerStreamBatch(failures, mode),
    measure: (parked) => (parked === 0 ? {} : { OutboxParked: parked }),
    log: { info: log('info'), error: log('error') },
  });
  const bodies = (queue: string) => aws.sqs.messages(queue).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  return {
    aws,
    clock,
    logged,
    handle: (...Records: DynamoDBRecord[]) => handler({ Records }),
    sent: (queue = 'receipts') => bodies(queue).map((body) => body['idempotencyKey']),
    parked: () => bodies('outbox-failed'),
    onSend: (fault: FaultHook) => {
      aws.fault = fault;
    },
  };
}

const to = (call: { input: Record<string, unknown> }, queue: string): boolean => String(call.input['QueueUrl']).endsWith(`/${queue}`);
const entryCount = (call: { input: Record<string, unknown> }): number => (call.input['Entries'] as unknown[]).length;
const keyOf = (id: string): string => `receipt:u-1/${id}:1`;

describe('a change of an item', () => {
  test('that raised the version sends its jobs, each to its own queue, as the documents they are', async () => {
    const { handle, sent, aws } = createDispatcher();
    const capture = jobMessage('b', { kind: 'capture-payment', idempotencyKey: 'capture:u-1/b:1', trace: 't' });
    expect(await handle(committed('1', jobMessage('a'), capture))).toEqual({ batchItemFailures: [] });
    expect(sent()).toEqual([keyOf('a')]);
    expect(aws.sqs.messages('captures').map(({ body }) => JSON.parse(body))).toEqual([capture]);
  });

  test('that made the item sends its jobs, too', async () => {
    const { handle, sent } = createDispatcher();
    await handle(streamRecord('1', { version: 1, outbox: [jobMessage('a')] }));
    expect(sent()).toEqual([keyOf('a')]);
  });

  test.each([
    [
      'left the version alone while the outbox still shows',
      streamRecord('1', { version: 2, outbox: [jobMessage('a')], lease: 'free' }, { version: 2, outbox: [jobMessage('a')] }),
    ],
    ['carries no outbox', streamRecord('1', { version: 2 }, { version: 1 })],
    ['carries an empty one', committed('1')],
    ['deleted the item', streamRecord('1', undefined, { version: 2, outbox: [jobMessage('a')] })],
  ])('that %s sends nothing', async (_what, record) => {
    const { handle, aws } = createDispatcher();
    expect(await handle(record)).toEqual({ batchItemFailures: [] });
    expect(aws.calls).toEqual([]);
  });
});

// B41
describe('a record that cannot be read', () => {
  test.each([
    [
      'an attribute of no known type',
      (record: DynamoDBRecord) => ({ ...record, dynamodb: { ...record.dynamodb, NewImage: { outbox: { X: 'x' } } } }),
      'image is no item',
    ],
    ['an outbox that is no list', () => streamRecord('5', { version: 2, outbox: 'x' }, { version: 1 }), 'outbox is no list'],
    ['an entry that is no message', () => committed('5', jobMessage('bad'), { kind: 'send-receipt' }), 'outbox entry 1 is no message'],
  ])('because of %s is parked alone with its keys; the other nine go out', async (_what, spoil, problem) => {
    const { handle, sent, parked, logged } = createDispatcher();
    const records = Array.from({ length: 10 }, (_, index) => committed(String(index), jobMessage(`m${index}`)));
    records[5] = spoil(records[5] as DynamoDBRecord) as DynamoDBRecord;
    expect(await handle(...records)).toEqual({ batchItemFailures: [] });
    expect(sent()).toEqual([0, 1, 2, 3, 4, 6, 7, 8, 9].map((index) => keyOf(`m${index}`)));
    expect(parked()).toEqual([{ unreadable: { keys: { pk: { S: 'USER#u-1' }, sk: { S: 'ORDER#5' } }, sequenceNumber: '5' } }]);
    expect(logged).toMatchObject([{ level: 'error', fields: { parked: 1, left: 0, problems: [problem] } }]);
  });

  test('comes again when even the queue for failures does not take it', async () => {
    const { handle, onSend, sent } = createDispatcher();
    onSend((call) => (to(call, 'outbox-failed') ? { error: 'InternalError', status: 500 } : undefined));
    expect(await handle(committed('1', jobMessage('a')), committed('2', 'nonsense'))).toEqual({
      batchItemFailures: [{ itemIdentifier: '2' }],
    });
    expect(sent()).toEqual([keyOf('a')]);
  });
});

test('a message of a kind this code does not know is parked, whatever it is called, and holds nobody up', async () => {
  const { handle, sent, parked } = createDispatcher();
  const strange = ['future-kind', 'constructor'].map((kind) => jobMessage('x', { kind }));
  expect(await handle(committed('1', jobMessage('a'), ...strange), committed('2', jobMessage('b')))).toEqual({ batchItemFailures: [] });
  expect(sent()).toEqual([keyOf('a'), keyOf('b')]);
  expect(parked()).toEqual(strange.map((message) => ({ message })));
});

// B37
describe('when SQS takes only a part', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => committed(String(100 + index), jobMessage(`m${index}`)));

  test('the transient rest is sent again, the hopeless one is parked, and nothing accepted goes twice', async () => {
    const { handle, sent, parked, onSend, aws, clock, logged } = createDispatcher();
    const startMs = clock.nowMs();
    let calls = 0;
    onSend((call) => {
      if (!to(call, 'receipts')) return undefined;
      calls++;
      if (calls === 1) return { failedEntries: { 2: { Code: 'InternalError' }, 4: { Code: 'InvalidMessageContents', SenderFault: true } } };
      return calls === 2 ? 'fail-before' : undefined;
    });
    expect(await handle(...many(23))).toEqual({ batchItemFailures: [] });
    const keys = sent();
    expect(keys).toHaveLength(22);
    expect(new Set(keys).size).toBe(22);
    expect(keys).not.toContain(keyOf('m4'));
    expect(parked()).toMatchObject([{ message: { idempotencyKey: keyOf('m4') } }]);
    // Three calls, then one with the eleven that were left: message 2 and the whole second call.
    expect(aws.calls.filter((call) => to(call, 'receipts')).map(entryCount)).toEqual([10, 10, 3, 10, 1]);
    expect(clock.nowMs() - startMs).toBe(200);
    expect(logged[0]?.fields['keys']).toHaveLength(22);
  });

  test.each([
    ['AccessDenied', { error: 'AccessDenied', status: 403 } as const],
    ['unanswered', 'fail-before' as const],
    ['InternalError', { failedEntries: { 0: { Code: 'InternalError' } } } as const],
  ])('the log says in the words of AWS why nothing was accepted: %s', async (code, fault) => {
    const { handle, onSend, logged } = createDispatcher();
    onSend(() => fault);
    await handle(committed('1', jobMessage('a')));
    expect(logged).toMatchObject([{ level: 'error', fields: { left: 1, codes: [code] } }]);
  });

  test('an entry in neither list counts as not sent and is sent again', async () => {
    const { aws, clock } = createDispatcher();
    const url = aws.sqs.createQueue({ QueueName: 'silent' });
    const sendOnce = createQueueSender({ send: async () => ({ Successful: [{ Id: '0' }], Failed: [] }) } as never);
    const result = await dispatch(
      [jobMessage('a'), jobMessage('b')].map((message, recordIndex) => ({ message, recordIndex })),
      { 'send-receipt': url },
      sendOnce,
      clock.sleep,
      () => undefined,
    );
    // What is alone in its second call is entry 0, which this queue takes.
    expect(result.sent.map(({ recordIndex }) => recordIndex)).toEqual([0, 1]);
    expect(result.unsent).toEqual([]);
  });

  test('what still fails after three tries is reported by the lowest sequence number, and only that', async () => {
    const { handle, sent, onSend, aws } = createDispatcher('report');
    onSend(({ input }) => {
      const entries = input['Entries'] as { Id: string; MessageBody: string }[];
      const stubborn = entries.filter(({ MessageBody }) => /m[27]"/.test(MessageBody));
      return { failedEntries: Object.fromEntries(stubborn.map(({ Id }) => [Id, { Code: 'InternalError' }])) };
    });
    expect(await handle(...many(10))).toEqual({ batchItemFailures: [{ itemIdentifier: '102' }] });
    expect(sent()).toHaveLength(8);
    expect(aws.calls.map(entryCount)).toEqual([10, 2, 2]);
  });

  test('with nothing accepted at all, three tries are made and the lowest record comes again', async () => {
    const { handle, onSend, aws, logged } = createDispatcher('report');
    onSend(() => ({ error: 'ServiceUnavailable', status: 503 }));
    expect(
      await handle(committed('99', jobMessage('late')), committed('100', jobMessage('b')), committed('9', jobMessage('early'))),
    ).toEqual({ batchItemFailures: [{ itemIdentifier: '9' }] });
    expect(aws.calls).toHaveLength(3);
    expect(logged).toMatchObject([{ level: 'error', fields: { keys: [], left: 3, parked: 0 } }]);
  });

  test('where partial answers are ignored the batch is thrown back instead', async () => {
    const { handle, onSend } = createDispatcher('throw');
    onSend(() => ({ error: 'ServiceUnavailable', status: 503 }));
    await expect(handle(committed('1', jobMessage('a')))).rejects.toThrow('1 stream record(s) could be neither handled nor parked');
  });
});

// B38
test.each(['a\uFFFFb', 'a\uFFFEb', 'a\u0000b', 'half \uD800', '😀', '\u007f'])(
  'a job whose payload holds %j goes out in the middle of ten others and arrives unchanged',
  async (text) => {
    const { handle, sent, aws, parked } = createDispatcher();
    const records = Array.from({ length: 11 }, (_, index) =>
      committed(String(index), jobMessage(`m${index}`, index === 5 ? { payload: { text } } : {})),
    );
    expect(await handle(...records)).toEqual({ batchItemFailures: [] });
    expect(sent()).toHaveLength(11);
    expect(parked()).toEqual([]);
    expect(JSON.parse(aws.sqs.messages('receipts')[5]?.body ?? '')).toMatchObject({ payload: { text } });
  },
);

test('tells by which trace ids it can be found again, each once, and none that does not look like one', async () => {
  const { handle, logged } = createDispatcher();
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
  const traced = [trace, trace, '4000000000000002'].map((one, index) => committed(String(index), jobMessage(`m${index}`, { trace: one })));
  await handle(...traced);
  expect(logged).toMatchObject([{ fields: { records: 3, traces: [trace] } }]);
});

test('logs keys and counts of what went out, and no payload', async () => {
  const { handle, logged } = createDispatcher();
  await handle(committed('1', jobMessage('a', { payload: { note: 'canary' } })));
  expect(logged).toEqual([
    { level: 'info', message: 'dispatched', fields: { records: 1, keys: [keyOf('a')], traces: [], parked: 0, left: 0 } },
  ]);
});

import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { createDeadLetterQueue, createQueueSender, handBack } from '#shared/aws/sqs-queue.ts';
import { writeLetter } from '#shared/dead-letter/letter.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';

function createBench() {
  const aws = createFakeAws({ now: () => 1_000 });
  const queueUrl = aws.sqs.createQueue({ QueueName: 'q' });
  const client = new SQSClient({ ...aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  return { aws, queueUrl, client, bodies: () => aws.sqs.messages('q').map(({ body }) => body) };
}

const entries = (count: number, body = (index: number) => `body-${index}`) =>
  Array.from({ length: count }, (_, index) => ({ id: String(index), body: body(index) }));
const letter = (trace?: string) => writeLetter({ kind: 'k', reason: 'malformed', attempts: 0, firstSeenAtMs: 0, lastSeenAtMs: 0, trace });

// B37
describe('sending many', () => {
  test('reports an entry that failed, and one in neither list, and nothing that was accepted', async () => {
    const { aws, queueUrl, client, bodies } = createBench();
    const send = client.send.bind(client) as (command: unknown) => Promise<{ Successful?: { Id?: string }[] }>;
    aws.fault = () => ({
      failedEntries: { 3: { Code: 'InternalError', SenderFault: false }, 5: { Code: 'InvalidMessageContents', SenderFault: true } },
    });
    client.send = (async (command: unknown) => {
      const answer = await send(command);
      return { ...answer, Successful: answer.Successful?.filter(({ Id }) => Id !== '7') };
    }) as never;
    const { failed } = await createQueueSender(client).send(queueUrl, entries(10));
    expect(failed).toEqual([
      { id: '3', senderFault: false, code: 'InternalError' },
      { id: '5', senderFault: true, code: 'InvalidMessageContents' },
      { id: '7', senderFault: false, code: 'unanswered' },
    ]);
    expect(bodies()).toHaveLength(8);
  });

  test('goes on with the next call when one gets no answer', async () => {
    const { aws, queueUrl, client, bodies } = createBench();
    let calls = 0;
    aws.fault = () => (++calls === 2 ? 'fail-before' : undefined);
    const { failed } = await createQueueSender(client).send(queueUrl, entries(23));
    expect(failed.map(({ id }) => Number(id))).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(bodies()).toHaveLength(13);
    expect(aws.calls).toHaveLength(3);
  });

  test('keeps each call within ten entries and 256 KiB', async () => {
    const { aws, queueUrl, client, bodies } = createBench();
    const { failed } = await createQueueSender(client).send(
      queueUrl,
      entries(12, () => 'é'.repeat(50 * 1024)),
    );
    expect(failed).toEqual([]);
    expect(bodies()).toHaveLength(12);
    expect(aws.calls.map(({ input }) => (input['Entries'] as unknown[]).length)).toEqual([2, 2, 2, 2, 2, 2]);
  });
});

describe('a letter', () => {
  test('carries the body untouched, with its reasons in one attribute', async () => {
    const { aws, queueUrl, client } = createBench();
    await createDeadLetterQueue(async () => client, queueUrl).send('{not json', letter());
    expect(aws.sqs.messages('q')).toMatchObject([{ body: '{not json', attributes: { andal: { DataType: 'String' } } }]);
  });

  // B38
  test('goes out even when a reason holds characters SQS refuses', async () => {
    const { aws, queueUrl, client } = createBench();
    const trace = 'a\uFFFFb\uFFFE\u0000\uD800 😀';
    await createDeadLetterQueue(async () => client, queueUrl).send('{}', letter(trace));
    expect(JSON.parse(aws.sqs.messages('q')[0]?.attributes['andal']?.StringValue ?? '')).toMatchObject({ trace });
  });

  test('goes out bare when the body leaves no room for its reasons', async () => {
    const { aws, queueUrl, client } = createBench();
    const body = 'x'.repeat(1024 * 1024);
    await createDeadLetterQueue(async () => client, queueUrl).send(body, letter());
    expect(aws.sqs.messages('q')[0]?.body.length).toBe(body.length);
  });

  test('that SQS does not take is an error, so that nothing is acknowledged', async () => {
    const { aws, queueUrl, client } = createBench();
    aws.fault = () => ({ error: 'InternalError', status: 500 });
    await expect(createDeadLetterQueue(async () => client, queueUrl).send('{}', letter())).rejects.toThrow();
  });
});

// B30
describe('handing back', () => {
  const received = (count: number) => {
    const bench = createBench();
    for (let index = 0; index < count; index++) bench.aws.sqs.handle('SendMessage', { QueueUrl: bench.queueUrl, MessageBody: `m${index}` });
    const messages: { messageId: string; receiptHandle: string; delaySeconds: number }[] = [];
    for (let polls = 0; polls * 10 < count; polls++) {
      const answer = bench.aws.sqs.handle('ReceiveMessage', { QueueUrl: bench.queueUrl, MaxNumberOfMessages: 10 }) as {
        output: { Messages: { MessageId: string; ReceiptHandle: string }[] };
      };
      messages.push(
        ...answer.output.Messages.map(({ MessageId, ReceiptHandle }) => ({
          messageId: MessageId,
          receiptHandle: ReceiptHandle,
          delaySeconds: 77,
        })),
      );
    }
    return { ...bench, messages };
  };

  test('hides more messages than one call takes, each tried as often as any other', async () => {
    const { aws, client, queueUrl, messages } = received(45);
    let calls = 0;
    aws.fault = () => (++calls % 2 === 1 ? { error: 'InternalError', status: 500 } : undefined);
    expect(await handBack(async () => client, queueUrl, messages)).toEqual([]);
    expect(aws.sqs.messages('q').every(({ visibleAtMs }) => visibleAtMs === 78_000)).toBe(true);
  });

  test('names what stays visible after three tries', async () => {
    const { aws, client, queueUrl, messages } = received(12);
    aws.fault = ({ input }) => ((input['Entries'] as unknown[]).length === 2 ? 'fail-before' : undefined);
    expect(await handBack(async () => client, queueUrl, messages)).toEqual(messages.slice(10).map(({ messageId }) => messageId));
    expect(aws.calls).toHaveLength(4);
  });

  test('does not load the SQS client for nothing', async () => {
    const unused = () => Promise.reject(new Error('loaded'));
    expect(await handBack(unused, 'url', [])).toEqual([]);
  });
});

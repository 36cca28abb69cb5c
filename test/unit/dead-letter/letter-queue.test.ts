import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { createLetterQueue } from '#shared/aws/letter-queue.ts';
import { createMessageSender } from '#shared/aws/message-sender.ts';
import type { OutgoingLetter } from '#shared/dead-letter/letter-queue-port.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';

function createBench() {
  let nowMs = 1_000;
  const aws = createFakeAws({ now: () => nowMs });
  const client = new SQSClient({ ...aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  const url = aws.sqs.createQueue({ QueueName: 'letters' });
  const send = (body: string): void => void aws.sqs.handle('SendMessage', { QueueUrl: url, MessageBody: body });
  return {
    aws,
    url,
    send,
    queue: createLetterQueue(client, url),
    sender: createMessageSender(client),
    later: (durationMs: number) => {
      nowMs += durationMs;
    },
    bodies: () => aws.sqs.messages('letters').map(({ body }) => body),
  };
}

const outgoing = (id: string, body: string): OutgoingLetter => ({ id, body, attributes: {} });

// B74
test('twelve letters of 200 KB and one of almost a megabyte with ten attributes are all sent, in calls that SQS takes', async () => {
  const { aws, url, sender, bodies } = createBench();
  const large = {
    ...outgoing('large', 'x'.repeat(1024 * 1024 - 300)),
    attributes: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`a${index}`, { dataType: 'String', text: 'v' }])),
  };
  const letters = [...Array.from({ length: 12 }, (_, index) => outgoing(`m-${index}`, 'y'.repeat(200_000))), large];
  expect(await sender.send(url, letters)).toEqual([]);
  expect(bodies()).toHaveLength(13);
  expect(Object.keys(aws.sqs.messages('letters').at(-1)?.attributes ?? {})).toHaveLength(10);
});

test('small letters go ten to a call; what SQS refuses is named, and only that', async () => {
  const { aws, url, sender, bodies } = createBench();
  aws.fault = ({ input }) => (input.Entries.length === 10 ? { failedEntries: { '3': { Code: 'InternalError' } } } : undefined);
  const failures = await sender.send(
    url,
    Array.from({ length: 12 }, (_, index) => outgoing(`m-${index}`, `b-${index}`)),
  );
  expect(failures).toEqual([{ messageId: 'm-3', code: 'InternalError' }]);
  expect(aws.calls).toHaveLength(2);
  expect(bodies()).not.toContain('b-3');
  expect(bodies()).toHaveLength(11);
});

test('a call without an answer counts as unanswered for each of its entries, one with an error carries its name', async () => {
  const { aws, url, sender } = createBench();
  const letters = [outgoing('m-1', 'a'), outgoing('m-2', 'b')];
  aws.fault = () => 'apply-then-lose-answer';
  expect(await sender.send(url, letters)).toEqual([
    { messageId: 'm-1', code: 'unanswered' },
    { messageId: 'm-2', code: 'unanswered' },
  ]);
  aws.fault = () => ({ error: 'InternalError', status: 500 });
  expect((await sender.send(url, letters))[0]?.code).toBe('unanswered');
  aws.fault = undefined;
  expect(await sender.send(`${url}-gone`, letters)).toMatchObject([{ code: 'QueueDoesNotExist' }, { code: 'QueueDoesNotExist' }]);
});

test('a letter is received whole: body, attributes, trace, age and where SQS moved it from', async () => {
  const { aws, url, queue } = createBench();
  aws.sqs.handle('SendMessage', {
    QueueUrl: url,
    MessageBody: ' { "n": 12345678901234567890 } ',
    MessageAttributes: { andal: { DataType: 'String', StringValue: '{}' }, raw: { DataType: 'Binary', BinaryValue: 'AQL/' } },
    MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-x' } },
  });
  expect(await queue.receive(10, 30)).toMatchObject([
    {
      body: ' { "n": 12345678901234567890 } ',
      attributes: { andal: { dataType: 'String', text: '{}' }, raw: { dataType: 'Binary', bytes: new Uint8Array([1, 2, 255]) } },
      traceHeader: 'Root=1-x',
      sentAtMs: 1_000,
      receiveCount: 1,
      sourceArn: undefined,
    },
  ]);
});

test('letters that were only looked at are given back at once', async () => {
  const { queue, send } = createBench();
  for (let index = 0; index < 12; index++) send(`b-${index}`);
  const letters = [...(await queue.receive(10, 600)), ...(await queue.receive(10, 600))];
  expect(await queue.receive(10, 600)).toEqual([]);
  expect(await queue.hide(letters, 0)).toEqual([]);
  expect(await queue.receive(10, 600)).toHaveLength(10);
});

test('a letter that somebody else has received meanwhile is not taken from under them', async () => {
  const { queue, send, later, bodies } = createBench();
  send('b');
  const mine = await queue.receive(10, 1);
  later(2_000);
  await queue.receive(10, 60);
  expect(await queue.remove(mine)).toEqual([{ messageId: mine[0]?.messageId, code: 'ReceiptHandleIsInvalid' }]);
  expect(bodies()).toEqual(['b']);
});

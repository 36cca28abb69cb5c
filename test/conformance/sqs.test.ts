import { createHash } from 'node:crypto';
import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  PurgeQueueCommand,
  type ReceiveMessageRequest,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SendMessageCommand,
  type SendMessageRequest,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { answerToStep, openBench, type QueueKind, sqsSteps } from './sqs-steps.ts';
import { describeConformance, emulatorTarget, endpoint, fakeTarget, randomRuns, refusalOf } from './target.ts';

describeConformance('sqs', (promise, target) => {
  let QueueUrl: string;
  beforeEach(async () => {
    QueueUrl = (await target.createQueue({ QueueName: 'work', Attributes: { VisibilityTimeout: '30' } })).url;
  });

  const send = (input: Partial<SendMessageRequest> = {}) =>
    target.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'body', ...input }));
  const sendBatch = (Entries: SendMessageBatchRequestEntry[]) => target.sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
  const receive = (input: Partial<ReceiveMessageRequest> = {}, waitSeconds = 0) =>
    target.receive(
      { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'], ...input },
      waitSeconds,
    );
  const one = async (input: Partial<ReceiveMessageRequest> = {}, waitSeconds = 0): Promise<Message> => {
    const [message, ...others] = await receive(input, waitSeconds);
    if (!message || others.length > 0) throw new Error(`expected one message, got ${message ? others.length + 1 : 0}`);
    return message;
  };
  const bodies = (messages: readonly Message[]) => messages.map((message) => message.Body);
  const remove = (ReceiptHandle: string | undefined) => target.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  const hide = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
    target.sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  const counts = async () => {
    const { Attributes } = await target.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    return [
      Attributes?.ApproximateNumberOfMessages,
      Attributes?.ApproximateNumberOfMessagesNotVisible,
      Attributes?.ApproximateNumberOfMessagesDelayed,
    ].map(Number);
  };

  // Sending and receiving

  promise('delivers a body byte for byte, with the digests the SDK checks', async () => {
    const body = '{"text":"ä “quoted” 😀"}\t\r\n';
    const sent = await send({ MessageBody: body });
    const received = await one();
    expect([received.Body, received.MessageId]).toEqual([body, sent.MessageId]);
    expect(received.MD5OfBody).toBe(createHash('md5').update(body).digest('hex'));
  });

  promise('delivers message attributes and digests them as documented', async () => {
    const MessageAttributes = {
      andal: { DataType: 'String', StringValue: '{"reason":"spent"}' },
      count: { DataType: 'Number', StringValue: '7' },
      blob: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
    };
    const sent = await send({ MessageAttributes });
    const received = await one();
    expect(received.MessageAttributes).toMatchObject({ andal: { StringValue: '{"reason":"spent"}' }, count: { StringValue: '7' } });
    expect(received.MessageAttributes?.['blob']?.BinaryValue).toEqual(new Uint8Array([1, 2]));
    expect(sent.MD5OfMessageAttributes).toBe('0d36824f849ef499ed366b698b36b9c4');
    expect(received.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
  });

  promise('returns only the attributes a receiver names', async () => {
    await send({ MessageAttributes: { andal: { DataType: 'String', StringValue: 'x' }, other: { DataType: 'String', StringValue: 'y' } } });
    const message = await one({ MessageAttributeNames: ['andal'], MessageSystemAttributeNames: ['ApproximateReceiveCount'] });
    expect(Object.keys(message.MessageAttributes ?? {})).toEqual(['andal']);
    expect(message.Attributes).toEqual({ ApproximateReceiveCount: '1' });
  });

  promise('counts receives and remembers the first', async () => {
    await send();
    const first = await one({ VisibilityTimeout: 0 });
    const second = await one();
    expect([first.Attributes?.ApproximateReceiveCount, second.Attributes?.ApproximateReceiveCount]).toEqual(['1', '2']);
    expect(second.Attributes?.ApproximateFirstReceiveTimestamp).toBe(first.Attributes?.ApproximateFirstReceiveTimestamp);
    expect(second.Attributes?.SentTimestamp).toBe(first.Attributes?.SentTimestamp);
    expect(second.ReceiptHandle).not.toBe(first.ReceiptHandle);
  });

  promise('hides a received message until its visibility timeout is over', async () => {
    await send();
    await one({ VisibilityTimeout: 1 });
    expect(await receive()).toEqual([]);
    expect((await one({}, 3)).Attributes?.ApproximateReceiveCount).toBe('2');
  });

  promise('delays a message', async () => {
    await send({ DelaySeconds: 1 });
    expect([await receive(), await counts()]).toEqual([[], [0, 0, 1]]);
    expect(bodies(await receive({}, 3))).toEqual(['body']);
  });

  promise('carries the trace header', async () => {
    await send({
      MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793' } },
    });
    expect((await one()).Attributes?.AWSTraceHeader).toBe('Root=1-5759e988-bd862e3fe1be46a994272793');
  });

  promise('takes a group on a standard queue', async () => {
    await send({ MessageGroupId: 'tenant-1' });
    expect((await one()).Attributes?.MessageGroupId).toBe('tenant-1');
  });

  promise('receives at most as many as asked for, and at most ten', async () => {
    await sendBatch(['1', '2', '3'].map((Id) => ({ Id, MessageBody: Id })));
    expect((await receive({ MaxNumberOfMessages: 2 })).length).toBe(2);
    await refusalOf(receive({ MaxNumberOfMessages: 11 }));
  });

  // Refusals

  promise('refuses characters that XML 1.0 cannot hold', async () => {
    const errors = [await refusalOf(send({ MessageBody: 'a\u0001' })), await refusalOf(send({ MessageBody: 'a\uffff' }))];
    expect(errors.map((error) => error.name)).toEqual(['InvalidMessageContents', 'InvalidMessageContents']);
  });

  promise('refuses only the entry whose characters XML 1.0 cannot hold', async () => {
    const { Successful, Failed } = await sendBatch([
      { Id: 'good', MessageBody: 'x' },
      { Id: 'bad', MessageBody: '\u0001' },
    ]);
    expect(Successful?.map(({ Id }) => Id)).toEqual(['good']);
    expect(Failed).toMatchObject([{ Id: 'bad', SenderFault: true, Code: 'InvalidMessageContents' }]);
  });

  const REFUSED: Readonly<Record<string, Partial<SendMessageRequest>>> = {
    'an empty body': { MessageBody: '' },
    'a delay beyond 15 minutes': { DelaySeconds: 901 },
    'an attribute without value': { MessageAttributes: { a: { DataType: 'String', StringValue: '' } } },
    'an attribute of an unknown type': { MessageAttributes: { a: { DataType: 'Text', StringValue: 'x' } } },
  };
  for (const [what, input] of Object.entries(REFUSED)) {
    promise(`refuses ${what}`, async () => {
      await refusalOf(send(input));
      expect(await counts()).toEqual([0, 0, 0]);
    });
  }

  promise('takes a message of one mebibyte and refuses a larger one', async () => {
    await send({ MessageBody: 'x'.repeat(1024 * 1024) });
    await refusalOf(send({ MessageBody: 'x'.repeat(1024 * 1024 + 1) }));
    await refusalOf(send({ MessageBody: 'ä'.repeat(600 * 1024) }));
  });

  const half = 'x'.repeat(600 * 1024);
  const BATCHES: Readonly<Record<string, readonly [string, SendMessageBatchRequestEntry[]]>> = {
    'more than ten entries': [
      'TooManyEntriesInBatchRequest',
      Array.from({ length: 11 }, (_, Id) => ({ Id: String(Id), MessageBody: 'x' })),
    ],
    'two entries of one id': [
      'BatchEntryIdsNotDistinct',
      [
        { Id: 'a', MessageBody: 'x' },
        { Id: 'a', MessageBody: 'y' },
      ],
    ],
    'an id with other characters': ['InvalidBatchEntryId', [{ Id: 'a/b', MessageBody: 'x' }]],
    'no entries': ['EmptyBatchRequest', []],
    'more than a mebibyte in all': [
      'BatchRequestTooLong',
      [
        { Id: 'a', MessageBody: half },
        { Id: 'b', MessageBody: half },
      ],
    ],
  };
  for (const [what, [name, entries]] of Object.entries(BATCHES)) {
    promise(`refuses a batch with ${what} and sends none of it`, async () => {
      expect((await refusalOf(sendBatch(entries))).name).toBe(name);
      expect(await counts()).toEqual([0, 0, 0]);
    });
  }

  promise('knows no queue that was not created', async () => {
    const errors = [
      await refusalOf(send({ QueueUrl: `${QueueUrl}-never` })),
      await refusalOf(target.sqs.send(new GetQueueUrlCommand({ QueueName: 'never-created' }))),
    ];
    expect(errors.map((error) => error.name)).toEqual(['QueueDoesNotExist', 'QueueDoesNotExist']);
  });

  // Receipts

  promise('deletes by the latest receipt handle, once or twice', async () => {
    await send();
    const { ReceiptHandle } = await one();
    await remove(ReceiptHandle);
    await remove(ReceiptHandle);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  promise('deletes by a handle whose visibility timeout is over while nobody else has the message', async () => {
    await send();
    const { ReceiptHandle } = await one({ VisibilityTimeout: 0 });
    await remove(ReceiptHandle);
    expect(await receive()).toEqual([]);
  });

  promise('refuses a handle that is older than the latest receive, and one that is none', async () => {
    await send();
    const { ReceiptHandle: stale } = await one({ VisibilityTimeout: 0 });
    const { ReceiptHandle: latest } = await one();
    const errors = [await refusalOf(remove(stale)), await refusalOf(hide(stale, 0)), await refusalOf(remove('no-handle'))];
    expect(errors.map((error) => error.name)).toEqual(Array(3).fill('ReceiptHandleIsInvalid'));
    expect(await counts()).toEqual([0, 1, 0]);
    await remove(latest);
  });

  promise('hands a message back at once and keeps one longer', async () => {
    await send();
    await hide((await one()).ReceiptHandle, 0);
    const { ReceiptHandle } = await one({ VisibilityTimeout: 1 });
    await hide(ReceiptHandle, 600);
    expect(await receive({}, 2)).toEqual([]);
    expect(await counts()).toEqual([0, 1, 0]);
  });

  promise('refuses a visibility timeout above twelve hours', async () => {
    await send();
    const { ReceiptHandle } = await one();
    await refusalOf(hide(ReceiptHandle, 43_201));
  });

  promise('refuses to change the visibility of what is visible again', async () => {
    await send();
    const { ReceiptHandle } = await one();
    await hide(ReceiptHandle, 0);
    expect((await refusalOf(hide(ReceiptHandle, 10))).name).toBe('MessageNotInflight');
  });

  promise('judges every entry of a batch of receipts on its own', async () => {
    await send();
    const { ReceiptHandle } = await one();
    const changed = await target.sqs.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: [
          { Id: 'good', ReceiptHandle, VisibilityTimeout: 20 },
          { Id: 'bad', ReceiptHandle: 'no-handle', VisibilityTimeout: 20 },
        ],
      }),
    );
    const Entries = [
      { Id: 'good', ReceiptHandle },
      { Id: 'bad', ReceiptHandle: 'no-handle' },
    ];
    const deleted = await target.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    for (const { Successful, Failed } of [changed, deleted]) {
      expect(Successful).toEqual([{ Id: 'good' }]);
      expect(Failed).toMatchObject([{ Id: 'bad', SenderFault: true, Code: 'ReceiptHandleIsInvalid' }]);
    }
  });

  // Dead letters

  const withDeadLetters = async (maxReceiveCount: number, suffix = '', extra: Record<string, string> = {}) => {
    const dead = await target.createQueue({ QueueName: `dead${suffix}`, Attributes: extra });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount });
    const source = await target.createQueue({ QueueName: `source${suffix}`, Attributes: { ...extra, RedrivePolicy } });
    QueueUrl = source.url;
    return { deadUrl: dead.url, sourceArn: source.arn };
  };

  promise('moves a message received too often to the dead-letter queue as it is', async () => {
    const { deadUrl, sourceArn } = await withDeadLetters(2);
    const { MessageId } = await send({ MessageBody: 'poison', MessageAttributes: { andal: { DataType: 'String', StringValue: 'x' } } });
    const first = await one({ VisibilityTimeout: 0 });
    await one({ VisibilityTimeout: 0 });
    expect(await receive()).toEqual([]);
    const letter = await one({ QueueUrl: deadUrl });
    expect([letter.MessageId, letter.Body, letter.MessageAttributes?.['andal']?.StringValue]).toEqual([MessageId, 'poison', 'x']);
    expect(letter.Attributes?.SentTimestamp).toBe(first.Attributes?.SentTimestamp);
    expect(letter.Attributes?.DeadLetterQueueSourceArn).toBe(sourceArn);
    expect(letter.Attributes?.ApproximateReceiveCount).toBe('3');
  });

  promise('purges everything, in flight or not', async () => {
    await sendBatch(['1', '2'].map((Id) => ({ Id, MessageBody: Id })));
    await one({ MaxNumberOfMessages: 1 });
    await target.sqs.send(new PurgeQueueCommand({ QueueUrl }));
    expect(await counts()).toEqual([0, 0, 0]);
  });

  promise('refuses a second purge within a minute', async () => {
    await target.sqs.send(new PurgeQueueCommand({ QueueUrl }));
    const error = await refusalOf(target.sqs.send(new PurgeQueueCommand({ QueueUrl })));
    expect(error.name).toBe('PurgeQueueInProgress');
  });

  // FIFO

  const fifo = { FifoQueue: 'true', VisibilityTimeout: '30' };
  const useFifo = async (more: Record<string, string> = {}) => {
    QueueUrl = (await target.createQueue({ QueueName: 'work.fifo', Attributes: { ...fifo, ...more } })).url;
  };
  const sendTo = (MessageGroupId: string, MessageBody: string, MessageDeduplicationId = MessageBody) =>
    send({ MessageGroupId, MessageBody, MessageDeduplicationId });

  promise('keeps the order of a group and blocks it while one of it is in flight', async () => {
    await useFifo();
    await sendTo('a', 'a1');
    await sendTo('a', 'a2');
    await sendTo('b', 'b1');
    const first = await one({ MaxNumberOfMessages: 1 });
    const second = await one({ MaxNumberOfMessages: 10 });
    expect([first.Body, second.Body]).toEqual(['a1', 'b1']);
    await remove(first.ReceiptHandle);
    expect((await one()).Body).toBe('a2');
  });

  promise('gives several of one group in one receive, in order', async () => {
    await useFifo();
    for (const body of ['a1', 'a2', 'a3']) await sendTo('a', body);
    expect(bodies(await receive())).toEqual(['a1', 'a2', 'a3']);
  });

  promise('offers a group again from its first message when that comes back', async () => {
    await useFifo();
    for (const body of ['a1', 'a2']) await sendTo('a', body);
    const { ReceiptHandle } = await one({ MaxNumberOfMessages: 1 });
    await hide(ReceiptHandle, 0);
    expect(bodies(await receive())).toEqual(['a1', 'a2']);
  });

  promise('refuses to delete from a FIFO queue by a handle whose time is over', async () => {
    await useFifo();
    await sendTo('a', 'a1');
    const { ReceiptHandle } = await one();
    await hide(ReceiptHandle, 0);
    await refusalOf(remove(ReceiptHandle));
    expect(bodies(await receive())).toEqual(['a1']);
  });

  promise('keeps the others of a group waiting while its first is delayed by the queue', async () => {
    await useFifo({ DelaySeconds: '1' });
    for (const body of ['a1', 'a2']) await sendTo('a', body);
    expect(await counts()).toEqual([0, 0, 2]);
    expect(bodies(await receive({}, 2))).toEqual(['a1', 'a2']);
  });

  promise('swallows a repeated deduplication id and answers as for the first', async () => {
    await useFifo();
    const first = await sendTo('a', 'body', 'same');
    const again = await sendTo('a', 'body', 'same');
    expect([again.MessageId, again.SequenceNumber]).toEqual([first.MessageId, first.SequenceNumber]);
    const message = await one();
    await remove(message.ReceiptHandle);
    await sendTo('a', 'body', 'same');
    expect(await receive()).toEqual([]);
  });

  promise('deduplicates by content where the queue says so', async () => {
    await useFifo({ ContentBasedDeduplication: 'true' });
    for (const MessageBody of ['x', 'x', 'y']) await send({ MessageGroupId: 'a', MessageBody });
    expect(bodies(await receive())).toEqual(['x', 'y']);
  });

  promise('requires a group and a deduplication id, and refuses a delay of one message', async () => {
    await useFifo();
    await refusalOf(send({ MessageDeduplicationId: 'x' }));
    await refusalOf(send({ MessageGroupId: 'a' }));
    await refusalOf(send({ MessageGroupId: 'a', MessageDeduplicationId: 'x', DelaySeconds: 5 }));
    expect(await counts()).toEqual([0, 0, 0]);
  });

  promise('refuses a deduplication id with spaces or above 128 characters', async () => {
    await useFifo();
    await refusalOf(sendTo('a', 'x', 'x'.repeat(129)));
    await refusalOf(sendTo('a', 'x', 'with space'));
  });

  promise('refuses a deduplication id on a standard queue', async () => {
    await refusalOf(send({ MessageDeduplicationId: 'x' }));
  });

  promise('keeps group and deduplication id in the dead-letter queue', async () => {
    const { deadUrl } = await withDeadLetters(1, '.fifo', fifo);
    await sendTo('a', 'poison');
    await sendTo('a', 'next');
    await hide((await one({ MaxNumberOfMessages: 1 })).ReceiptHandle, 0);
    expect(bodies(await receive())).toEqual(['next']);
    const letter = await one({ QueueUrl: deadUrl });
    expect([letter.Body, letter.Attributes?.MessageGroupId, letter.Attributes?.MessageDeduplicationId]).toEqual(['poison', 'a', 'poison']);
  });
});

describe('random sequences of operations', () => {
  const targets = [fakeTarget(), endpoint === undefined ? fakeTarget() : emulatorTarget(endpoint)] as const;
  afterAll(() => Promise.all(targets.map((target) => target.close())));

  const fifo = { FifoQueue: 'true' };
  const QUEUES = {
    'a standard queue': { definition: { QueueName: 'random' } },
    'a FIFO queue': { definition: { QueueName: 'random.fifo', Attributes: fifo } },
    'a queue with dead letters': { definition: { QueueName: 'random' }, dead: { QueueName: 'dead' } },
    'a FIFO queue with dead letters': {
      definition: { QueueName: 'random.fifo', Attributes: fifo },
      dead: { QueueName: 'dead.fifo', Attributes: fifo },
    },
  } satisfies Record<string, QueueKind>;
  for (const [name, kind] of Object.entries<QueueKind>(QUEUES)) {
    it(`get the same answers of ${name} from the fake and from ${targets[1].name}, step by step`, { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(sqsSteps, async (sequence) => {
          const benches = await Promise.all(targets.map((target) => openBench(target, kind)));
          for (const step of sequence) {
            const [mine, other] = await Promise.all(benches.map((bench) => answerToStep(bench, step)));
            expect(mine, JSON.stringify(step)).toEqual(other);
          }
        }),
        randomRuns,
      );
    });
  }
});

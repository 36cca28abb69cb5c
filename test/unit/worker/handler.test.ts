import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { createDeadLetterQueue, handBack } from '#shared/aws/sqs-queue.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { RetryableError } from '#shared/worker/outcome.ts';
import { createHandler } from '../../../functions/execute-job/handler.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

const VISIBILITY_SECONDS = 150;

/** The function's handler between a queue and its dead-letter queue, fed as an event source mapping feeds it. */
function createQueueBench(chance: () => number = () => 0.5) {
  const bench = createWorkerBench({ fraction: chance });
  const { sqs } = bench.aws;
  const deadLetterUrl = sqs.createQueue({ QueueName: 'dead-letters' });
  const queueUrl = sqs.createQueue({ QueueName: 'jobs', Attributes: { VisibilityTimeout: String(VISIBILITY_SECONDS) } });
  const client = new SQSClient({ ...bench.aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  const logged: { jobs: readonly Record<string, unknown>[]; notHidden: readonly string[] }[] = [];
  const worker = { ...bench.worker(), deadLetters: createDeadLetterQueue(async () => client, deadLetterUrl) };
  const handler = createHandler({
    worker,
    handBack: (messages) => handBack(async () => client, queueUrl, messages),
    log: (batch) => void logged.push(batch),
  });
  const call = (operation: string, input: object): Record<string, unknown> => {
    const answer = sqs.handle(operation, { QueueUrl: queueUrl, ...input });
    if ('error' in answer) throw answer.error;
    return answer.output;
  };
  return {
    ...bench,
    logged,
    handler,
    send: (...bodies: string[]) => bodies.map((MessageBody) => String(call('SendMessage', { MessageBody })['MessageId'])),
    waiting: () => sqs.messages('jobs'),
    deadLetters: () => sqs.messages('dead-letters'),
    /** One poll of the mapping: receive, invoke, delete what was not reported. */
    async poll(remainingMs = 25_000) {
      const { Messages = [] } = call('ReceiveMessage', { MaxNumberOfMessages: 10, AttributeNames: ['All'] }) as {
        Messages?: { MessageId: string; ReceiptHandle: string; Body: string; Attributes: Record<string, string> }[];
      };
      const records = Messages.map(
        ({ MessageId, ReceiptHandle, Body, Attributes }) =>
          ({ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, attributes: Attributes }) as unknown as SQSRecord,
      );
      const answer = await handler({ Records: records } as SQSEvent, { getRemainingTimeInMillis: () => remainingMs });
      const failed = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      for (const { messageId, receiptHandle } of records)
        if (!failed.includes(messageId)) call('DeleteMessage', { ReceiptHandle: receiptHandle });
      return { failed, received: records.length };
    },
  };
}

const unreachable = { charge: false, throws: new ProviderError('provider-unreachable', { sent: 'no' }) };
const later = { charge: false, throws: new RetryableError('later', { sent: 'no' }) };

// B14
test('each job of a batch stands on its own key: redelivered in other company, finished ones are not run again', async () => {
  const queue = createQueueBench();
  const [a = '', b = '', c = '', d = ''] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => queue.createOrder(`ord-${name}`)));
  const capture = queue.payments.capture;
  let failures = 1;
  queue.payments.capture = (request, options) =>
    request.reference.endsWith('ord-b') && failures-- > 0 ? Promise.reject(unreachable.throws) : capture(request, options);
  const [, second] = queue.send(a, b, c);
  expect(await queue.poll()).toEqual({ failed: [second], received: 3 });
  queue.clock.advance(8_000);
  queue.send(d);
  expect(await queue.poll()).toEqual({ failed: [], received: 2 });
  queue.payments.captureCalls.length = 0;
  queue.send(a, b, d);
  expect(await queue.poll()).toEqual({ failed: [], received: 3 });
  expect(queue.payments.captureCalls).toEqual([]);
  for (const name of ['a', 'b', 'c', 'd']) expect(queue.payments.settledCaptures(`u-1/ord-${name}`)).toBe(1);
  expect(queue.waiting()).toEqual([]);
});

// B18
test('unreadable bodies fail alone: neighbours are paid at the first delivery, each bad body lies in the dead-letter queue as it came', async () => {
  const queue = createQueueBench();
  const good = [await queue.createOrder('ord-1'), await queue.createOrder('ord-2')];
  const bad = [
    '{not json',
    'null',
    '[]',
    '"text"',
    Buffer.from(good[0] ?? '').toString('base64'),
    JSON.stringify(good[0]),
    ' ',
    '{"a":"\\uffff\\u0000"}',
  ];
  queue.send(good[0] ?? '', ...bad, good[1] ?? '');
  expect(await queue.poll()).toEqual({ failed: [], received: 10 });
  expect([queue.order('ord-1').status, queue.order('ord-2').status]).toEqual(['paid', 'paid']);
  const letters = queue.deadLetters();
  expect(letters.map(({ body }) => body).sort()).toEqual([...bad].sort());
  for (const { attributes } of letters)
    expect(JSON.parse(attributes['andal']?.StringValue ?? '')).toMatchObject({ reason: 'malformed', attempts: 0 });
});

// B16
test('a batch in which everything fails reports every message, never none', async () => {
  const queue = createQueueBench();
  const ids = queue.send(...(await Promise.all(['1', '2', '3', '4'].map((name) => queue.createOrder(`ord-${name}`)))));
  queue.payments.scripts.push(unreachable, { throws: undefined }, { throws: 'text' }, { throws: { code: 1 } });
  expect((await queue.poll()).failed.sort()).toEqual(ids.sort());
  expect(queue.waiting()).toHaveLength(4);
});

describe('a message handed back', () => {
  test('is hidden for whole seconds before its failure is returned', async () => {
    const queue = createQueueBench(() => 0.123);
    const [id] = queue.send(await queue.createOrder('ord-1'));
    queue.payments.scripts.push(unreachable);
    expect(await queue.poll()).toEqual({ failed: [id], received: 1 });
    // 10 s × (0.5 + 0.123 / 2) rounded up; the change had been applied when the handler answered.
    expect(queue.waiting()[0]?.visibleAtMs).toBe(queue.clock.nowMs() + 6_000);
    const changes = queue.aws.calls.filter(({ operation }) => operation === 'ChangeMessageVisibilityBatch');
    expect(changes).toMatchObject([{ answer: 'ok', input: { Entries: [{ VisibilityTimeout: 6 }] } }]);
  });

  test('untouched for lack of time comes back after a second, unspent', async () => {
    const queue = createQueueBench();
    const [id] = queue.send(await queue.createOrder('ord-1'));
    expect(await queue.poll(0)).toEqual({ failed: [id], received: 1 });
    expect(queue.waiting()[0]?.visibleAtMs).toBe(queue.clock.nowMs() + 1_000);
    expect(queue.order('ord-1')).toMatchObject({ fence: 0, lease: 'free' });
  });

  test('stays in the queue when its letter could not be sent, and comes back for it', async () => {
    const queue = createQueueBench();
    const [id] = queue.send('{');
    queue.aws.fault = ({ operation }) => (operation === 'SendMessage' ? { error: 'InternalError', status: 500 } : undefined);
    expect((await queue.poll()).failed).toEqual([id]);
    queue.aws.fault = undefined;
    queue.clock.advance(30_000);
    expect((await queue.poll()).failed).toEqual([]);
    expect(queue.deadLetters()).toHaveLength(1);
  });

  // B30
  test('whose hiding failed for a moment is hidden at the next try; a stale handle is named in the log; all are reported and no attempt changes', async () => {
    const queue = createQueueBench();
    const ids = queue.send(...(await Promise.all(['0', '1', '2'].map((name) => queue.createOrder(`ord-${name}`)))));
    queue.payments.scripts.push(later, later, later);
    let calls = 0;
    queue.aws.fault = ({ operation }) => {
      if (operation !== 'ChangeMessageVisibilityBatch' || calls++ > 0) return undefined;
      return {
        failedEntries: { 1: { Code: 'InternalError', SenderFault: false }, 2: { Code: 'ReceiptHandleIsInvalid', SenderFault: true } },
      };
    };
    expect((await queue.poll()).failed).toEqual(ids);
    expect(calls).toBe(2);
    const hidden = queue.waiting().map(({ visibleAtMs }) => visibleAtMs - queue.clock.nowMs());
    expect(hidden).toEqual([8_000, 8_000, VISIBILITY_SECONDS * 1000]);
    expect(queue.logged).toMatchObject([{ notHidden: [ids[2]] }]);
    for (const name of ['0', '1', '2']) expect(queue.order(`ord-${name}`)['try:capture:1']).toBe(1);
  });

  test('whose hiding keeps failing comes back by its visibility timeout, reported all the same', async () => {
    const queue = createQueueBench();
    const [id] = queue.send(await queue.createOrder('ord-1'));
    queue.payments.scripts.push(unreachable);
    queue.aws.fault = ({ operation }) =>
      operation === 'ChangeMessageVisibilityBatch' ? { error: 'InternalError', status: 500 } : undefined;
    expect((await queue.poll()).failed).toEqual([id]);
    expect(queue.aws.calls.filter(({ operation }) => operation === 'ChangeMessageVisibilityBatch')).toHaveLength(3);
    expect(queue.logged).toMatchObject([{ notHidden: [id] }]);
  });

  test('is not hidden at all, and SQS not called, when every job of the batch is done', async () => {
    const queue = createQueueBench();
    queue.send(await queue.createOrder('ord-1'));
    await queue.poll();
    expect(queue.aws.calls.every(({ service }) => service === 'dynamodb')).toBe(true);
  });
});

test('logs one line a batch with ids, outcome, owner, fence, attempt, code and duration', async () => {
  const queue = createQueueBench();
  queue.send(await queue.createOrder('ord-1'), '{');
  await queue.poll();
  expect(queue.logged).toEqual([
    {
      jobs: [
        { outcome: 'committed', key: 'capture:u-1/ord-1:1', owner: 'owner-1', fence: 1, attempt: 1, durationMs: 0 },
        { outcome: 'dead-lettered', code: 'malformed', durationMs: 0 },
      ],
      notHidden: [],
    },
  ]);
});

test('a batch with copies of one job charges once', async () => {
  const queue = createQueueBench();
  const body = await queue.createOrder('ord-1');
  queue.send(body, body, body);
  await queue.poll();
  for (let round = 0; round < 5; round++) {
    queue.clock.advance(30_000);
    await queue.poll();
  }
  expect(queue.waiting()).toEqual([]);
  expect(queue.payments.captureCalls).toHaveLength(1);
});

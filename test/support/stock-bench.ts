import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord, SQSEvent, SQSRecord } from 'aws-lambda';
import { createDeadLetterQueue, createQueueSender, handBack } from '#shared/aws/sqs-queue.ts';
import { readItemChange } from '#shared/aws/stream-record.ts';
import { stockItemKey } from '#shared/contract/item-keys.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { collectOutbox } from '#shared/outbox/collect.ts';
import { dispatch } from '#shared/outbox/dispatch.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { createHandler as createAccept } from '../../functions/accept-stock-adjustment/handler.ts';
import { createHandler as createExecuteJob } from '../../functions/execute-job/handler.ts';
import { createWorkerBench, USER, type WorkerBench } from './worker-bench.ts';

const VISIBILITY_SECONDS = 60;

interface Answer {
  readonly status: number | undefined;
  readonly body: Record<string, unknown>;
}

/** From the entrance to the dead letters of one FIFO kind: the functions' handlers, the real SDK, tables and queues in memory. */
export interface StockBench extends WorkerBench {
  readonly logged: Record<string, unknown>[];
  request(sku: string, idempotencyKey: string, body: unknown): Promise<Answer>;
  /** Accepts and brings to the queue; throws unless it is new. */
  adjust(sku: string, idempotencyKey: string, delta: number): Promise<void>;
  /** Brings what new stream records carry to the queue. */
  dispatchStream(): Promise<void>;
  /** One poll of the mapping: receive, invoke, delete what was not reported. */
  poll(remainingMs?: number): Promise<{ received: number; failed: number }>;
  quantity(sku: string): unknown;
  waiting(): number;
  deadLetters(): { reason: unknown; group: string | undefined; body: Record<string, unknown> }[];
  sendToQueue(body: string, group: string, deduplicationId: string): void;
}

export function createStockBench(): StockBench {
  const bench = createWorkerBench();
  const { sqs, dynamodb } = bench.aws;
  const attributes = { FifoQueue: 'true', VisibilityTimeout: String(VISIBILITY_SECONDS) };
  const queueUrl = sqs.createQueue({ QueueName: 'stock.fifo', Attributes: attributes });
  const deadLetterUrl = sqs.createQueue({ QueueName: 'stock-letters.fifo', Attributes: attributes });
  const client = new SQSClient({ ...bench.aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  const logged: Record<string, unknown>[] = [];
  const worker = { ...bench.worker(adjustStock), deadLetters: createDeadLetterQueue(async () => client, deadLetterUrl) };
  const execute = createExecuteJob({
    worker,
    handBack: (messages) => handBack(async () => client, queueUrl, messages),
    log: ({ jobs }) => void logged.push(...jobs),
  });
  const accept = createAccept({
    store: bench.store,
    clock: bench.clock,
    random: worker.random,
    log: () => undefined,
    logFailure: () => undefined,
  });
  const call = (operation: string, input: object): Record<string, unknown> => {
    const answer = sqs.handle(operation, { QueueUrl: queueUrl, ...input });
    if ('error' in answer) throw answer.error;
    return answer.output;
  };
  let dispatched = 0;
  const stock: Omit<StockBench, keyof WorkerBench> = {
    logged,
    async request(sku, idempotencyKey, body) {
      const answer = await accept({
        pathParameters: { sku },
        headers: { 'idempotency-key': idempotencyKey },
        body: JSON.stringify(body),
        isBase64Encoded: false,
        requestContext: { requestId: `request-of-${USER}` },
      });
      return { status: answer.statusCode, body: JSON.parse(answer.body ?? '{}') as Record<string, unknown> };
    },
    async adjust(sku, idempotencyKey, delta) {
      const { status } = await stock.request(sku, idempotencyKey, { delta });
      if (status !== 202) throw new Error(`adjustment ${idempotencyKey} was answered ${status}`);
      await stock.dispatchStream();
    },
    async dispatchStream() {
      const records = dynamodb.stream('State').slice(dispatched);
      dispatched += records.length;
      const { outgoing } = collectOutbox(records as unknown as DynamoDBRecord[], readItemChange);
      const { unsent, refused } = await dispatch(
        outgoing,
        { 'adjust-stock': queueUrl },
        createQueueSender(client),
        async () => undefined,
        (message) => fifoIds(message, jobOfKind),
      );
      if (unsent.length + refused.length > 0) throw new Error(`${unsent.length} unsent, ${refused.length} refused`);
    },
    async poll(remainingMs = 10_000) {
      const { Messages = [] } = call('ReceiveMessage', { MaxNumberOfMessages: 10, AttributeNames: ['All'] }) as { Messages?: Received[] };
      const records = Messages.map(toRecord);
      const answer = await execute({ Records: records } as SQSEvent, { getRemainingTimeInMillis: () => remainingMs });
      const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId, receiptHandle } of records)
        if (!failed.has(messageId)) call('DeleteMessage', { ReceiptHandle: receiptHandle });
      return { received: records.length, failed: failed.size };
    },
    quantity: (sku) => bench.item(stockItemKey(sku))?.['quantity'],
    waiting: () => sqs.messages('stock.fifo').length,
    deadLetters: () =>
      sqs.messages('stock-letters.fifo').map(({ body, attributes: { andal }, system }) => ({
        reason: (JSON.parse(andal?.StringValue ?? '{}') as { reason?: unknown }).reason,
        group: system['MessageGroupId'],
        body: JSON.parse(body) as Record<string, unknown>,
      })),
    sendToQueue: (body, group, deduplicationId) =>
      void call('SendMessage', { MessageBody: body, MessageGroupId: group, MessageDeduplicationId: deduplicationId }),
  };
  return Object.assign(bench, stock);
}

interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: Record<string, string>;
}

const toRecord = ({ MessageId, ReceiptHandle, Body, Attributes }: Received): SQSRecord =>
  ({ messageId: MessageId, receiptHandle: ReceiptHandle, body: Body, attributes: Attributes }) as unknown as SQSRecord;

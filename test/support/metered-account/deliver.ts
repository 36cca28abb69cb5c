import type { SQSRecord } from 'aws-lambda';
import { TABLES, workerOfKind } from '../../simulation/cloud/names.ts';
import { acceptedBy } from '../../simulation/cloud/stream-filter.ts';
import { STREAM_CONSUMERS } from '../../simulation/cloud/streams.ts';
import type { StreamRecord } from '../fake-aws/fake-dynamodb.ts';
import { urlOf } from '../fake-aws/sqs/queue.ts';
import type { MeteredAccount } from './account.ts';

/**
 * Carries the State table's stream to its consumers, whole batches of it.
 *
 * @param options.forgets what was carried, for a run that would not fit into memory otherwise; there may be one consumer then
 */
export function createStreamCarrier(account: MeteredAccount, { forgets = false } = {}) {
  const read = new Map<string, number>();
  return async (functionName: string): Promise<number> => {
    const definition = STREAM_CONSUMERS.find((one) => one.functionName === functionName);
    if (definition === undefined) throw new Error(`${functionName} reads no stream`);
    const all = account.dynamodb.stream(TABLES.state);
    const records = all.slice(read.get(functionName) ?? 0).filter(acceptedBy(definition.filters));
    read.set(functionName, forgets ? 0 : all.length);
    if (forgets) (all as StreamRecord[]).length = 0;
    for (let first = 0; first < records.length; first += definition.batchSize)
      expectWhole(
        await account.invoke(functionName, { Records: records.slice(first, first + definition.batchSize) as readonly StreamRecord[] }),
      );
    return records.length;
  };
}

interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: Readonly<Record<string, string>>;
}

export interface Delivered {
  readonly bodies: readonly string[];
  readonly handedBack: number;
}

/** One poll of a mapping: receive, run, delete what is done. Empty polls are polls. */
export async function deliverBatch(account: MeteredAccount, kind: string, most?: number): Promise<Delivered> {
  const queue = account.queues.find(({ definition }) => definition.kind === kind);
  if (queue === undefined) throw new Error(`no job kind is called ${kind}`);
  const QueueUrl = urlOf(queue.queueName);
  const MaxNumberOfMessages = most ?? queue.definition.queue.batchSize;
  const answer = account.send({
    service: 'sqs',
    operation: 'ReceiveMessage',
    input: { QueueUrl, MaxNumberOfMessages, MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] },
  });
  if ('error' in answer) throw answer.error;
  const messages = (answer.output['Messages'] ?? []) as readonly Received[];
  if (messages.length === 0) return { bodies: [], handedBack: 0 };
  const { batchItemFailures } = (await account.invoke(workerOfKind(kind), { Records: messages.map(recordOf) })) as BatchAnswer;
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const Entries = messages
    .filter(({ MessageId }) => !failed.has(MessageId))
    .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
  if (Entries.length > 0) account.send({ service: 'sqs', operation: 'DeleteMessageBatch', input: { QueueUrl, Entries } });
  return { bodies: messages.map(({ Body }) => Body), handedBack: failed.size };
}

interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

function expectWhole(answer: unknown): void {
  const { batchItemFailures } = answer as BatchAnswer;
  if (batchItemFailures.length > 0) throw new Error('a stream record was not handled');
}

const recordOf = ({ MessageId, ReceiptHandle, Body, Attributes }: Received): SQSRecord =>
  ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes,
    messageAttributes: {},
    eventSource: 'aws:sqs',
    awsRegion: 'us-east-1',
  }) as unknown as SQSRecord;

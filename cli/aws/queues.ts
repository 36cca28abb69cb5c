import {
  ChangeMessageVisibilityBatchCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

export interface QueueDepth {
  readonly waiting: number;
  readonly inFlight: number;
  readonly delayed: number;
}

export interface QueueFacts extends QueueDepth {
  /** SQS deletes a message this long after it was sent. */
  readonly retentionMs: number;
}

export async function queueDepth(client: SQSClient, queueUrl: string): Promise<QueueDepth> {
  const { retentionMs: _, ...depth } = await queueFacts(client, queueUrl);
  return depth;
}

export async function queueFacts(client: SQSClient, queueUrl: string): Promise<QueueFacts> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
        'MessageRetentionPeriod',
      ],
    }),
  );
  return {
    retentionMs: Number(Attributes['MessageRetentionPeriod'] ?? 0) * 1_000,
    waiting: Number(Attributes['ApproximateNumberOfMessages'] ?? 0),
    inFlight: Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0),
    delayed: Number(Attributes['ApproximateNumberOfMessagesDelayed'] ?? 0),
  };
}

export const isEmpty = ({ waiting, inFlight, delayed }: QueueDepth): boolean => waiting + inFlight + delayed === 0;

export const queueName = (queueUrl: string): string => queueUrl.split('/').at(-1) ?? queueUrl;

const SQS_BATCH = 10;

export async function sendBodies(client: SQSClient, queueUrl: string, bodies: readonly string[]): Promise<void> {
  for (let start = 0; start < bodies.length; start += SQS_BATCH) {
    const batch = bodies.slice(start, start + SQS_BATCH);
    const { Failed = [] } = await client.send(
      new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: batch.map((body, index) => ({ Id: String(index), MessageBody: body })) }),
    );
    if (Failed.length > 0)
      throw new Error(`SQS refused ${Failed.length} of ${batch.length} messages for ${queueName(queueUrl)}: ${Failed[0]?.Code}`);
  }
}

const LOOK_SECONDS = 20;

/**
 * Looks at letters and puts them back. They are hidden while the look lasts, so that each is seen once.
 *
 * Does not protect against a redrive policy: on a queue that has one a look counts as a delivery, so only dead-letter queues are looked at.
 */
export async function peekDeadLetters(client: SQSClient, queueUrl: string, limit: number): Promise<Message[]> {
  const seen = new Map<string, Message>();
  try {
    while (seen.size < limit) {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: queueUrl,
          MaxNumberOfMessages: SQS_BATCH,
          VisibilityTimeout: LOOK_SECONDS,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['SentTimestamp'],
        }),
      );
      if (Messages.length === 0) break;
      for (const message of Messages) seen.set(message.MessageId ?? '', message);
    }
    return [...seen.values()];
  } finally {
    await putBack(client, queueUrl, [...seen.values()]);
  }
}

async function putBack(client: SQSClient, queueUrl: string, letters: readonly Message[]): Promise<void> {
  for (let start = 0; start < letters.length; start += SQS_BATCH) {
    const batch = letters.slice(start, start + SQS_BATCH);
    const entries = batch.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle, VisibilityTimeout: 0 }));
    await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries: entries }));
  }
}

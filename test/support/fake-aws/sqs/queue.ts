import type { MessageAttributes } from './md5.ts';

/** The input of CreateQueue, so that one definition serves the fake and an emulator. */
export interface QueueDefinition {
  readonly QueueName: string;
  readonly Attributes?: Readonly<Record<string, string>>;
}

export interface Message {
  readonly id: string;
  readonly body: string;
  /** MD5. */
  readonly bodyDigest: string;
  readonly attributes: MessageAttributes;
  /** AWSTraceHeader, MessageGroupId, MessageDeduplicationId, SequenceNumber, DeadLetterQueueSourceArn. */
  readonly system: Readonly<Record<string, string>>;
  readonly sentAtMs: number;
  readonly firstReceivedAtMs: number | undefined;
  readonly receivedAtMs: number | undefined;
  readonly receives: number;
  readonly visibleAtMs: number;
  /** Changes with every receive, which is what makes an older receipt handle stale. */
  readonly receiptHandle: string | undefined;
}

export interface Queue {
  readonly name: string;
  readonly arn: string;
  readonly isFifo: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  readonly redrivePolicy: RedrivePolicy | undefined;
  readonly createdAtMs: number;
  /** In order of arrival. */
  readonly messages: Map<string, Message>;
  /** No message is older; kept so that few calls have to look through all of them. */
  oldestSentAtMs: number;
  /** FIFO: what was sent under a deduplication id, and when. */
  readonly deduplicated: Map<string, { readonly atMs: number; readonly id: string; readonly sequence: string }>;
}

const DEFAULTS = {
  VisibilityTimeout: '30',
  DelaySeconds: '0',
  MessageRetentionPeriod: '345600',
  MaximumMessageSize: '1048576',
  ReceiveMessageWaitTimeSeconds: '0',
};

const ARN_PREFIX = 'arn:aws:sqs:us-east-1:000000000000:';
/** The host the SDK resolves for the region, so that it does not warn about a foreign queue URL. */
const URL_PREFIX = 'https://sqs.us-east-1.amazonaws.com/000000000000/';

export const urlOf = (name: string): string => `${URL_PREFIX}${name}`;
export const nameOfUrl = (url: string): string => url.split('/').at(-1) ?? '';
export const nameOfArn = (arn: string): string => arn.split(':').at(-1) ?? '';

export function createQueue({ QueueName, Attributes = {} }: QueueDefinition, now: number): Queue {
  const isFifo = QueueName.endsWith('.fifo');
  if (isFifo !== (Attributes['FifoQueue'] === 'true'))
    throw new Error(`queue ${QueueName}: a FIFO queue is named .fifo and says FifoQueue: true`);
  return {
    name: QueueName,
    arn: `${ARN_PREFIX}${QueueName}`,
    isFifo,
    attributes: { ...DEFAULTS, ...Attributes },
    redrivePolicy: redrivePolicyIn(Attributes['RedrivePolicy']),
    createdAtMs: now,
    messages: new Map(),
    oldestSentAtMs: Number.POSITIVE_INFINITY,
    deduplicated: new Map(),
  };
}

export const secondsMs = (queue: Queue, name: string): number => Number(queue.attributes[name] ?? 0) * 1000;

interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  readonly maxReceiveCount: number;
}

function redrivePolicyIn(policy: string | undefined): RedrivePolicy | undefined {
  if (policy === undefined) return undefined;
  const { deadLetterTargetArn, maxReceiveCount } = JSON.parse(policy) as { deadLetterTargetArn: string; maxReceiveCount: number | string };
  return { deadLetterTargetArn, maxReceiveCount: Number(maxReceiveCount) };
}

export function addMessage(queue: Queue, message: Message): void {
  queue.messages.set(message.id, message);
  queue.oldestSentAtMs = Math.min(queue.oldestSentAtMs, message.sentAtMs);
}

/** Retention counts from the first send, wherever the message is now; only a FIFO dead-letter queue starts anew. */
export function dropExpired(queue: Queue, now: number): void {
  const sentBeforeMs = now - secondsMs(queue, 'MessageRetentionPeriod');
  if (queue.oldestSentAtMs > sentBeforeMs) return;
  let oldestSentAtMs = Number.POSITIVE_INFINITY;
  for (const { id, sentAtMs } of queue.messages.values()) {
    if (sentAtMs <= sentBeforeMs) queue.messages.delete(id);
    else oldestSentAtMs = Math.min(oldestSentAtMs, sentAtMs);
  }
  queue.oldestSentAtMs = oldestSentAtMs;
}

/** Received and not yet visible again; a delayed message is invisible but was never received. */
export const isInFlight = (message: Message, now: number): boolean => message.receiptHandle !== undefined && message.visibleAtMs > now;
export const isDelayed = (message: Message, now: number): boolean => message.receiptHandle === undefined && message.visibleAtMs > now;

import { AwsError } from '../aws-error.ts';
import { type BatchEntry, checkEntries, eachEntry } from './batch.ts';
import { bytesOfMessage, MAX_BYTES, missingParameter, type Sendable } from './check-message.ts';
import { isDelayed, isInFlight, nameOfUrl, type Queue, urlOf } from './queue.ts';
import { changeVisibility, deleteMessage, type StaleReceipt } from './receipt.ts';
import { receive } from './receive.ts';
import { type Counter, send } from './send.ts';

interface SqsWorld {
  readonly queueNamed: (name: string) => Queue;
  readonly now: () => number;
  readonly counter: Counter;
  readonly staleReceipt: StaleReceipt;
}
type Operation = (input: Record<string, unknown>) => Record<string, unknown>;
type ReceiptInput = { readonly ReceiptHandle: string; readonly VisibilityTimeout: number };

const PURGE_PAUSE_MS = 60_000;

export function createSqsOperations(world: SqsWorld): Readonly<Record<string, Operation>> {
  const { now, counter, staleReceipt, queueNamed } = world;
  const purgedAtMs = new Map<string, number>();
  const on =
    (run: (queue: Queue, input: never) => Record<string, unknown>): Operation =>
    (input) =>
      run(queueOf(world, input), input as never);
  return {
    SendMessage: on((queue, input: Sendable) => send(queue, input, now(), counter)),
    SendMessageBatch: on((queue, input) => sendBatch(queue, input, now(), counter)),
    ReceiveMessage: on((queue, input) => receive(queue, input, now(), queueNamed)),
    DeleteMessage: on((queue, input: ReceiptInput) => deleteMessage(queue, input.ReceiptHandle, staleReceipt, now())),
    DeleteMessageBatch: on((queue, input: { Entries?: (BatchEntry & ReceiptInput)[] }) =>
      eachEntry(checkEntries(input.Entries), (entry) => deleteMessage(queue, entry.ReceiptHandle, staleReceipt, now())),
    ),
    ChangeMessageVisibility: on((queue, input: ReceiptInput) =>
      changeVisibility(queue, input.ReceiptHandle, input.VisibilityTimeout, now()),
    ),
    ChangeMessageVisibilityBatch: on((queue, input: { Entries?: (BatchEntry & ReceiptInput)[] }) =>
      eachEntry(checkEntries(input.Entries), (entry) => changeVisibility(queue, entry.ReceiptHandle, entry.VisibilityTimeout, now())),
    ),
    GetQueueAttributes: on((queue, input: { AttributeNames?: string[] }) => queueAttributes(queue, input.AttributeNames ?? [], now())),
    GetQueueUrl: (input) => ({ QueueUrl: urlOf(queueNamed(String(input['QueueName'])).name) }),
    PurgeQueue: on((queue) => purge(queue, purgedAtMs, now())),
  };
}

function queueOf({ queueNamed }: SqsWorld, input: Record<string, unknown>): Queue {
  if (!input['QueueUrl']) throw missingParameter('QueueUrl');
  return queueNamed(nameOfUrl(String(input['QueueUrl'])));
}

function sendBatch(queue: Queue, input: { Entries?: (BatchEntry & Sendable)[] }, now: number, counter: Counter): Record<string, unknown> {
  const entries = checkEntries(input.Entries);
  const bytes = entries.reduce((sum, entry) => sum + bytesOfMessage(entry), 0);
  if (bytes > MAX_BYTES) {
    throw new AwsError('BatchRequestTooLong', `Batch requests cannot be longer than ${MAX_BYTES} bytes. You have sent ${bytes} bytes.`);
  }
  return eachEntry(entries, (entry) => send(queue, entry, now, counter));
}

function queueAttributes(queue: Queue, names: readonly string[], now: number): Record<string, unknown> {
  const messages = [...queue.messages.values()];
  const all: Record<string, string> = {
    ...queue.attributes,
    QueueArn: queue.arn,
    CreatedTimestamp: String(Math.floor(queue.createdAtMs / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.createdAtMs / 1000)),
    ApproximateNumberOfMessages: String(messages.filter((message) => message.visibleAtMs <= now).length),
    ApproximateNumberOfMessagesNotVisible: String(messages.filter((message) => isInFlight(message, now)).length),
    ApproximateNumberOfMessagesDelayed: String(messages.filter((message) => isDelayed(message, now)).length),
  };
  const Attributes = Object.fromEntries(Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)));
  return Object.keys(Attributes).length > 0 ? { Attributes } : {};
}

function purge(queue: Queue, purgedAtMs: Map<string, number>, now: number): Record<string, unknown> {
  if (now - (purgedAtMs.get(queue.name) ?? Number.NEGATIVE_INFINITY) < PURGE_PAUSE_MS) {
    throw new AwsError('PurgeQueueInProgress', `Only one PurgeQueue operation on ${queue.name} is allowed every 60 seconds.`);
  }
  purgedAtMs.set(queue.name, now);
  queue.messages.clear();
  return {};
}

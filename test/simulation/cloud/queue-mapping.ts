import type { SQSRecord } from 'aws-lambda';
import type { FakeSqs, Message } from '../../support/fake-aws/fake-sqs.ts';
import type { World } from '../kernel/world.ts';
import { type Faults, QUEUE_FAULTS, type QueueFault } from '../network/fault.ts';
import type { InvocationEnd, Lambda } from './lambda.ts';

export interface QueueMappingDefinition {
  readonly queueName: string;
  readonly queueUrl: string;
  readonly functionName: string;
  readonly batchSize: number;
  readonly maxConcurrency: number;
}

/** An event source mapping as its governor sees it. */
export interface QueueMapping {
  readonly definition: QueueMappingDefinition;
  enabled: boolean;
  maxConcurrency: number;
  /** Something about the queue changed: looks when its next message is to be taken. */
  poke(): void;
  /** Messages handed to a function that has not ended yet. */
  readonly inFlight: number;
}

export interface QueueMappingParts {
  readonly world: World;
  readonly faults: Faults;
  readonly sqs: FakeSqs;
  readonly lambda: Lambda;
  readonly onDelivered: (queueName: string, records: readonly SQSRecord[]) => void;
  readonly onDeleted: (queueName: string, record: SQSRecord) => void;
}

/**
 * Takes messages as they become visible, in batches, at most so many at a time; deletes what the function does not name as failed.
 * What it does not delete comes back by its visibility timeout.
 */
export function createQueueMapping(parts: QueueMappingParts, definition: QueueMappingDefinition): QueueMapping {
  const { world, sqs, lambda, faults } = parts;
  const { queueName, queueUrl } = definition;
  // A FIFO queue hides a group until its message is deleted or visible again, so a copy never comes behind the group's next message.
  const possible: readonly QueueFault[] = queueName.endsWith('.fifo')
    ? QUEUE_FAULTS.filter((one) => one !== 'delivered-twice')
    : QUEUE_FAULTS;
  let armed: { atMs: number; cancel: () => void } | undefined;
  let running = 0;
  /** A visible message behind its FIFO group in flight cannot be taken; polling for it goes on at the pace of a long poll. */
  let notBeforeMs = 0;

  const arm = (): void => {
    const visibleAtMs = nextVisibleMs(parts, definition) + (world.chance.happens(0.9) ? 0 : world.chance.between(0, 2_000));
    const atMs = Math.max(visibleAtMs, notBeforeMs);
    if (armed !== undefined && armed.atMs <= atMs) return;
    armed?.cancel();
    armed = undefined;
    if (!mapping.enabled || running >= mapping.maxConcurrency || atMs === Number.POSITIVE_INFINITY) return;
    const poll = (): void => {
      armed = undefined;
      take();
      arm();
    };
    armed = { atMs, cancel: world.after(Math.max(0, atMs - world.nowMs) + world.chance.between(1, 60), poll) };
  };
  const take = (): void => {
    if (!mapping.enabled || running >= mapping.maxConcurrency) return;
    const MaxNumberOfMessages = world.chance.happens(0.7) ? definition.batchSize : world.chance.whole(1, definition.batchSize);
    const fault = faults.strike(`mapping takes ${queueName}`, possible);
    const answer = sqs.handle('ReceiveMessage', { ...RECEIVE_ALL, QueueUrl: queueUrl, MaxNumberOfMessages });
    const records = 'output' in answer ? ((answer.output['Messages'] ?? []) as Received[]).map(recordOf) : [];
    notBeforeMs = records.length === 0 ? world.nowMs + EMPTY_POLL_MS : 0;
    if (records.length === 0 || fault === 'not-invoked') return;
    if (fault === 'delivered-late') return void world.after(world.chance.between(1_000, 60_000), () => deliver(records, false));
    deliver(records, fault === 'delete-lost');
    if (fault === 'delivered-twice') world.after(world.chance.between(0, 20_000), () => deliver(records, false));
  };
  const deliver = (records: readonly SQSRecord[], deletesNothing: boolean): void => {
    running++;
    parts.onDelivered(queueName, records);
    world.log(`${queueName} delivers ${records.map(({ messageId }) => messageId.slice(-4)).join(' ')}`);
    lambda.invoke(definition.functionName, { Records: records }, (end) => {
      running--;
      if (!deletesNothing) for (const record of acknowledged(records, end)) remove(record);
      arm();
    });
  };
  const remove = (record: SQSRecord): void => {
    const answer = sqs.handle('DeleteMessage', { QueueUrl: queueUrl, ReceiptHandle: record.receiptHandle });
    if ('output' in answer) parts.onDeleted(queueName, record);
  };
  const mapping: QueueMapping = {
    definition,
    enabled: true,
    maxConcurrency: definition.maxConcurrency,
    poke: arm,
    get inFlight() {
      return running;
    },
  };
  return mapping;
}

const EMPTY_POLL_MS = 20_000;
const RECEIVE_ALL = { MessageSystemAttributeNames: ['All'], MessageAttributeNames: ['All'] };

interface Received {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string; readonly DataType: string }>>;
}

const recordOf = ({ MessageId, ReceiptHandle, Body, Attributes, MessageAttributes = {} }: Received): SQSRecord =>
  ({
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Attributes,
    messageAttributes: Object.fromEntries(
      Object.entries(MessageAttributes).map(([name, value]) => [name, { stringValue: value.StringValue, dataType: value.DataType }]),
    ),
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:simulated',
    awsRegion: 'us-east-1',
  }) as unknown as SQSRecord;

/** What a mapping that reports partial batch responses deletes: nothing after an error, and nothing at all when a named id is unknown to it. */
function acknowledged(records: readonly SQSRecord[], end: InvocationEnd): readonly SQSRecord[] {
  if (end.how !== 'returned') return [];
  const { batchItemFailures = [] } = (end.value ?? {}) as { batchItemFailures?: readonly { itemIdentifier?: string }[] };
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  if ([...failed].some((id) => !records.some(({ messageId }) => messageId === id))) return [];
  return records.filter(({ messageId }) => !failed.has(messageId));
}

function nextVisibleMs({ sqs }: QueueMappingParts, { queueName }: QueueMappingDefinition): number {
  const messages = sqs.messages(queueName);
  const instants = queueName.endsWith('.fifo') ? groupsVisibleMs(messages) : messages.map(({ visibleAtMs }) => visibleAtMs);
  return instants.reduce((earliest, atMs) => Math.min(earliest, atMs), Number.POSITIVE_INFINITY);
}

/** When each group's next message can be taken: not before all that is in flight of it is visible again, or gone. */
function groupsVisibleMs(messages: readonly Message[]): number[] {
  const groups = new Map<string, number>();
  for (const { system, visibleAtMs } of messages) {
    const group = system['MessageGroupId'] ?? '';
    groups.set(group, Math.max(groups.get(group) ?? 0, visibleAtMs));
  }
  return [...groups.values()];
}

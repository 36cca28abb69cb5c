import { invalid } from './check-message.ts';
import { type MessageAttributes, md5OfAttributes } from './md5.ts';
import { addMessage, isInFlight, type Message, nameOfArn, type Queue, secondsMs } from './queue.ts';

interface ReceiveInput {
  readonly MaxNumberOfMessages?: number;
  readonly VisibilityTimeout?: number;
  readonly WaitTimeSeconds?: number;
  readonly AttributeNames?: readonly string[];
  readonly MessageSystemAttributeNames?: readonly string[];
  readonly MessageAttributeNames?: readonly string[];
}

/**
 * Answers at once with what is visible, whatever WaitTimeSeconds says: virtual time does not pass inside a call.
 *
 * @throws AwsError
 */
export function receive(queue: Queue, input: ReceiveInput, now: number, queueNamed: (name: string) => Queue): Record<string, unknown> {
  const most = input.MaxNumberOfMessages ?? 1;
  if (most < 1 || most > 10) {
    throw invalid(`Value ${most} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10, if provided.`);
  }
  const visibilityMs = input.VisibilityTimeout === undefined ? secondsMs(queue, 'VisibilityTimeout') : input.VisibilityTimeout * 1000;
  const received: Message[] = [];
  const busyGroups = groupsInFlight(queue, now);
  // A taken message keeps its place, so the walk does not meet it again.
  for (const message of queue.messages.values()) {
    if (received.length === most) break;
    const group = queue.isFifo ? message.system['MessageGroupId'] : undefined;
    if (message.visibleAtMs > now) {
      if (group !== undefined) busyGroups.add(group);
      continue;
    }
    if ((group !== undefined && busyGroups.has(group)) || redrive(queue, message, now, queueNamed)) continue;
    received.push(take(queue, message, now, visibilityMs));
  }
  return received.length > 0 ? { Messages: received.map((message) => described(message, input)) } : {};
}

/** A message received as often as the policy allows leaves for the dead-letter queue instead of being received again. */
function redrive(queue: Queue, message: Message, now: number, queueNamed: (name: string) => Queue): boolean {
  const policy = queue.redrivePolicy;
  if (!policy || message.receives < policy.maxReceiveCount) return false;
  const target = queueNamed(nameOfArn(policy.deadLetterTargetArn));
  queue.messages.delete(message.id);
  addMessage(target, {
    ...message,
    system: { ...message.system, DeadLetterQueueSourceArn: queue.arn },
    sentAtMs: queue.isFifo ? now : message.sentAtMs,
    visibleAtMs: now,
    receiptHandle: undefined,
  });
  return true;
}

function groupsInFlight(queue: Queue, now: number): Set<string> {
  const groups = new Set<string>();
  if (!queue.isFifo) return groups;
  for (const message of queue.messages.values()) if (isInFlight(message, now)) groups.add(message.system['MessageGroupId'] as string);
  return groups;
}

function take(queue: Queue, message: Message, now: number, visibilityMs: number): Message {
  const receives = message.receives + 1;
  const taken: Message = {
    ...message,
    receives,
    firstReceivedAtMs: message.firstReceivedAtMs ?? now,
    receivedAtMs: now,
    visibleAtMs: now + visibilityMs,
    receiptHandle: Buffer.from(`${message.id} ${receives}`).toString('base64'),
  };
  queue.messages.set(message.id, taken);
  return taken;
}

function described(message: Message, input: ReceiveInput): Record<string, unknown> {
  const attributes = chosenAttributes(message.attributes, input.MessageAttributeNames ?? []);
  const system = chosenSystemAttributes(message, [...(input.AttributeNames ?? []), ...(input.MessageSystemAttributeNames ?? [])]);
  const digest = md5OfAttributes(attributes);
  return {
    MessageId: message.id,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: message.bodyDigest,
    ...(Object.keys(system).length > 0 && { Attributes: system }),
    ...(digest && { MessageAttributes: attributes, MD5OfMessageAttributes: digest }),
  };
}

function chosenSystemAttributes(message: Message, names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  const all: Record<string, string> = {
    ...message.system,
    SentTimestamp: String(message.sentAtMs),
    ApproximateReceiveCount: String(message.receives),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAtMs),
  };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes('All') || names.includes(name)));
}

function chosenAttributes(attributes: MessageAttributes, wanted: readonly string[]): MessageAttributes {
  if (wanted.includes('All')) return attributes;
  const matches = (name: string): boolean =>
    wanted.some((one) => one === name || (one.endsWith('.*') && name.startsWith(one.slice(0, -2))));
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => matches(name)));
}

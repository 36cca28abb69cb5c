import { hash } from 'node:crypto';
import { checkMessage, invalid, missingParameter, type Sendable } from './check-message.ts';
import { md5, md5OfAttributes } from './md5.ts';
import { addMessage, type Queue, secondsMs } from './queue.ts';

const DEDUPLICATION_MS = 5 * 60_000;

/** Numbers for message ids and sequences: one counter, so that a run is the same every time. */
export interface Counter {
  next(): number;
}

/** @throws AwsError */
export function send(queue: Queue, input: Sendable, now: number, counter: Counter): Record<string, unknown> {
  checkMessage(input);
  const deduplicationId = queue.isFifo ? fifoDeduplicationId(queue, input) : refuseFifoParameters(input);
  const before = deduplicationId === undefined ? undefined : queue.deduplicated.get(deduplicationId);
  if (before && now - before.atMs < DEDUPLICATION_MS) return receipt(input, md5(input.MessageBody as string), before);
  const digest = md5(input.MessageBody as string);
  const number = counter.next();
  const id = `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
  const sequence = queue.isFifo ? String(number).padStart(20, '0') : undefined;
  if (deduplicationId !== undefined && sequence !== undefined) queue.deduplicated.set(deduplicationId, { atMs: now, id, sequence });
  addMessage(queue, {
    id,
    body: input.MessageBody as string,
    bodyDigest: digest,
    attributes: input.MessageAttributes ?? {},
    system: systemAttributes(input, deduplicationId, sequence),
    sentAtMs: now,
    firstReceivedAtMs: undefined,
    receivedAtMs: undefined,
    receives: 0,
    visibleAtMs: now + (input.DelaySeconds === undefined ? secondsMs(queue, 'DelaySeconds') : input.DelaySeconds * 1000),
    receiptHandle: undefined,
  });
  return receipt(input, digest, { id, sequence });
}

interface Sent {
  readonly id: string;
  readonly sequence: string | undefined;
}

function receipt(input: Sendable, digest: string, { id, sequence }: Sent): Record<string, unknown> {
  const attributes = md5OfAttributes(input.MessageAttributes ?? {});
  const system = md5OfAttributes(input.MessageSystemAttributes ?? {});
  return {
    MessageId: id,
    MD5OfMessageBody: digest,
    ...(attributes && { MD5OfMessageAttributes: attributes }),
    ...(system && { MD5OfMessageSystemAttributes: system }),
    ...(sequence && { SequenceNumber: sequence }),
  };
}

function systemAttributes(input: Sendable, deduplicationId: string | undefined, sequence: string | undefined): Record<string, string> {
  const trace = input.MessageSystemAttributes?.['AWSTraceHeader']?.StringValue;
  return {
    SenderId: 'AIDACKCEVSQ6C2EXAMPLE',
    ...(trace !== undefined && { AWSTraceHeader: trace }),
    ...(input.MessageGroupId !== undefined && { MessageGroupId: input.MessageGroupId }),
    ...(deduplicationId !== undefined && { MessageDeduplicationId: deduplicationId }),
    ...(sequence !== undefined && { SequenceNumber: sequence }),
  };
}

function fifoDeduplicationId(queue: Queue, input: Sendable): string {
  if (!input.MessageGroupId) throw missingParameter('MessageGroupId');
  if (input.DelaySeconds) {
    throw invalid(
      `Value ${input.DelaySeconds} for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type.`,
    );
  }
  checkFifoId('MessageGroupId', input.MessageGroupId);
  if (input.MessageDeduplicationId !== undefined) return checkFifoId('MessageDeduplicationId', input.MessageDeduplicationId);
  if (queue.attributes['ContentBasedDeduplication'] === 'true') {
    return hash('sha256', input.MessageBody as string);
  }
  throw invalid('The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly');
}

function checkFifoId(name: string, value: string): string {
  if (/^[!-~]{1,128}$/.test(value)) return value;
  throw invalid(
    `Value ${value} for parameter ${name} is invalid. Reason: ${name} can only include alphanumeric and punctuation characters. 1 to 128 in length.`,
  );
}

/** A group id on a standard queue is a fair queue's tenant; a deduplication id there means nothing and is refused. */
function refuseFifoParameters(input: Sendable): undefined {
  if (input.MessageDeduplicationId === undefined) return undefined;
  throw invalid(
    `Value ${input.MessageDeduplicationId} for parameter MessageDeduplicationId is invalid. Reason: The request includes a parameter that is not valid for this queue type.`,
  );
}

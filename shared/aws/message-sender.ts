import {
  type MessageAttributeValue,
  SendMessageBatchCommand,
  type SendMessageBatchCommandOutput,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { EntryFailure, LetterAttribute, MessageSenderPort, OutgoingLetter } from '#shared/dead-letter/letter-queue-port.ts';
import { failuresOf, MAX_BATCH_ENTRIES } from './batch-entries.ts';

/** Below what SQS takes today, so that emulators and older regions take it too; a larger message goes alone. */
const MAX_BATCH_BYTES = 256 * 1024;

/** Sends messages as they were: body, attributes, trace and group untouched. */
export const createMessageSender = (client: SQSClient): MessageSenderPort => ({
  async send(queueUrl, messages) {
    const failures: EntryFailure[] = [];
    for (const batch of batches(messages)) {
      const request = new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: batch.map(entryOf) });
      const ids = batch.map(({ id }) => id);
      failures.push(...(await failuresOf(ids, () => client.send(request).then((answer) => tellIds(batch, answer)))));
    }
    return failures;
  },
});

function tellIds(batch: readonly OutgoingLetter[], answer: SendMessageBatchCommandOutput): SendMessageBatchCommandOutput {
  for (const { Id, MessageId } of answer.Successful ?? []) if (MessageId !== undefined) batch[Number(Id)]?.onSent?.(MessageId);
  return answer;
}

const entryOf = (
  { body, attributes, traceHeader, group, deduplicationId }: OutgoingLetter,
  index: number,
): SendMessageBatchRequestEntry => ({
  Id: String(index),
  MessageBody: body,
  ...(Object.keys(attributes).length === 0 ? {} : { MessageAttributes: attributesOf(attributes) }),
  ...(traceHeader === undefined ? {} : { MessageSystemAttributes: { AWSTraceHeader: { DataType: 'String', StringValue: traceHeader } } }),
  ...(group === undefined ? {} : { MessageGroupId: group }),
  ...(deduplicationId === undefined ? {} : { MessageDeduplicationId: deduplicationId }),
});

const attributesOf = (attributes: OutgoingLetter['attributes']): Record<string, MessageAttributeValue> =>
  Object.fromEntries(Object.entries(attributes).map(([name, { dataType, text, bytes }]) => [name, attributeValue(dataType, text, bytes)]));

const attributeValue = (DataType: string, text: LetterAttribute['text'], bytes: LetterAttribute['bytes']): MessageAttributeValue =>
  bytes === undefined ? { DataType, StringValue: text } : { DataType, BinaryValue: bytes };

/** At most ten messages and 256 KiB a call, attributes counted in. */
function batches(messages: readonly OutgoingLetter[]): OutgoingLetter[][] {
  const made: OutgoingLetter[][] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = bytesOf(message);
    const last = made.at(-1);
    if (last === undefined || last.length === MAX_BATCH_ENTRIES || bytes + size > MAX_BATCH_BYTES) {
      made.push([message]);
      bytes = size;
    } else {
      last.push(message);
      bytes += size;
    }
  }
  return made;
}

const bytesOf = ({ body, attributes }: OutgoingLetter): number =>
  Object.entries(attributes).reduce(
    (sum, [name, { dataType, text = '', bytes }]) =>
      sum + Buffer.byteLength(name) + Buffer.byteLength(dataType) + Buffer.byteLength(text) + (bytes?.length ?? 0),
    Buffer.byteLength(body),
  );

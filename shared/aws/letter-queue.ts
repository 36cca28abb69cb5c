import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { EntryFailure, LetterAttribute, LetterQueuePort, ReceivedLetter } from '#shared/dead-letter/letter-queue-port.ts';
import { failuresOf, inTens } from './batch-entries.ts';

/** One dead-letter queue. Its letters are received whole, with every attribute, so that none is lost on the way back. */
export const createLetterQueue = (client: SQSClient, queueUrl: string): LetterQueuePort => ({
  async receive(most, hiddenForSeconds) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: most,
        VisibilityTimeout: hiddenForSeconds,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['All'],
      }),
    );
    return Messages.map(letterOf);
  },
  remove: (letters) => eachTen(letters, (Entries) => client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }))),
  hide: (letters, seconds) =>
    eachTen(letters, (entries) =>
      client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl: queueUrl,
          Entries: entries.map((entry) => ({ ...entry, VisibilityTimeout: seconds })),
        }),
      ),
    ),
});

interface Entry {
  readonly Id: string;
  readonly ReceiptHandle: string;
}

async function eachTen(letters: readonly ReceivedLetter[], send: (entries: Entry[]) => Promise<object>): Promise<EntryFailure[]> {
  const failures: EntryFailure[] = [];
  for (const ten of inTens(letters)) {
    const entries = ten.map(({ receiptHandle }, index) => ({ Id: String(index), ReceiptHandle: receiptHandle }));
    failures.push(
      ...(await failuresOf(
        ten.map(({ messageId }) => messageId),
        () => send(entries),
      )),
    );
  }
  return failures;
}

function letterOf({ MessageId = '', ReceiptHandle = '', Body = '', Attributes = {}, MessageAttributes = {} }: Message): ReceivedLetter {
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    attributes: Object.fromEntries(Object.entries(MessageAttributes).map(([name, value]) => [name, attributeOf(value)])),
    group: Attributes.MessageGroupId,
    traceHeader: Attributes.AWSTraceHeader,
    sentAtMs: Number(Attributes.SentTimestamp ?? 0),
    receiveCount: Number(Attributes.ApproximateReceiveCount ?? 0),
    sourceArn: (Attributes as Readonly<Record<string, string>>)['DeadLetterQueueSourceArn'],
  };
}

const attributeOf = ({ DataType = 'String', StringValue, BinaryValue }: MessageAttributeValue): LetterAttribute => ({
  dataType: DataType,
  ...(BinaryValue === undefined ? { text: StringValue } : { bytes: BinaryValue }),
});

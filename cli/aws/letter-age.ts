import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

const LOOKED_AT = 10;

/**
 * When the oldest of a few letters was sent, seen without hiding any: whoever works the queue off meanwhile is not disturbed.
 *
 * Does not protect against an older letter that SQS did not show: the answer is the latest that the oldest can be.
 */
export async function oldestLetterSeenMs(client: SQSClient, deadLetterQueueUrl: string): Promise<number | undefined> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl: deadLetterQueueUrl,
      MaxNumberOfMessages: LOOKED_AT,
      VisibilityTimeout: 0,
      MessageSystemAttributeNames: ['SentTimestamp'],
    }),
  );
  const sent = Messages.flatMap(({ Attributes }) => (Attributes?.SentTimestamp === undefined ? [] : [Number(Attributes.SentTimestamp)]));
  return sent.length === 0 ? undefined : Math.min(...sent);
}

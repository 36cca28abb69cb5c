import { AwsError } from '../aws-error.ts';
import { invalid } from './check-message.ts';
import { isInFlight, type Message, type Queue } from './queue.ts';

/** SQS: no message stays invisible longer than this after it was received. */
const MAX_VISIBILITY_SECONDS = 43_200;

/**
 * What an older receipt handle of a message received again does to DeleteMessage. The documentation says the call succeeds and
 * deletes nothing (`ignore`); other implementations refuse it (`refuse`).
 */
export type StaleReceipt = 'refuse' | 'ignore';

/**
 * A FIFO queue takes no handle whose visibility timeout is over, even while nobody else has the message.
 *
 * @throws AwsError ReceiptHandleIsInvalid, InvalidParameterValueException
 */
export function deleteMessage(queue: Queue, handle: string, staleReceipt: StaleReceipt, now: number): Record<string, unknown> {
  const message = messageOf(queue, handle);
  if (queue.isFifo && message && !(message.receiptHandle === handle && isInFlight(message, now))) {
    throw invalid(`Value ${handle} for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired.`);
  }
  if (message?.receiptHandle === handle) queue.messages.delete(message.id);
  else if (message && staleReceipt === 'refuse') throw staleHandle(handle);
  return {};
}

/** @throws AwsError ReceiptHandleIsInvalid, MessageNotInflight, InvalidParameterValueException */
export function changeVisibility(queue: Queue, handle: string, timeoutSeconds: number, now: number): Record<string, unknown> {
  if (!(timeoutSeconds >= 0 && timeoutSeconds <= MAX_VISIBILITY_SECONDS)) {
    throw invalid(
      `Value ${timeoutSeconds} for parameter VisibilityTimeout is invalid. Reason: Must be between 0 and ${MAX_VISIBILITY_SECONDS}.`,
    );
  }
  const message = messageOf(queue, handle);
  if (!message)
    throw invalid(
      `Value ${handle} for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change.`,
    );
  if (message.receiptHandle !== handle) throw staleHandle(handle);
  if (!isInFlight(message, now)) throw new AwsError('MessageNotInflight', "The specified message isn't in flight.");
  const visibleAtMs = now + timeoutSeconds * 1000;
  if (visibleAtMs > (message.receivedAtMs ?? now) + MAX_VISIBILITY_SECONDS * 1000) {
    throw invalid(
      `Value ${timeoutSeconds} for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [${MAX_VISIBILITY_SECONDS} seconds].`,
    );
  }
  queue.messages.set(message.id, { ...message, visibleAtMs });
  return {};
}

const staleHandle = (handle: string): AwsError =>
  new AwsError('ReceiptHandleIsInvalid', `The input receipt handle "${handle}" is not a valid receipt handle.`);

/** The message a handle was given for, if it still exists. */
function messageOf(queue: Queue, handle: string): Message | undefined {
  const [id = '', receives] = Buffer.from(handle ?? '', 'base64')
    .toString()
    .split(' ');
  if (!/^[0-9a-f-]{36}$/.test(id) || !/^\d+$/.test(receives ?? '')) throw staleHandle(handle);
  return queue.messages.get(id);
}

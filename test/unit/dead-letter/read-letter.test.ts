import { expect, test } from 'vitest';
import { queueText } from '#shared/contract/queue-text.ts';
import { LETTER_ATTRIBUTE, writeLetter } from '#shared/dead-letter/letter.ts';
import type { ReceivedLetter } from '#shared/dead-letter/letter-queue-port.ts';
import { readLetter } from '#shared/dead-letter/read-letter.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';

const source = { deadLetterQueueName: 'q-dlq', queueUrl: 'u', fifo: false, definition: capturePayment };
const body = queueText(outboxMessage(job(capturePayment, { userId: 'u-1', orderId: 'ord-1', attempt: 2 }), 0));
const received = (changes: Partial<ReceivedLetter> = {}): ReceivedLetter => ({
  messageId: 'm-1',
  receiptHandle: 'r',
  body,
  attributes: {},
  sentAtMs: 0,
  receiveCount: 1,
  ...changes,
});
const reason = writeLetter({
  kind: 'capture-payment',
  reason: 'attempts-spent',
  attempts: 6,
  firstSeenAtMs: 1,
  lastSeenAtMs: 2,
  schemaVersion: 1,
});
const withAttribute = (text: string) => received({ attributes: { [LETTER_ATTRIBUTE]: { dataType: 'String', text } } });

test('a letter names its reason, its job, and the item and operation it is about', () => {
  expect(readLetter(withAttribute(queueText(reason)), source)).toMatchObject({
    why: reason,
    movedBySqs: false,
    job: {
      key: 'capture:u-1/ord-1:2',
      target: { key: { pk: 'USER#u-1', sk: 'ORDER#ord-1' }, operation: 'capture:2', current: { attribute: 'attempt', value: 2 } },
    },
  });
});

test.each([
  ['no attribute at all', received({ sourceArn: 'arn:aws:sqs:r:a:q' })],
  ['not even JSON', withAttribute('{')],
  ['something else', withAttribute('{"reason":1}')],
])('a letter with %s has no reason, and its job is read all the same', (_what, letter) => {
  expect(readLetter(letter, source)).toMatchObject({ why: undefined, job: { key: 'capture:u-1/ord-1:2' } });
});

test.each([
  ['malformed', '{', 'malformed'],
  ['of a newer version', body.replace('"version":1', '"version":9'), 'unsupported-version'],
  ['of another kind', body.replace('capture-payment', 'refund-payment'), 'malformed'],
])('a body that is %s is kept as it is, with what is wrong', (_what, text, why) => {
  expect(readLetter(received({ body: text }), source)).toMatchObject({
    job: undefined,
    unreadable: { reason: why },
    received: { body: text },
  });
});

test('a queue that carries no jobs has letters, too', () => {
  expect(readLetter(received(), { ...source, definition: undefined })).toMatchObject({ job: undefined, unreadable: { reason: 'no-job' } });
});

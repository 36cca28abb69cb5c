import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeSqs, type FakeSqs } from '../../support/fake-aws/fake-sqs.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let nowMs: number;
let sqs: FakeSqs;
let QueueUrl: string;
beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 30);
  sqs = createFakeSqs({ now: () => nowMs });
  QueueUrl = sqs.createQueue({
    QueueName: 'work',
    Attributes: { VisibilityTimeout: '120', MessageRetentionPeriod: String((4 * DAY_MS) / 1000) },
  });
});

type Output = Record<string, unknown> & { Messages?: { MessageId: string; Body: string; ReceiptHandle: string; Attributes?: object }[] };
const call = (operation: string, input: object = {}): Output => {
  const answer = sqs.handle(operation, { QueueUrl, ...input });
  if ('error' in answer) throw answer.error;
  return answer.output as Output;
};
const bodies = (input: object = {}) =>
  (call('ReceiveMessage', { MaxNumberOfMessages: 10, ...input }).Messages ?? []).map(({ Body }) => Body);
const receiveOne = () => call('ReceiveMessage').Messages?.[0]?.ReceiptHandle;

describe('time', () => {
  it('makes a message visible again at the end of its timeout and not before', () => {
    call('SendMessage', { MessageBody: 'x' });
    expect(bodies()).toEqual(['x']);
    nowMs += 2 * MINUTE_MS - 1;
    expect(bodies()).toEqual([]);
    nowMs += 1;
    expect(bodies()).toEqual(['x']);
  });

  it('of the first receive stays with a message', () => {
    call('SendMessage', { MessageBody: 'x' });
    const wanted = { VisibilityTimeout: 0, MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateFirstReceiveTimestamp'] };
    const seen = [0, MINUTE_MS, MINUTE_MS].map((passedMs) => {
      nowMs += passedMs;
      return call('ReceiveMessage', wanted).Messages?.[0]?.Attributes;
    });
    const start = String(nowMs - 2 * MINUTE_MS);
    expect(seen).toEqual(Array(3).fill({ SentTimestamp: start, ApproximateFirstReceiveTimestamp: start }));
  });

  it('counts a changed timeout from the change', () => {
    call('SendMessage', { MessageBody: 'x' });
    const ReceiptHandle = receiveOne();
    nowMs += MINUTE_MS;
    call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 120 });
    nowMs += 2 * MINUTE_MS - 1;
    expect(bodies()).toEqual([]);
    nowMs += 1;
    expect(bodies()).toEqual(['x']);
  });

  it('keeps no message invisible for more than twelve hours after it was received', () => {
    call('SendMessage', { MessageBody: 'x' });
    const ReceiptHandle = receiveOne();
    nowMs += MINUTE_MS;
    expect(() => call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 43_200 })).toThrow('Total VisibilityTimeout');
    call('ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 43_140 });
  });

  it('drops a message when its retention is over, counted from the first send', () => {
    call('SendMessage', { MessageBody: 'x' });
    nowMs += 4 * DAY_MS - 1;
    expect(bodies({ VisibilityTimeout: 0 })).toEqual(['x']);
    nowMs += 1;
    expect(bodies()).toEqual([]);
  });

  it('does not start retention anew in a dead-letter queue', () => {
    const deadUrl = sqs.createQueue({ QueueName: 'dead', Attributes: { MessageRetentionPeriod: String((14 * DAY_MS) / 1000) } });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:dead', maxReceiveCount: 1 });
    QueueUrl = sqs.createQueue({ QueueName: 'source', Attributes: { RedrivePolicy } });
    call('SendMessage', { MessageBody: 'x' });
    nowMs += 3 * DAY_MS;
    bodies({ VisibilityTimeout: 0 });
    bodies();
    expect(bodies({ QueueUrl: deadUrl, VisibilityTimeout: 0 })).toEqual(['x']);
    nowMs += 11 * DAY_MS;
    expect(bodies({ QueueUrl: deadUrl })).toEqual([]);
  });

  it('forgets a deduplication id after five minutes', () => {
    QueueUrl = sqs.createQueue({ QueueName: 'work.fifo', Attributes: { FifoQueue: 'true' } });
    const message = { MessageBody: 'x', MessageGroupId: 'g', MessageDeduplicationId: 'd' };
    for (const passedMs of [0, 5 * MINUTE_MS - 1, 1]) {
      nowMs += passedMs;
      call('SendMessage', message);
    }
    expect(bodies()).toEqual(['x', 'x']);
  });

  it('allows another purge after a minute', () => {
    call('PurgeQueue');
    nowMs += MINUTE_MS;
    call('PurgeQueue');
  });
});

describe('an outdated receipt handle', () => {
  it('deletes nothing and, where so configured, is not even refused', () => {
    sqs = createFakeSqs({ now: () => nowMs, staleReceipt: 'ignore' });
    sqs.createQueue({ QueueName: 'work', Attributes: { VisibilityTimeout: '120' } });
    call('SendMessage', { MessageBody: 'x' });
    const stale = receiveOne();
    nowMs += 2 * MINUTE_MS;
    receiveOne();
    call('DeleteMessage', { ReceiptHandle: stale });
    expect(sqs.messages('work')).toHaveLength(1);
  });
});

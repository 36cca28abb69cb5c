import type { DynamoDBRecord } from 'aws-lambda';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import type { JobMessage } from '#shared/contract/message.ts';

export const jobMessage = (id: string, extra: Partial<JobMessage> = {}): JobMessage => ({
  kind: 'send-receipt',
  version: 1,
  idempotencyKey: `receipt:u-1/${id}:1`,
  payload: { orderId: id },
  enqueuedAt: '2026-11-30T10:00:00.000Z',
  ...extra,
});

/** A stream record as a mapping delivers it. */
export const streamRecord = (sequenceNumber: string, current?: object, old?: object): DynamoDBRecord => ({
  eventName: old === undefined ? 'INSERT' : current === undefined ? 'REMOVE' : 'MODIFY',
  dynamodb: {
    SequenceNumber: sequenceNumber,
    Keys: { pk: { S: 'USER#u-1' }, sk: { S: `ORDER#${sequenceNumber}` } },
    ...(current === undefined ? {} : { NewImage: toAttributeValues({ ...current }) as never }),
    ...(old === undefined ? {} : { OldImage: toAttributeValues({ ...old }) as never }),
  },
});

export const committed = (sequenceNumber: string, ...outbox: unknown[]): DynamoDBRecord =>
  streamRecord(sequenceNumber, { version: 2, outbox }, { version: 1 });

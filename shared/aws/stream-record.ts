import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { ItemChange } from '#shared/outbox/read-outbox.ts';
import { fromAttributeValues } from './attribute-values.ts';

/**
 * Both images of a stream record.
 *
 * @throws TypeError and others when an image holds what no item can hold
 */
export function readItemChange(record: DynamoDBRecord): ItemChange {
  const image = (values: unknown) => (values === undefined ? undefined : fromAttributeValues(values as Record<string, AttributeValue>));
  return { old: image(record.dynamodb?.OldImage), current: image(record.dynamodb?.NewImage) };
}

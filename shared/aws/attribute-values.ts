import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';

export const toAttributeValues = (item: Readonly<Record<string, unknown>>): Record<string, AttributeValue> =>
  marshall(item, { removeUndefinedValues: true });

/** A number that JavaScript cannot hold exactly stays text, so that the record's own schema refuses it and no other record suffers. */
const exactNumber = (text: string): number | string => {
  const number = Number(text);
  const rounded = Number.isInteger(number) && (!Number.isSafeInteger(number) || text.includes('.'));
  return rounded ? text : number;
};

export const fromAttributeValues = (item: Record<string, AttributeValue>): Record<string, unknown> =>
  unmarshall(item, { wrapNumbers: exactNumber as never });

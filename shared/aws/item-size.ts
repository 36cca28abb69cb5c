import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/**
 * Bytes of an item as DynamoDB bills them (developer guide, "DynamoDB item sizes and formats"): names and values in UTF-8,
 * numbers about one byte per two significant digits plus one, containers three bytes and one more per element.
 */
export const itemSizeBytes = (item: Readonly<Record<string, AttributeValue>>): number =>
  Object.entries(item).reduce((bytes, [name, value]) => bytes + Buffer.byteLength(name) + valueSizeBytes(value), 0);

const CONTAINER_BYTES = 3;
const ELEMENT_BYTES = 1;

function valueSizeBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberSizeBytes(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.M !== undefined) return CONTAINER_BYTES + Object.keys(value.M).length * ELEMENT_BYTES + itemSizeBytes(value.M);
  if (value.L !== undefined) return CONTAINER_BYTES + value.L.reduce((bytes, member) => bytes + ELEMENT_BYTES + valueSizeBytes(member), 0);
  if (value.SS !== undefined) return value.SS.reduce((bytes, member) => bytes + Buffer.byteLength(member), 0);
  if (value.NS !== undefined) return value.NS.reduce((bytes, member) => bytes + numberSizeBytes(member), 0);
  return (value.BS ?? []).reduce((bytes, member) => bytes + member.byteLength, 0);
}

function numberSizeBytes(text: string): number {
  const digits = text.replace(/[-+.]|e.*$/gi, '').replace(/^0+|0+$/g, '').length;
  return Math.ceil(digits / 2) + 1 + (text.startsWith('-') ? 1 : 0);
}

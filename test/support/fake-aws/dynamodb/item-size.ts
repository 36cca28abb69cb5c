import db from 'dynalite/db/index.js';
import type { Attribute, Item } from './attribute.ts';

/** Names and values as the service measures and bills them (developer guide, "DynamoDB item sizes and formats"). */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((total, [name, value]) => total + bytesOf(name) + valueBytes(value), 0);
}

const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');
const binaryBytes = (text: string): number => Buffer.from(text, 'base64').length;
const numberBytes = (text: string): number => db.itemSize({ '': { N: text } });

function valueBytes(value: Attribute): number {
  if (value.S !== undefined) return bytesOf(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return binaryBytes(value.B);
  if (value.SS) return sum(value.SS, bytesOf);
  if (value.NS) return sum(value.NS, numberBytes);
  if (value.BS) return sum(value.BS, binaryBytes);
  if (value.L) return 3 + sum(value.L, (element) => 1 + valueBytes(element));
  if (value.M) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  return 1;
}

function sum<T>(list: readonly T[], of: (element: T) => number): number {
  return list.reduce((total, element) => total + of(element), 0);
}

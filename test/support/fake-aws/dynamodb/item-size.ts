import db from 'dynalite/db/index.js';
import type { Attribute, Item } from './attribute.ts';

/** Stored items are never changed, and each is measured many times. */
const measured = new WeakMap<Item, number>();

/** Names and values as the service measures and bills them (developer guide, "DynamoDB item sizes and formats"). */
export function itemBytes(item: Item): number {
  const before = measured.get(item);
  if (before !== undefined) return before;
  const bytes = mapBytes(item);
  measured.set(item, bytes);
  return bytes;
}

function mapBytes(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += bytesOf(name) + valueBytes(item[name] as Attribute);
  return bytes;
}

const bytesOf = (text: string): number => Buffer.byteLength(text, 'utf8');
const binaryBytes = (text: string): number => Buffer.from(text, 'base64').length;
const numberBytes = (text: string): number => (/^[1-9]\d*$/.test(text) ? wholeBytes(text) : db.itemSize({ '': { N: text } }));

/** What dynalite counts, without its big numbers. */
function wholeBytes(text: string): number {
  const digits = text.replace(/0+$/, '').length;
  return 1 + Math.ceil(digits / 2) + (digits % 2 === 0 && text.length % 2 === 1 ? 1 : 0);
}

function valueBytes(value: Attribute): number {
  if (value.S !== undefined) return bytesOf(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return binaryBytes(value.B);
  if (value.SS) return sum(value.SS, bytesOf);
  if (value.NS) return sum(value.NS, numberBytes);
  if (value.BS) return sum(value.BS, binaryBytes);
  if (value.L) return 3 + sum(value.L, (element) => 1 + valueBytes(element));
  if (value.M) return 3 + Object.keys(value.M).length + mapBytes(value.M);
  return 1;
}

function sum<T>(list: readonly T[], of: (element: T) => number): number {
  return list.reduce((total, element) => total + of(element), 0);
}

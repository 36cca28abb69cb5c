import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import type { Item } from '../../support/fake-aws/fake-dynamodb.ts';

export type PlainItem = Readonly<Record<string, unknown>>;

/** A stored item is never changed, and the image after one write is the image before the next: each is read once for all who look. */
const known = new WeakMap<Item, PlainItem>();

/** An item as plain values, for looking at: it is shared with everybody else who looks. */
export function plainItem(item: Item): PlainItem {
  const before = known.get(item);
  if (before !== undefined) return before;
  const plain = fromAttributeValues(item as never);
  known.set(item, plain);
  return plain;
}

import { isDeepStrictEqual } from 'node:util';

/** An attribute value as it travels: numbers and binaries are strings, so 38 digits survive. */
export interface Attribute {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
  readonly L?: readonly Attribute[];
  readonly M?: Item;
}
export type Item = { readonly [name: string]: Attribute };
export type Path = readonly (string | number)[];

export type AttributeKind = keyof Attribute;

export const kindOf = (value: Attribute): AttributeKind => Object.keys(value)[0] as AttributeKind;

/** A plain copy whose sets are sorted: stored items are never changed in place, and equal items are equal JSON trees. */
export function canonicalItem(item: Item): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, canonical(value)]));
}

function canonical(value: Attribute): Attribute {
  if (value.M) return { M: canonicalItem(value.M) };
  if (value.L) return { L: value.L.map(canonical) };
  if (value.SS) return { SS: [...value.SS].sort() };
  if (value.NS) return { NS: [...value.NS].sort((a, b) => Number(a) - Number(b)) };
  if (value.BS) return { BS: [...value.BS].sort() };
  return { ...value };
}

export const sameItem = (left: Item | undefined, right: Item | undefined): boolean => isDeepStrictEqual(left, right);

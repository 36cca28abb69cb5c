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

export function kindOf(value: Attribute): AttributeKind {
  for (const kind in value) return kind as AttributeKind;
  throw new Error('fake DynamoDB: an attribute value without a kind');
}

/** The item with its sets sorted: equal items are equal trees. Stored items are never changed in place, so the rest is shared. */
export function canonicalItem(item: Item): Item {
  let sorted: Record<string, Attribute> | undefined;
  for (const name in item) {
    const value = item[name] as Attribute;
    const same = canonical(value);
    if (same === value) continue;
    sorted ??= { ...item };
    sorted[name] = same;
  }
  return sorted ?? item;
}

export function canonical(value: Attribute): Attribute {
  if (value.M) {
    const map = canonicalItem(value.M);
    return map === value.M ? value : { M: map };
  }
  if (value.L) return value.L.some((element) => canonical(element) !== element) ? { L: value.L.map(canonical) } : value;
  if (value.SS) return { SS: [...value.SS].sort() };
  if (value.NS) return { NS: [...value.NS].sort((a, b) => Number(a) - Number(b)) };
  if (value.BS) return { BS: [...value.BS].sort() };
  return value;
}

/** For canonical items. */
export function sameItem(left: Item | undefined, right: Item | undefined): boolean {
  if (left === right) return true;
  if (!left || !right) return false;
  let rest = 0;
  for (const name in left) {
    if (!sameValue(left[name], right[name])) return false;
    rest++;
  }
  for (const _ in right) rest--;
  return rest === 0;
}

/** For canonical values; blind to nothing. */
export function sameValue(left: Attribute | undefined, right: Attribute | undefined): boolean {
  if (left === right) return true;
  if (!left || !right) return false;
  const kind = kindOf(left);
  const [a, b] = [left[kind], right[kind]];
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (kind === 'M') return sameItem(left.M, right.M);
  const [list, other] = [a as readonly unknown[], b as readonly unknown[]];
  if (list.length !== other.length) return false;
  if (kind === 'L') return list.every((element, index) => sameValue(element as Attribute, other[index] as Attribute));
  return list.every((element, index) => element === other[index]);
}

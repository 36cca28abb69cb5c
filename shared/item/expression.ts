import type { ItemKey } from '#shared/contract/item-keys.ts';

/** A condition writes itself into an expression through placeholders for its names and values. */
export type Condition = (x: Placeholders) => string;

/** What a write does to an item, one clause each; an attribute may stand in one clause only. */
export interface Effect {
  /** An undefined value is no value: it is left out, as the marshaller would, which otherwise makes the whole write invalid. */
  readonly set?: Readonly<Record<string, unknown>>;
  readonly setIfAbsent?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

/** One conditional write as data; shared/aws sends it. */
export interface ItemWrite {
  readonly key: ItemKey;
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
  /** An update expression, or the whole item to put. */
  readonly update?: string;
  readonly item?: Readonly<Record<string, unknown>>;
}

/** What became of a write: the item as it stands now, or the item that refused it (undefined: there is none). */
export type WriteAnswer =
  | { readonly accepted: true; readonly image: Readonly<Record<string, unknown>> }
  | {
      readonly accepted: false;
      readonly old: Readonly<Record<string, unknown>> | undefined;
      /** Several writes together: this one would have passed, another's condition did not. */
      readonly otherRefused?: true;
    };

export interface Placeholders {
  /** Every name goes through a placeholder: reserved words, colons and slashes are then no matter. */
  name(attribute: string): string;
  value(value: unknown): string;
}

export interface PlaceholderTable extends Placeholders {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, unknown>>;
}

/** The same few words stand in every request. */
const NAMES: string[] = [];
const VALUES: string[] = [];
const numbered = (words: string[], prefix: string, number: number): string => {
  words[number] ??= `${prefix}${number}`;
  return words[number];
};

/** The names and values of one request; every attribute has one name placeholder. */
export function createPlaceholders(): PlaceholderTable {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const placeholderOf = new Map<string, string>();
  let valueCount = 0;
  return {
    names,
    values,
    name(attribute) {
      const known = placeholderOf.get(attribute);
      if (known !== undefined) return known;
      const placeholder = numbered(NAMES, '#n', placeholderOf.size);
      placeholderOf.set(attribute, placeholder);
      names[placeholder] = attribute;
      return placeholder;
    },
    value(value) {
      const placeholder = numbered(VALUES, ':v', valueCount++);
      values[placeholder] = value;
      return placeholder;
    },
  };
}

export const allOf =
  (...conditions: readonly (Condition | false)[]): Condition =>
  (x) =>
    conditions
      .filter((condition) => condition !== false)
      .map((condition) => condition(x))
      .join(' AND ');

/** @throws RangeError when an attribute stands in two clauses, which DynamoDB refuses and the emulator does not. */
export function updateWrite(key: ItemKey, effect: Effect, condition: Condition): ItemWrite {
  refuseOverlap(effect);
  const x = createPlaceholders();
  const set = [
    ...Object.entries(effect.set ?? {})
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${x.name(name)} = ${x.value(value)}`),
    ...Object.entries(effect.setIfAbsent ?? {}).map(
      ([name, value]) => `${x.name(name)} = if_not_exists(${x.name(name)}, ${x.value(value)})`,
    ),
  ];
  const remove = (effect.remove ?? []).map((name) => x.name(name));
  const add = Object.entries(effect.add ?? {}).map(([name, amount]) => `${x.name(name)} ${x.value(amount)}`);
  const update = [clause('SET', set), clause('REMOVE', remove), clause('ADD', add)].filter((text) => text !== '').join(' ');
  return { key, update, condition: condition(x), names: x.names, values: x.values };
}

export function putWrite(key: ItemKey, attributes: Readonly<Record<string, unknown>>, condition: Condition): ItemWrite {
  const x = createPlaceholders();
  return { key, item: { ...attributes, ...key }, condition: condition(x), names: x.names, values: x.values };
}

const clause = (word: string, parts: readonly string[]): string => (parts.length === 0 ? '' : `${word} ${parts.join(', ')}`);

function refuseOverlap({ set = {}, setIfAbsent = {}, add = {}, remove = [] }: Effect): void {
  const names = [...Object.keys(set), ...Object.keys(setIfAbsent), ...Object.keys(add), ...remove];
  if (new Set(names).size === names.length) return;
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  throw new RangeError(`one write names ${twice.join(', ')} in two clauses`);
}

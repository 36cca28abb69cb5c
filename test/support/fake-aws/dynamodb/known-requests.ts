import type { Attribute, Item } from './attribute.ts';
import type { Hole, Values } from './hole.ts';
import type { CheckedOperation } from './validate.ts';

/**
 * Checking and parsing is most of the cost of a request, and a program sends the same few requests with other values all the time.
 * What was checked once is kept by everything but its values, with holes where they stood in its expressions.
 *
 * Does not protect against a check that looks into a value deeper than `isPlain` and `JUDGED_BY_VALUE` know: such requests have to
 * be left out there.
 */
export interface KnownRequests {
  /** The input as checked, when one like it passed before. Never copied and never changed: items share their values with their requests. */
  find(operation: CheckedOperation, input: Input): Input | undefined;
  keep(operation: CheckedOperation, input: Input, checked: Input): void;
}
type Input = Readonly<Record<string, unknown>>;

const PARSED = ['_condition', '_updates', '_filter', '_projection', 'KeyConditions'] as const;
const LIMIT = 2_000;

export function createKnownRequests(): KnownRequests {
  const kept = new Map<string, Input>();
  return {
    find(operation, input) {
      const shape = shapeOf(operation, input);
      const parsed = shape === undefined ? undefined : kept.get(shape);
      if (!parsed) return undefined;
      const values = input['ExpressionAttributeValues'] as Values | undefined;
      const known = { ...input, ...parsed, _values: values };
      const conditions = parsed['KeyConditions'];
      return conditions && values ? { ...known, KeyConditions: fill(conditions, values) } : known;
    },
    keep(operation, input, checked) {
      const shape = shapeOf(operation, input);
      if (shape === undefined) return;
      const values = (checked['ExpressionAttributeValues'] ?? {}) as Values;
      const names = new Map<unknown, string>(Object.entries(values).map(([name, value]) => [value, name]));
      if (kept.size === LIMIT) kept.clear();
      kept.set(shape, Object.fromEntries(PARSED.flatMap((name) => (checked[name] ? [[name, dig(checked[name], names)]] : []))));
    },
  };
}

/** Whether these are refused depends on the values themselves, everything else on their kinds alone. */
const JUDGED_BY_VALUE = /between|attribute_type/i;

/** Everything of a request but its values; undefined for one that has to be checked as a whole each time. */
function shapeOf(operation: string, input: Input): string | undefined {
  let shape = operation;
  for (const name in input) {
    const member = input[name];
    if (member === null || member === undefined || name === 'ExclusiveStartKey') return undefined;
    shape += `\n${name}\n`;
    if (name === 'Key' || name === 'Item') {
      if (!isPlainItem(member as Item)) return undefined;
    } else if (name === 'ExpressionAttributeValues') {
      const kinds = kindsOf(member as Values, operation === 'Query');
      if (kinds === undefined) return undefined;
      shape += kinds;
    } else if (typeof member === 'string') {
      if (name.endsWith('Expression') && JUDGED_BY_VALUE.test(member) && !isPlainRange(member, input)) return undefined;
      shape += `"${member}`;
    } else shape += JSON.stringify(member);
  }
  return shape;
}

const RANGE = / BETWEEN (:\w+) AND (:\w+)/g;

/** Ranges between numbers that are the right way round, and nothing else that is judged by value. */
function isPlainRange(expression: string, { ExpressionAttributeValues }: Input): boolean {
  if (JUDGED_BY_VALUE.test(expression.replace(RANGE, ''))) return false;
  const numberAt = (name: string | undefined): number => Number((ExpressionAttributeValues as Values | undefined)?.[name ?? '']?.N);
  return [...expression.matchAll(RANGE)].every(([, least, most]) => numberAt(least) <= numberAt(most));
}

/** A query refuses an empty text, so it is judged as a whole. */
function kindsOf(values: Values, isQuery: boolean): string | undefined {
  let kinds = '';
  for (const name in values) {
    const value = values[name] as Attribute;
    if (!isPlain(value, 0) || (isQuery && value.S === '')) return undefined;
    for (const kind in value) kinds += `${name} ${kind},`;
  }
  return kinds;
}

function isPlainItem(item: Item): boolean {
  if (typeof item !== 'object' || Array.isArray(item)) return false;
  for (const name in item) if (!isPlain(item[name], 0)) return false;
  return true;
}

const PLAIN_NUMBER = /^(?:0|-?[1-9]\d{0,37}|-?(?:0|[1-9]\d{0,18})\.\d{0,17}[1-9])$/;
const MAX_DEPTH = 16;

/** A value that is certainly valid and written in its one way. Sets and long fractions are left to the whole check. */
function isPlain(value: Attribute | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  let kinds = 0;
  for (const kind in value) {
    if (++kinds > 1 || !isPlainOf(kind, value[kind as keyof Attribute], depth)) return false;
  }
  return kinds === 1;
}

function isPlainOf(kind: string, content: unknown, depth: number): boolean {
  if (kind === 'S') return typeof content === 'string';
  if (kind === 'N') return typeof content === 'string' && PLAIN_NUMBER.test(content);
  if (kind === 'BOOL') return typeof content === 'boolean';
  if (kind === 'NULL') return content === true;
  if (typeof content !== 'object' || content === null) return false;
  if (kind === 'L') return Array.isArray(content) && content.every((element) => isPlain(element as Attribute, depth + 1));
  if (kind !== 'M' || Array.isArray(content)) return false;
  for (const name in content) if (!isPlain((content as Record<string, Attribute>)[name], depth + 1)) return false;
  return true;
}

function dig(node: unknown, names: ReadonlyMap<unknown, string>): unknown {
  const name = names.get(node);
  return name === undefined ? mapChildren(node, (child) => dig(child, names)) : { hole: name };
}

function fill(node: unknown, values: Values): unknown {
  const name = (node as Partial<Hole> | null)?.hole;
  return name === undefined ? mapChildren(node, (child) => fill(child, values)) : values[name];
}

function mapChildren(node: unknown, map: (child: unknown) => unknown): unknown {
  if (Array.isArray(node)) return node.map(map);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, map(child)]));
}

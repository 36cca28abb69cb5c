import type { Attribute } from './attribute.ts';

/**
 * Parsing is most of the cost of a write, and a program sends the same few expressions with other values all the time. What was
 * parsed once is kept with holes where its values stood.
 */
export interface Parsed {
  readonly _condition?: object | undefined;
  readonly _updates?: object | undefined;
}
interface Expressions {
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, Attribute>;
}

/** Stands where a value stood, and names its placeholder. */
const HOLE = Symbol('hole');
const isHole = (node: unknown): node is { readonly [HOLE]: string } => typeof node === 'object' && node !== null && HOLE in node;

/** Whether these are refused depends on the values themselves, everything else on their kinds alone. */
const JUDGED_BY_VALUE = /between|attribute_type/i;

export interface ParsedExpressions {
  find(expressions: Expressions): Parsed | undefined;
  keep(expressions: Expressions, parsed: Parsed): void;
}

export function createParsedExpressions(): ParsedExpressions {
  const kept = new Map<string, Parsed>();
  return {
    find(expressions) {
      const parsed = kept.get(keyOf(expressions));
      return parsed && (fill(parsed, expressions.ExpressionAttributeValues ?? {}) as Parsed);
    },
    keep(expressions, parsed) {
      if (JUDGED_BY_VALUE.test(expressions.ConditionExpression ?? '')) return;
      const names = new Map(Object.entries(expressions.ExpressionAttributeValues ?? {}).map(([name, value]) => [value as unknown, name]));
      kept.set(keyOf(expressions), dig({ _condition: parsed._condition, _updates: parsed._updates }, names) as Parsed);
    },
  };
}

function keyOf({ ConditionExpression, UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues = {} }: Expressions): string {
  const kinds = Object.entries(ExpressionAttributeValues).map(([name, value]) => [name, Object.keys(value)]);
  return JSON.stringify([ConditionExpression, UpdateExpression, ExpressionAttributeNames, kinds]);
}

function dig(node: unknown, names: ReadonlyMap<unknown, string>): unknown {
  const name = names.get(node);
  if (name !== undefined) return { [HOLE]: name };
  return mapChildren(node, (child) => dig(child, names));
}

function fill(node: unknown, values: Readonly<Record<string, Attribute>>): unknown {
  if (isHole(node)) return values[node[HOLE]];
  return mapChildren(node, (child) => fill(child, values));
}

function mapChildren(node: unknown, map: (child: unknown) => unknown): unknown {
  if (Array.isArray(node)) return node.map(map);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, map(child)]));
}

import { isDeepStrictEqual } from 'node:util';
import db from 'dynalite/db/index.js';
import { type Attribute, canonicalItem, type Item, type Path } from './attribute.ts';

/** A condition as dynalite's parser gives it: values are already in place of their placeholders. */
export interface Expression {
  readonly type: string;
  readonly name?: string;
  readonly args: readonly Operand[];
}
type Operand = Expression | Path | Attribute;

/** Whether a condition, filter or key condition holds for an item; a missing item counts as one without attributes. */
export function holds(expression: Expression, item: Item): boolean {
  const [first, second] = expression.args as readonly Expression[];
  if (expression.type === 'and') return holds(first as Expression, item) && holds(second as Expression, item);
  if (expression.type === 'or') return holds(first as Expression, item) || holds(second as Expression, item);
  if (expression.type === 'not') return !holds(first as Expression, item);
  const [value, ...operands] = expression.args.map((operand) => resolve(operand, item));
  return compare(expression.type === 'function' ? (expression.name as string) : expression.type, value, operands);
}

function compare(operator: string, value: Attribute | undefined, operands: readonly (Attribute | undefined)[]): boolean {
  const [other] = operands;
  if (operator === '=') return same(value, other);
  if (operator === '<>') return !same(value, other);
  if (operator === 'in') return operands.some((operand) => same(value, operand));
  if (operator === 'contains' && value?.L) return value.L.some((element) => same(element, other));
  const needsBoth = operator !== 'attribute_exists' && operator !== 'attribute_not_exists';
  if (needsBoth && (!value || operands.includes(undefined))) return false;
  return db.compare(operator, value, operands);
}

/** Deep, and blind to the order of a set: dynalite compares neither lists nor maps. */
function same(left: Attribute | undefined, right: Attribute | undefined): boolean {
  return left !== undefined && right !== undefined && isDeepStrictEqual(canonicalItem({ it: left }), canonicalItem({ it: right }));
}

function resolve(operand: Operand, item: Item): Attribute | undefined {
  if (Array.isArray(operand)) return db.mapPath(operand as Path, item) as Attribute | undefined;
  const { type, name, args } = operand as Expression;
  if (type === 'function' && name === 'size') return sizeOf(resolve(args[0] as Operand, item));
  return operand as Attribute;
}

function sizeOf(value: Attribute | undefined): Attribute | undefined {
  const elements = value?.SS ?? value?.NS ?? value?.BS ?? value?.L;
  if (elements) return { N: String(elements.length) };
  if (value?.M) return { N: String(Object.keys(value.M).length) };
  if (value?.S !== undefined) return { N: String(value.S.length) };
  if (value?.B !== undefined) return { N: String(Buffer.from(value.B, 'base64').length) };
  return undefined;
}

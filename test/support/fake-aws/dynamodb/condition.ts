import db from 'dynalite/db/index.js';
import { type Attribute, canonical, type Item, type Path, sameValue } from './attribute.ts';
import { compareDecimals } from './decimal.ts';
import { type Hole, isHole, type Values, valueIn } from './hole.ts';

/** A condition as dynalite's parser gives it: values, or holes for them, are already in place of their placeholders. */
export interface Expression {
  readonly type: string;
  readonly name?: string;
  readonly args: readonly Operand[];
}
type Operand = Expression | Path | Attribute | Hole;

/** Whether a condition or filter holds for an item; a missing item counts as one without attributes. */
export function holds(expression: Expression, item: Item, values?: Values): boolean {
  const [first, second] = expression.args as readonly Expression[];
  if (expression.type === 'and') return holds(first as Expression, item, values) && holds(second as Expression, item, values);
  if (expression.type === 'or') return holds(first as Expression, item, values) || holds(second as Expression, item, values);
  if (expression.type === 'not') return !holds(first as Expression, item, values);
  const [value, ...operands] = expression.args.map((operand) => resolve(operand, item, values));
  return compare(expression.type === 'function' ? (expression.name as string) : expression.type, value, operands);
}

export function compare(operator: string, value: Attribute | undefined, operands: readonly (Attribute | undefined)[]): boolean {
  const [other] = operands;
  if (operator === '=') return same(value, other);
  if (operator === '<>') return !same(value, other);
  if (operator === 'in') return operands.some((operand) => same(value, operand));
  if (operator === 'contains' && value?.L) return value.L.some((element) => same(element, other));
  if (operator === 'attribute_exists') return value !== undefined;
  if (operator === 'attribute_not_exists') return value === undefined;
  if (value?.N !== undefined && other?.N !== undefined && operator in BY_ORDER)
    return BY_ORDER[operator]?.(compareDecimals(value.N, other.N)) === true;
  if (!value || operands.includes(undefined)) return false;
  return db.compare(operator, value, operands);
}

const BY_ORDER: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** Deep, and blind to the order of a set: dynalite compares neither lists nor maps. */
function same(left: Attribute | undefined, right: Attribute | undefined): boolean {
  return left !== undefined && right !== undefined && sameValue(canonical(left), canonical(right));
}

function resolve(operand: Operand, item: Item, values: Values | undefined): Attribute | undefined {
  if (Array.isArray(operand)) return db.mapPath(operand as Path, item) as Attribute | undefined;
  if (isHole(operand)) return valueIn(operand, values);
  const { type, name, args } = operand as Expression;
  if (type === 'function' && name === 'size') return sizeOf(resolve(args[0] as Operand, item, values));
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

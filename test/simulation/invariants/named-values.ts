import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import type { Call } from '../../support/fake-aws/wire.ts';
import { idOf } from './item-views.ts';

/** One item's part of a call. */
export interface WriteInput {
  readonly Key?: Readonly<Record<string, { readonly S: string }>>;
  readonly Item?: Readonly<Record<string, { readonly S: string }>>;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, unknown>>;
}

/** The part of a call that wrote this item, also inside a transaction. */
export function writeInputOf({ operation, input }: Pick<Call, 'operation' | 'input'>, id: string): WriteInput | undefined {
  if (operation !== 'TransactWriteItems') return input;
  return writesOf({ operation, input }).find((part) => idOfInput(part) === id);
}

/** All parts of a call. */
export const writesOf = ({ operation, input }: Pick<Call, 'operation' | 'input'>): WriteInput[] =>
  operation === 'TransactWriteItems'
    ? (input.TransactItems as Record<string, WriteInput>[]).flatMap((item) => Object.values(item))
    : [input];

function idOfInput({ Key, Item }: WriteInput): string | undefined {
  const { pk, sk } = Key ?? Item ?? {};
  return pk === undefined || sk === undefined ? undefined : idOf({ pk: pk.S, sk: sk.S });
}

/**
 * The values a write's condition compares an attribute with. A condition that does not name the attribute protects nothing,
 * whatever the effect says.
 */
export function comparedWith(write: WriteInput, attribute: string, comparison: '=' | '<' | '<='): unknown[] {
  const { ConditionExpression: condition = '', ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = write;
  const placeholders = Object.keys(names).filter((placeholder) => names[placeholder] === attribute);
  return placeholders.flatMap((placeholder) => {
    const pattern = patternOf(`${placeholder}(?![\\w.])\\s*${comparison}\\s*(:\\w+)`);
    return [...condition.matchAll(pattern)].flatMap(([, name = '']) => given(values, name));
  });
}

function given(values: Readonly<Record<string, unknown>>, name: string): unknown[] {
  const value = values[name];
  return value === undefined ? [] : [fromAttributeValues({ value } as never)['value']];
}

/** How much a write's ADD clause adds to an attribute; undefined when it adds nothing. */
export function addedNumber(write: WriteInput, attribute: string): unknown {
  const { UpdateExpression: update = '', ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = write;
  const [, added = ''] = / ?ADD (.*)$/.exec(update) ?? [];
  const placeholder = Object.keys(names).find((name) => names[name] === attribute) ?? '';
  const [, value = ''] = new RegExp(`${placeholder} (:\\w+)`).exec(added) ?? [];
  return given(values, value)[0];
}

/** Placeholders are few and asked for with every write. */
const patterns = new Map<string, RegExp>();

function patternOf(source: string): RegExp {
  const before = patterns.get(source);
  if (before !== undefined) return before;
  const pattern = new RegExp(source, 'g');
  patterns.set(source, pattern);
  return pattern;
}

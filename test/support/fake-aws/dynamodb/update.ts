import db from 'dynalite/db/index.js';
import { validationError } from '../aws-error.ts';
import { type Attribute, type AttributeKind, canonicalItem, type Item, kindOf, type Path } from './attribute.ts';
import { addDecimals } from './decimal.ts';
import { type Hole, isHole, type Values, valueIn } from './hole.ts';

/** One assignment of an update expression, as dynalite's parser gives it. */
export interface Section {
  readonly type: 'set' | 'remove' | 'add' | 'delete';
  readonly path: Path;
  readonly val: Value;
  readonly attrType?: AttributeKind;
}
interface Call {
  readonly type: 'add' | 'subtract' | 'function';
  readonly name?: string;
  readonly args: readonly Value[];
}
type Value = Call | Path | Attribute | Hole;
type Open = { [kind: string]: unknown; L?: (Attribute | undefined)[]; M?: Record<string, Attribute> };

const wrongType = () => validationError('An operand in the update expression has an incorrect data type');
const missing = () => validationError('The provided expression refers to an attribute that does not exist in the item');

/** The item after an update. Every operand is read from the item as it was before, whatever the order of the assignments. */
export function applyUpdate(before: Item, sections: readonly Section[], given?: Values): Item {
  const values = sections.map((section) => (section.type === 'remove' ? undefined : resolve(section.val, before, given)));
  const after: Record<string, Attribute> = { ...before };
  const opened = openAttributes(after, sections);
  sections.forEach((section, position) => {
    applySection(after, section, values[position]);
  });
  for (const name of opened) closeGaps((after[name] ?? {}) as Open);
  return canonicalItem(after);
}

/** What an update reaches into is copied first; the other attributes are shared with the item as it was. */
function openAttributes(after: Record<string, Attribute>, sections: readonly Section[]): Set<string> {
  const opened = new Set<string>();
  for (const { path } of sections) {
    const name = path[0] as string;
    const value = after[name];
    if (path.length === 1 || value === undefined || opened.has(name)) continue;
    after[name] = JSON.parse(JSON.stringify(value));
    opened.add(name);
  }
  return opened;
}

function applySection(item: Record<string, Attribute>, { type, path, attrType }: Section, value: Attribute | undefined): void {
  const parent = (path.length === 1 ? { M: item } : db.mapPath(path.slice(0, -1), item)) as Open | undefined;
  const last = path.at(-1) as string | number;
  const children = (typeof last === 'number' ? parent?.L : parent?.M) as Record<string | number, Attribute | undefined> | undefined;
  if (!children) throw validationError('The document path provided in the update expression is invalid for update');
  const existing = children[last];
  if (existing && (type === 'add' || type === 'delete') && kindOf(existing) !== attrType) throw wrongType();
  const changed = changedValue(type, existing, value);
  if (changed) setChild(children, last, changed);
  else removeChild(children, last);
}

/** The value after the assignment; nothing where none is left. */
function changedValue(type: Section['type'], existing: Attribute | undefined, value: Attribute | undefined): Attribute | undefined {
  if (type === 'remove' || !value) return undefined;
  if (type === 'set') return value;
  return type === 'add' ? added(existing, value) : without(existing, value);
}

/** A removed list element leaves a gap until the end, so that the other positions keep meaning what they meant before. */
function removeChild(children: Record<string | number, Attribute | undefined>, last: string | number): void {
  if (!Array.isArray(children)) delete children[last];
  else if (typeof last === 'number' && last < children.length) children[last] = undefined;
}

function setChild(children: Record<string | number, Attribute | undefined>, last: string | number, value: Attribute): void {
  if (Array.isArray(children) && typeof last === 'number' && last > children.length) children.push(value);
  else children[last] = value;
}

function closeGaps(value: Open): void {
  if (value.L) value.L = value.L.filter((element) => element !== undefined);
  for (const child of value.L ?? Object.values(value.M ?? {})) closeGaps(child as Open);
}

function added(existing: Attribute | undefined, value: Attribute): Attribute {
  if (value.N !== undefined) return { N: addDecimals(existing?.N ?? '0', value.N) };
  const [kind, elements] = setOf(value);
  return { [kind]: [...new Set([...elementsOf(existing, kind), ...elements])] };
}

function without(existing: Attribute | undefined, value: Attribute): Attribute | undefined {
  const [kind, elements] = setOf(value);
  const rest = elementsOf(existing, kind).filter((element) => !elements.includes(element));
  return rest.length > 0 ? { [kind]: rest } : undefined;
}

const elementsOf = (value: Attribute | undefined, kind: 'SS' | 'NS' | 'BS'): readonly string[] => value?.[kind] ?? [];

function setOf(value: Attribute): ['SS' | 'NS' | 'BS', readonly string[]] {
  const kind = kindOf(value);
  if (kind !== 'SS' && kind !== 'NS' && kind !== 'BS') throw wrongType();
  return [kind, elementsOf(value, kind)];
}

function resolve(value: Value, item: Item, given: Values | undefined): Attribute {
  const found = resolveOptional(value, item, given);
  if (!found) throw missing();
  return found;
}

function resolveOptional(value: Value, item: Item, given: Values | undefined): Attribute | undefined {
  if (Array.isArray(value)) return db.mapPath(value as Path, item) as Attribute | undefined;
  if (isHole(value)) return valueIn(value, given);
  const { type, name, args } = value as Call;
  const [left, right] = (args ?? []) as [Value, Value];
  if (type === 'add' || type === 'subtract') return arithmetic(type, resolve(left, item, given), resolve(right, item, given));
  if (type === 'function' && name === 'if_not_exists') return resolveOptional(left, item, given) ?? resolve(right, item, given);
  if (type === 'function' && name === 'list_append') return joined(resolve(left, item, given), resolve(right, item, given));
  return value as Attribute;
}

function arithmetic(type: 'add' | 'subtract', left: Attribute, right: Attribute): Attribute {
  if (left.N === undefined || right.N === undefined) throw wrongType();
  return { N: addDecimals(left.N, type === 'add' ? right.N : right.N.startsWith('-') ? right.N.slice(1) : `-${right.N}`) };
}

function joined(left: Attribute, right: Attribute): Attribute {
  if (!left.L || !right.L) throw wrongType();
  return { L: [...left.L, ...right.L] };
}

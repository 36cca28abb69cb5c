import { type Item, sameValue } from './attribute.ts';
import { itemBytes } from './item-size.ts';
import { type Index, projection, staysInIndex, type Table } from './table.ts';

const KILOBYTE = 1024;
const unitsOf = (bytes: number, unitBytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));

export const unitsOfWrite = (bytes: number): number => unitsOf(bytes, KILOBYTE);

/** Strongly consistent reads; an eventually consistent one costs half. */
export const readUnits = (bytes: number, consistent: boolean): number => unitsOf(bytes, 4 * KILOBYTE) * (consistent ? 1 : 0.5);

export interface WriteUnits {
  readonly table: number;
  readonly indexes: Readonly<Record<string, number>>;
}

export function totalUnits({ table, indexes }: WriteUnits): number {
  let total = table;
  for (const name in indexes) total += indexes[name] as number;
  return total;
}

/** A write costs the larger of the images before and after, in the table and in each index whose entry it changes. */
export function writeUnits(table: Table, old: Item | undefined, next: Item | undefined): WriteUnits {
  const indexes: Record<string, number> = {};
  for (const index of table.indexes.values()) {
    if (!staysInIndex(index, old, next))
      indexes[index.definition.IndexName] = indexUnits(index, projection(index, old), projection(index, next));
  }
  return { table: larger(old, next), indexes };
}

/** An entry whose key changes is deleted and written anew. */
function indexUnits({ keyNames }: Index, before: Item | undefined, after: Item | undefined): number {
  const moved = before && after && keyNames.some((name) => !sameValue(before[name], after[name]));
  return moved ? larger(before, undefined) + larger(after, undefined) : larger(before, after);
}

function larger(old: Item | undefined, next: Item | undefined): number {
  return unitsOfWrite(Math.max(old ? itemBytes(old) : 0, next ? itemBytes(next) : 0));
}

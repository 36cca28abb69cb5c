import { type Item, sameItem } from './attribute.ts';
import { itemBytes } from './item-size.ts';
import { keyNames, projection, type Table } from './table.ts';

const KILOBYTE = 1024;
const unitsOf = (bytes: number, unitBytes: number): number => Math.max(1, Math.ceil(bytes / unitBytes));

/** Strongly consistent reads; an eventually consistent one costs half. */
export const readUnits = (bytes: number, consistent: boolean): number => unitsOf(bytes, 4 * KILOBYTE) * (consistent ? 1 : 0.5);

export interface WriteUnits {
  readonly table: number;
  readonly indexes: Readonly<Record<string, number>>;
}

export const totalUnits = (units: WriteUnits): number => Object.values(units.indexes).reduce((total, one) => total + one, units.table);

/** A write costs the larger of the images before and after, in the table and in each index whose entry it changes. */
export function writeUnits(table: Table, old: Item | undefined, next: Item | undefined): WriteUnits {
  const indexes: Record<string, number> = {};
  for (const { definition } of table.indexes.values()) {
    const units = indexUnits(projection(table, definition, old), projection(table, definition, next), keyNames(definition.KeySchema));
    if (units > 0) indexes[definition.IndexName] = units;
  }
  return { table: larger(old, next), indexes };
}

/** An entry whose key changes is deleted and written anew. */
function indexUnits(before: Item | undefined, after: Item | undefined, keys: readonly string[]): number {
  if (sameItem(before, after)) return 0;
  const moved = before && after && keys.some((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return moved ? larger(before, undefined) + larger(after, undefined) : larger(before, after);
}

function larger(old: Item | undefined, next: Item | undefined): number {
  return unitsOf(Math.max(old ? itemBytes(old) : 0, next ? itemBytes(next) : 0), KILOBYTE);
}

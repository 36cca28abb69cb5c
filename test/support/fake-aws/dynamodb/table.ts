import { type Attribute, type Item, sameItem } from './attribute.ts';
import { type Collection, createCollection, type Position, partitionOf } from './collection.ts';
import { createStream, type Stream } from './stream.ts';

export interface KeyElement {
  readonly AttributeName: string;
  readonly KeyType: 'HASH' | 'RANGE';
}
export interface IndexDefinition {
  readonly IndexName: string;
  readonly KeySchema: readonly KeyElement[];
  readonly Projection: { readonly ProjectionType: 'ALL' | 'KEYS_ONLY' | 'INCLUDE'; readonly NonKeyAttributes?: readonly string[] };
}
/** The members of CreateTable's input the fake acts on, so that one definition serves it and an emulator. */
export interface TableDefinition {
  readonly TableName: string;
  readonly KeySchema: readonly KeyElement[];
  readonly AttributeDefinitions: readonly { readonly AttributeName: string; readonly AttributeType: 'S' | 'N' | 'B' }[];
  readonly GlobalSecondaryIndexes?: readonly IndexDefinition[];
  /** Name of the attribute that holds the expiry in epoch seconds. */
  readonly timeToLiveAttribute?: string;
}

export interface Index {
  readonly definition: IndexDefinition;
  readonly entries: Collection;
}
export interface Table {
  readonly definition: TableDefinition;
  readonly items: Collection;
  readonly indexes: ReadonlyMap<string, Index>;
  readonly stream: Stream;
}

export function createTable(definition: TableDefinition, now: () => number): Table {
  const indexes = (definition.GlobalSecondaryIndexes ?? []).map((index) => ({ definition: index, entries: createCollection() }));
  return {
    definition,
    items: createCollection(),
    indexes: new Map(indexes.map((index) => [index.definition.IndexName, index])),
    stream: createStream(definition, now),
  };
}

export const keyNames = (schema: readonly KeyElement[]): string[] => schema.map((element) => element.AttributeName);

export const keyOf = (table: Table, item: Item): Item => pick(item, keyNames(table.definition.KeySchema));

export const idOf = (table: Table, item: Item): string => JSON.stringify(keyNames(table.definition.KeySchema).map((name) => item[name]));

export function positionOf(table: Table, schema: readonly KeyElement[], item: Item): Position {
  const [hash, range] = keyNames(schema);
  return { partition: partitionOf(item[hash as string] as Attribute), sort: range ? item[range] : undefined, id: idOf(table, item) };
}

/** What an index holds of an item; nothing when the item lacks one of the index keys (a sparse index). */
export function projection(table: Table, index: IndexDefinition, item: Item | undefined): Item | undefined {
  const names = keyNames(index.KeySchema);
  if (!item || names.some((name) => item[name] === undefined)) return undefined;
  if (index.Projection.ProjectionType === 'ALL') return item;
  return pick(item, [...names, ...keyNames(table.definition.KeySchema), ...(index.Projection.NonKeyAttributes ?? [])]);
}

export function store(table: Table, id: string, old: Item | undefined, next: Item | undefined, userIdentity?: object): void {
  if (sameItem(old, next)) return;
  if (next) table.items.put({ ...positionOf(table, table.definition.KeySchema, next), item: next });
  else table.items.remove(id);
  for (const { definition, entries } of table.indexes.values()) {
    const entry = projection(table, definition, next);
    if (entry) entries.put({ ...positionOf(table, definition.KeySchema, entry), item: entry });
    else entries.remove(id);
  }
  table.stream.append({ keys: keyOf(table, (next ?? old) as Item), old, next, userIdentity });
}

function pick(item: Item, names: readonly string[]): Item {
  return Object.fromEntries(names.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])));
}

import { type Attribute, type Item, sameItem, sameValue } from './attribute.ts';
import { type Collection, createCollection, type Position, partitionOf, type ReadableCollection } from './collection.ts';
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

/** A table or an index as it is read. */
export interface Source<Entries extends ReadableCollection = ReadableCollection> {
  readonly schema: readonly KeyElement[];
  readonly entries: Entries;
}
export interface Index<Entries extends ReadableCollection = Collection> extends Source<Entries> {
  readonly definition: IndexDefinition;
  readonly keyNames: readonly string[];
  /** Of every attribute it holds; undefined for all. */
  readonly projected: readonly string[] | undefined;
}
export interface ReadableTable {
  readonly definition: TableDefinition;
  readonly keyNames: readonly string[];
  readonly items: ReadableCollection;
  readonly indexes: ReadonlyMap<string, Index<ReadableCollection>>;
}
export interface Table extends ReadableTable {
  readonly items: Collection;
  readonly indexes: ReadonlyMap<string, Index>;
  readonly stream: Stream;
}

export function createTable(definition: TableDefinition, now: () => number): Table {
  const ownNames = keyNames(definition.KeySchema);
  const indexes = (definition.GlobalSecondaryIndexes ?? []).map((index): [string, Index] => {
    const { KeySchema: schema, Projection } = index;
    const names = keyNames(schema);
    const projected = [...new Set([...names, ...ownNames, ...(Projection.NonKeyAttributes ?? [])])];
    const isAll = Projection.ProjectionType === 'ALL';
    return [
      index.IndexName,
      { definition: index, schema, keyNames: names, projected: isAll ? undefined : projected, entries: createCollection() },
    ];
  });
  return {
    definition,
    keyNames: ownNames,
    items: createCollection(),
    indexes: new Map(indexes),
    stream: createStream(definition, now),
  };
}

export const keyNames = (schema: readonly KeyElement[]): string[] => schema.map((element) => element.AttributeName);

const keyOf = (table: Table, item: Item): Item => pick(item, table.keyNames);

export function idOf({ keyNames: [hash, range] }: ReadableTable, item: Item): string {
  const first = JSON.stringify(item[hash as string]);
  return range === undefined ? first : `${first}${JSON.stringify(item[range])}`;
}

/** @param id of the item, when it is known already */
export function positionOf(table: ReadableTable, schema: readonly KeyElement[], item: Item, id = idOf(table, item)): Position {
  const [hash, range] = schema;
  const sort = range ? item[range.AttributeName] : undefined;
  return { partition: partitionOf(item[(hash as KeyElement).AttributeName] as Attribute), sort, id };
}

/** What an index holds of an item; nothing when the item lacks one of the index keys (a sparse index). */
export function projection({ keyNames: names, projected }: Index, item: Item | undefined): Item | undefined {
  if (!item || names.some((name) => item[name] === undefined)) return undefined;
  return projected === undefined ? item : pick(item, projected);
}

/** Whether a write leaves what the index holds of an item as it was. */
export function staysInIndex({ keyNames: names, projected }: Index, old: Item | undefined, next: Item | undefined): boolean {
  const isIn = (item: Item | undefined): item is Item => item !== undefined && names.every((name) => item[name] !== undefined);
  if (!isIn(old) || !isIn(next)) return isIn(old) === isIn(next);
  return projected === undefined ? sameItem(old, next) : projected.every((name) => sameValue(old[name], next[name]));
}

export function store(table: Table, id: string, old: Item | undefined, next: Item | undefined, userIdentity?: object): void {
  if (sameItem(old, next)) return;
  if (next) {
    const position = table.items.find(id) ?? positionOf(table, table.definition.KeySchema, next, id);
    table.items.put({ partition: position.partition, sort: position.sort, id, item: next });
  } else table.items.remove(id);
  for (const index of table.indexes.values()) {
    if (staysInIndex(index, old, next)) continue;
    const entry = projection(index, next);
    if (entry) index.entries.put({ ...positionOf(table, index.schema, entry, id), item: entry });
    else index.entries.remove(id);
  }
  table.stream.append({ keys: keyOf(table, (next ?? old) as Item), old, next, userIdentity });
}

function pick(item: Item, names: readonly string[]): Item {
  const picked: Record<string, Attribute> = {};
  for (const name of names) if (item[name] !== undefined) picked[name] = item[name];
  return picked;
}

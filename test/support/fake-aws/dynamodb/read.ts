import db from 'dynalite/db/index.js';
import { validationError } from '../aws-error.ts';
import type { Attribute, Item, Path } from './attribute.ts';
import { comparePositions, type Entry, partitionOf, segmentOf } from './collection.ts';
import { compare, holds } from './condition.ts';
import { itemBytes } from './item-size.ts';
import { type IndexDefinition, type KeyElement, keyNames, positionOf, type ReadableTable, type Source } from './table.ts';
import { type Checked, checkKey, refuse } from './validate.ts';

export interface Page {
  readonly items: readonly Item[];
  readonly scanned: number;
  /** Bytes looked at, which is what a read costs, found or filtered. */
  readonly bytes: number;
  readonly lastKey?: Item;
}

const MAX_PAGE_BYTES = 1024 * 1024;

export function project(item: Item, paths: readonly Path[] | undefined): Item {
  return paths ? (db.mapPaths(paths, item) as Item) : item;
}

/** @throws AwsError ValidationException */
export function queryPage(table: ReadableTable, data: Checked): Page {
  const { schema, entries } = source(table, data);
  checkKeyConditions(table, schema, data);
  const [hash, range] = keyNames(schema);
  const value = data.KeyConditions[hash as string]?.AttributeValueList[0] as Attribute;
  const condition = range ? data.KeyConditions[range] : undefined;
  const matching = entries
    .inPartition(partitionOf(value))
    .filter((entry) => !condition || meets(entry.item[range as string], condition.ComparisonOperator, condition.AttributeValueList));
  return readPage(table, schema, data.ScanIndexForward === false ? matching.reverse() : matching, data);
}

const NUMERIC: Readonly<Record<string, string>> = { LT: '<', LE: '<=', GT: '>', GE: '>=' };

function meets(value: Attribute | undefined, operator: string, operands: readonly Attribute[]): boolean {
  const sign = NUMERIC[operator];
  return sign === undefined ? db.compare(operator, value, operands) : compare(sign, value, operands);
}

/** @throws AwsError ValidationException */
export function scanPage(table: ReadableTable, data: Checked): Page {
  const { schema, entries } = source(table, data);
  const { Segment: segment, TotalSegments: total } = data;
  const matching = total === undefined ? entries.all() : entries.all().filter((entry) => segmentOf(entry.partition, total) === segment);
  return readPage(table, schema, matching, data);
}

function source(table: ReadableTable, data: Checked): Source {
  if (data.IndexName === undefined) return { schema: table.definition.KeySchema, entries: table.items };
  const index = table.indexes.get(data.IndexName);
  if (!index) throw validationError(`The table does not have the specified index: ${data.IndexName}`);
  if (data.ConsistentRead) throw validationError('Consistent reads are not supported on global secondary indexes');
  refuseUnprojected(index.definition, data);
  return index;
}

function refuseUnprojected(index: IndexDefinition, data: Checked): void {
  if (data.Select !== 'ALL_ATTRIBUTES' || index.Projection.ProjectionType === 'ALL') return;
  throw validationError(
    `One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.IndexName} because its projection type is not ALL`,
  );
}

function checkKeyConditions(table: ReadableTable, schema: readonly KeyElement[], data: Checked): void {
  const [hash, range] = keyNames(schema) as [string, string | undefined];
  const names = Object.keys(data.KeyConditions);
  const missed = [hash, ...(names.length > 1 && range ? [range] : [])].find((name) => !data.KeyConditions[name]);
  if (missed) throw validationError(`Query condition missed key schema element: ${missed}`);
  if (names.length > 1 && !range) throw validationError('Query key condition not supported');
  if (data.KeyConditions[hash]?.ComparisonOperator !== 'EQ') throw validationError('Query key condition not supported');
  for (const { AttributeName: name, AttributeType: type } of table.definition.AttributeDefinitions) {
    if (data.KeyConditions[name]?.AttributeValueList.some((value) => value[type] === undefined)) {
      throw validationError('One or more parameter values were invalid: Condition parameter type does not match schema type');
    }
  }
  const filtered = [hash, range].find((name) => name !== undefined && data._filter?.pathHeads[name]);
  if (filtered === undefined) return;
  throw validationError(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${filtered}`);
}

function readPage(table: ReadableTable, schema: readonly KeyElement[], matching: readonly Entry[], data: Checked): Page {
  refuse(db.validateKeyPaths(data._projection?.nestedPaths, table.definition));
  const rest = after(table, schema, matching, data);
  let bytes = 0;
  const looked: Entry[] = [];
  for (const entry of rest) {
    if (looked.length === data.Limit || bytes >= MAX_PAGE_BYTES) break;
    looked.push(entry);
    bytes += itemBytes(entry.item);
  }
  const found = looked.filter(({ item }) => !data._filter || holds(data._filter.expression, item, data._values));
  const more = looked.length === data.Limit || bytes >= MAX_PAGE_BYTES;
  const last = more ? looked.at(-1) : undefined;
  return {
    items: found.map(({ item }) => project(item, data._projection?.paths)),
    scanned: looked.length,
    bytes,
    ...(last && { lastKey: startKey(table, schema, last.item) }),
  };
}

const startNames = (table: ReadableTable, schema: readonly KeyElement[]): string[] => [
  ...new Set([...keyNames(table.definition.KeySchema), ...keyNames(schema)]),
];

const startKey = (table: ReadableTable, schema: readonly KeyElement[], item: Item): Item =>
  Object.fromEntries(startNames(table, schema).map((name) => [name, item[name] as Attribute]));

/** What follows the start key, which need not exist any more. */
function after(table: ReadableTable, schema: readonly KeyElement[], matching: readonly Entry[], data: Checked): readonly Entry[] {
  const start = data.ExclusiveStartKey;
  if (!start) return matching;
  const names = startNames(table, schema);
  if (Object.keys(start).length !== names.length || names.some((name) => !start[name])) {
    throw validationError('The provided starting key is invalid');
  }
  checkKey(table, Object.fromEntries(keyNames(table.definition.KeySchema).map((name) => [name, start[name] as Attribute])));
  const position = positionOf(table, schema, start);
  const direction = data.ScanIndexForward === false ? -1 : 1;
  return matching.filter((entry) => comparePositions(entry, position) * direction > 0);
}

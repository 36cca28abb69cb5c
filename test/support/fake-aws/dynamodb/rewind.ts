import { type Entry, overlaid } from './collection.ts';
import { type Index, idOf, positionOf, projection, type ReadableTable, type Table } from './table.ts';

/** The table as it was some changes ago, which is what an eventually consistent read may still see. */
export function rewound(table: Table, changes: number): ReadableTable {
  if (changes === 0) return table;
  const past = new Map<string, Entry | undefined>();
  for (const { dynamodb } of table.stream.records.slice(-changes).toReversed()) {
    const id = idOf(table, dynamodb.Keys);
    const item = dynamodb.OldImage;
    past.set(id, item && { ...positionOf(table, table.definition.KeySchema, item, id), item });
  }
  const indexes = [...table.indexes].map(
    ([name, index]) => [name, { ...index, entries: overlaid(index.entries, pastOf(table, index, past)) }] as const,
  );
  return { ...table, items: overlaid(table.items, past), indexes: new Map(indexes) };
}

function pastOf(table: Table, index: Index, past: ReadonlyMap<string, Entry | undefined>): Map<string, Entry | undefined> {
  return new Map(
    [...past].map(([id, entry]) => {
      const item = projection(index, entry?.item);
      return [id, item && { ...positionOf(table, index.schema, item, id), item }];
    }),
  );
}

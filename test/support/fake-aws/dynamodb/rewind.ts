import { createTable, idOf, store, type Table } from './table.ts';

/** The table as it was some changes ago, which is what an eventually consistent read may still see. */
export function rewound(table: Table, changes: number, now: () => number): Table {
  if (changes === 0) return table;
  const past = createTable(table.definition, now);
  for (const { id, item } of table.items.all()) store(past, id, undefined, item);
  for (const { dynamodb } of table.stream.records.slice(-changes).toReversed()) {
    store(past, idOf(table, dynamodb.Keys), dynamodb.NewImage, dynamodb.OldImage);
  }
  return past;
}

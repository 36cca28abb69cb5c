import { type Answer, AwsError, answerOf } from './aws-error.ts';
import type { Item } from './dynamodb/attribute.ts';
import { createOperations } from './dynamodb/operations.ts';
import type { StreamRecord } from './dynamodb/stream.ts';
import { createTable, idOf, type Table, type TableDefinition } from './dynamodb/table.ts';
import { expireItems } from './dynamodb/time-to-live.ts';
import { createTransactions, type Finish } from './dynamodb/transaction.ts';
import type { Lag, Units, World } from './dynamodb/world.ts';

export type { Item, StreamRecord, TableDefinition };

/**
 * DynamoDB as a state machine: an operation and its input give an answer, at once and always the same one.
 *
 * Does not protect against what a single, always available table never shows: stale reads, throttling and lost answers come from
 * the fault hook of the request handler, conflicts from there or from `begin`. Not built: local indexes, PartiQL, TransactGetItems,
 * BatchWriteItem, and the request style before expressions (refused with an ordinary Error).
 */
export interface FakeDynamodb {
  createTable(definition: TableDefinition): void;
  handle(operation: string, input: Record<string, unknown>, lag?: Lag): Answer;
  /** A transaction that takes its time: until its finish it holds its items, and every other write of them is refused as a conflict. */
  begin(input: Record<string, unknown>): { readonly error: AwsError } | { readonly finish: () => Answer };
  /** Every change so far, oldest first. */
  stream(tableName: string): readonly StreamRecord[];
  /** Every item, in the order of a scan; for assertions. */
  items(tableName: string): readonly Item[];
  /** Every item, in no order; for whoever looks often. */
  entries(tableName: string): Iterable<{ readonly item: Item }>;
  item(tableName: string, key: Item): Item | undefined;
  /** The time-to-live sweep: deletes what expired before `nowMs`. */
  expire(nowMs: number): void;
  /** Capacity billed so far, failed conditions included. */
  readonly billed: Readonly<Units>;
}

/** @param options.now epoch milliseconds; stamps stream records and forgets request tokens */
export function createFakeDynamodb({ now }: { readonly now: () => number }): FakeDynamodb {
  const tables = new Map<string, Table>();
  const billed: Units = { read: 0, write: 0 };
  const tableOf = (name: string): Table => {
    const table = tables.get(name);
    if (!table) throw new AwsError('ResourceNotFoundException', 'Requested resource not found');
    return table;
  };
  const world: World = { tableOf, billed, now, held: new Set() };
  const begin = createTransactions(world);
  const operations = createOperations(world, begin);
  return {
    billed,
    createTable(definition) {
      tables.set(definition.TableName, createTable(definition, now));
    },
    handle: (operation, input, lag = {}) =>
      answerOf(() => {
        const run = operations[operation];
        if (!run) throw new AwsError('UnknownOperationException', `fake DynamoDB does not know ${operation}`);
        return run(input, lag);
      }),
    begin(input) {
      let finish: Finish | undefined;
      const refused = answerOf(() => {
        finish = begin(input);
        return {};
      });
      return 'error' in refused ? refused : { finish: () => answerOf(finish as Finish) };
    },
    stream: (tableName) => tableOf(tableName).stream.records,
    items: (tableName) =>
      tableOf(tableName)
        .items.all()
        .map((entry) => entry.item),
    entries: (tableName) => tableOf(tableName).items.entries(),
    item: (tableName, key) => tableOf(tableName).items.find(idOf(tableOf(tableName), key))?.item,
    expire: (nowMs) => expireItems(tables.values(), nowMs),
  };
}

import type { Item } from './attribute.ts';
import { readUnits, totalUnits } from './capacity.ts';
import { consumedByRead, consumedByWrite, wantsCapacity } from './consumed-capacity.ts';
import { itemBytes } from './item-size.ts';
import { type Page, project, queryPage, scanPage } from './read.ts';
import { rewound } from './rewind.ts';
import { idOf, type ReadableTable } from './table.ts';
import type { Finish } from './transaction.ts';
import { type Checked, check, checkKey } from './validate.ts';
import { conflictError, heldId, type Lag, type Operation, type World } from './world.ts';
import { carryOut, conditionFailed, planWrite, returnedAttributes } from './write.ts';

export function createOperations(world: World, begin: (input: Record<string, unknown>) => Finish): Readonly<Record<string, Operation>> {
  const write =
    (kind: 'PutItem' | 'UpdateItem' | 'DeleteItem'): Operation =>
    (input) =>
      writeOne(world, kind, check(kind, input));
  return {
    PutItem: write('PutItem'),
    UpdateItem: write('UpdateItem'),
    DeleteItem: write('DeleteItem'),
    GetItem: (input, lag) => getOne(lagging(world, lag), check('GetItem', input)),
    Query: (input, lag) => readMany(lagging(world, lag), check('Query', input), queryPage),
    Scan: (input, lag) => readMany(lagging(world, lag), check('Scan', input), scanPage),
    BatchGetItem: (input, lag) => getBatch(lagging(world, lag), check('BatchGetItem', input)),
    TransactWriteItems: (input) => begin(input)(),
  };
}

/** A failed condition is billed as well: it read the item to judge it. */
function writeOne({ tableOf, billed, held }: World, kind: 'PutItem' | 'UpdateItem' | 'DeleteItem', data: Checked): Record<string, unknown> {
  const table = tableOf(data.TableName);
  const plan = planWrite(table, kind, data);
  if (held.size > 0 && held.has(heldId(table, kind === 'PutItem' ? data.Item : data.Key))) throw conflictError();
  billed.write += totalUnits(plan.units);
  if (!plan.conditionHolds) throw conditionFailed(data, plan.old);
  carryOut(plan);
  return { ...returnedAttributes(data, plan), ...consumedByWrite(data, plan.units) };
}

interface Readable {
  readonly readable: (name: string, consistent: boolean | undefined) => ReadableTable;
  readonly billed: World['billed'];
}

function lagging({ tableOf, billed }: World, { changesBehind = 0 }: Lag): Readable {
  return { billed, readable: (name, consistent) => (consistent ? tableOf(name) : rewound(tableOf(name), changesBehind)) };
}

function getOne({ readable, billed }: Readable, data: Checked): Record<string, unknown> {
  const item = find(readable(data.TableName, data.ConsistentRead), data.Key);
  const units = readUnits(item ? itemBytes(item) : 0, data.ConsistentRead === true);
  billed.read += units;
  return { ...(item && { Item: project(item, data._projection?.paths) }), ...consumedByRead(data, units) };
}

function readMany(
  { readable, billed }: Readable,
  data: Checked,
  read: (table: ReadableTable, data: Checked) => Page,
): Record<string, unknown> {
  const page = read(readable(data.TableName, data.ConsistentRead), data);
  const units = readUnits(page.bytes, data.ConsistentRead === true);
  billed.read += units;
  return {
    ...(data.Select !== 'COUNT' && { Items: page.items }),
    Count: page.items.length,
    ScannedCount: page.scanned,
    ...(page.lastKey && { LastEvaluatedKey: page.lastKey }),
    ...consumedByRead(data, units),
  };
}

function getBatch({ readable, billed }: Readable, data: Checked): Record<string, unknown> {
  const Responses: Record<string, Item[]> = {};
  const ConsumedCapacity: object[] = [];
  for (const [TableName, { Keys, ConsistentRead, _projection }] of Object.entries(data.RequestItems)) {
    const items = Keys.map((key) => find(readable(TableName, ConsistentRead), key));
    const CapacityUnits = items.reduce((sum, item) => sum + readUnits(item ? itemBytes(item) : 0, ConsistentRead === true), 0);
    billed.read += CapacityUnits;
    Responses[TableName] = items.flatMap((item) => (item ? [project(item, _projection?.paths)] : []));
    ConsumedCapacity.push({ TableName, CapacityUnits });
  }
  return { Responses, UnprocessedKeys: {}, ...(wantsCapacity(data) && { ConsumedCapacity }) };
}

function find(table: ReadableTable, key: Item): Item | undefined {
  checkKey(table, key);
  return table.items.find(idOf(table, key))?.item;
}

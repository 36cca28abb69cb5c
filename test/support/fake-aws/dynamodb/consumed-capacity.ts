import { totalUnits, type WriteUnits } from './capacity.ts';

interface Wish {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly ReturnConsumedCapacity?: string;
}

export const wantsCapacity = (data: { readonly ReturnConsumedCapacity?: string }): boolean =>
  data.ReturnConsumedCapacity === 'TOTAL' || data.ReturnConsumedCapacity === 'INDEXES';

export function consumedByRead(data: Wish, units: number): Record<string, unknown> {
  const indexes = data.IndexName === undefined ? {} : { [data.IndexName]: units };
  return consumed(data, { table: data.IndexName === undefined ? units : 0, indexes });
}

export const consumedByWrite = (data: Wish, units: WriteUnits): Record<string, unknown> => consumed(data, units);

function consumed(data: Wish, units: WriteUnits): Record<string, unknown> {
  if (!wantsCapacity(data)) return {};
  const total = { TableName: data.TableName, CapacityUnits: totalUnits(units) };
  if (data.ReturnConsumedCapacity === 'TOTAL') return { ConsumedCapacity: total };
  const indexes = Object.entries(units.indexes).map(([name, one]) => [name, { CapacityUnits: one }]);
  const parts = indexes.length > 0 ? { GlobalSecondaryIndexes: Object.fromEntries(indexes) } : {};
  return { ConsumedCapacity: { ...total, Table: { CapacityUnits: units.table }, ...parts } };
}

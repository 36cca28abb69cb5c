import db from 'dynalite/db/index.js';
import { AwsError, validationError } from '../aws-error.ts';
import { canonicalItem, type Item } from './attribute.ts';
import { type WriteUnits, writeUnits } from './capacity.ts';
import { holds } from './condition.ts';
import { idOf, store, type Table } from './table.ts';
import { applyUpdate } from './update.ts';
import { type Checked, checkKey, checkSize, refuse } from './validate.ts';

export type WriteKind = 'PutItem' | 'UpdateItem' | 'DeleteItem' | 'ConditionCheck';

/** What a write would do, before it is done: a transaction plans all of its actions and only then does any. */
export interface WritePlan {
  readonly table: Table;
  readonly id: string;
  readonly conditionHolds: boolean;
  readonly old: Item | undefined;
  readonly next: Item | undefined;
  readonly units: WriteUnits;
}

/** @throws AwsError ValidationException, when the input does not fit the table or the item as it is */
export function planWrite(table: Table, kind: WriteKind, data: Checked): WritePlan {
  checkAgainstTable(table, kind, data);
  const id = idOf(table, kind === 'PutItem' ? data.Item : data.Key);
  const old = table.items.find(id)?.item;
  const conditionHolds = !data._condition || holds(data._condition.expression, old ?? {}, data._values);
  const next = conditionHolds ? nextImage(table, kind, data, old) : old;
  const wanted = kind === 'PutItem' ? canonicalItem(data.Item) : next;
  const units = conditionHolds ? writeUnits(table, old, next) : { table: writeUnits(table, old, wanted).table, indexes: {} };
  return { table, id, conditionHolds, old, next, units };
}

export const carryOut = ({ table, id, old, next }: WritePlan): void => store(table, id, old, next);

export function conditionFailed(data: Checked, old: Item | undefined): AwsError {
  const fields = data.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && old ? { Item: old } : {};
  return new AwsError('ConditionalCheckFailedException', 'The conditional request failed', { fields });
}

/** The `Attributes` of the answer, for every value of ReturnValues. */
export function returnedAttributes(data: Checked, { old, next }: WritePlan): { Attributes?: Item } {
  if (data.ReturnValues === 'ALL_OLD') return old ? { Attributes: old } : {};
  if (data.ReturnValues === 'ALL_NEW') return next ? { Attributes: next } : {};
  const image = data.ReturnValues === 'UPDATED_OLD' ? old : data.ReturnValues === 'UPDATED_NEW' ? next : undefined;
  if (!image || !data._updates) return {};
  const attributes = db.mapPaths(data._updates.paths, image) as Item;
  return Object.keys(attributes).length > 0 ? { Attributes: attributes } : {};
}

function checkAgainstTable(table: Table, kind: WriteKind, data: Checked): void {
  if (kind === 'PutItem') {
    checkSize(data.Item, 'Item size has exceeded the maximum allowed size');
    refuse(db.validateItem(data.Item, table.definition));
    checkIndexKeys(table, data.Item);
    return;
  }
  checkKey(table, data.Key);
  if (data._updates) refuse(db.validateUpdates(undefined, data._updates, table.definition));
}

function nextImage(table: Table, kind: WriteKind, data: Checked, old: Item | undefined): Item | undefined {
  if (kind === 'PutItem') return canonicalItem(data.Item);
  if (kind === 'DeleteItem') return undefined;
  if (kind === 'ConditionCheck') return old;
  const next = applyUpdate(old ?? data.Key, data._updates?.sections ?? [], data._values);
  checkSize(next, 'Item size to update has exceeded the maximum allowed size');
  checkIndexKeys(table, next);
  return next;
}

/** An index key must have the declared type and must not be empty; the attribute may be absent. */
function checkIndexKeys(table: Table, item: Item): void {
  for (const { definition } of table.indexes.values()) {
    for (const { AttributeName: name } of definition.KeySchema) {
      const type = table.definition.AttributeDefinitions.find((attribute) => attribute.AttributeName === name)?.AttributeType;
      const value = item[name];
      if (!value || !type) continue;
      if (value[type] === undefined)
        throw validationError('The update expression attempted to update the secondary index key to unsupported type');
      if (value[type] === '') {
        throw validationError(
          `One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: ${definition.IndexName}, IndexKey: ${name}`,
        );
      }
    }
  }
}

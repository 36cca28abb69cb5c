import db from 'dynalite/db/index.js';
import batchGetItem from 'dynalite/validations/batchGetItem.js';
import deleteItem from 'dynalite/validations/deleteItem.js';
import getItem from 'dynalite/validations/getItem.js';
import validations from 'dynalite/validations/index.js';
import putItem from 'dynalite/validations/putItem.js';
import query from 'dynalite/validations/query.js';
import scan from 'dynalite/validations/scan.js';
import updateItem from 'dynalite/validations/updateItem.js';
import { AwsError, validationError } from '../aws-error.ts';
import type { Attribute, Item, Path } from './attribute.ts';
import type { Expression } from './condition.ts';
import type { Values } from './hole.ts';
import { itemBytes } from './item-size.ts';
import { createKnownRequests } from './known-requests.ts';
import type { ReadableTable } from './table.ts';
import type { Section } from './update.ts';

/** An input that passed the service's own checks, with its expressions parsed. */
export interface Checked {
  readonly TableName: string;
  readonly Key: Item;
  readonly Item: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
  readonly ReturnConsumedCapacity?: string;
  readonly ConsistentRead?: boolean;
  readonly IndexName?: string;
  readonly Limit?: number;
  readonly Segment?: number;
  readonly TotalSegments?: number;
  readonly ScanIndexForward?: boolean;
  readonly Select?: string;
  readonly ExclusiveStartKey?: Item;
  readonly KeyConditions: Record<string, { ComparisonOperator: string; AttributeValueList: Attribute[] }>;
  readonly RequestItems: Record<string, { Keys: Item[]; ConsistentRead?: boolean; _projection?: { paths: Path[] } }>;
  readonly _condition?: { expression: Expression };
  readonly _filter?: { expression: Expression; pathHeads: Record<string, boolean>; nestedPaths: object };
  readonly _projection?: { paths: Path[]; nestedPaths: object };
  readonly _updates?: { sections: Section[]; paths: Path[] };
  /** What stands in the holes of the expressions. */
  readonly _values?: Values | undefined;
}

const checks = {
  PutItem: putItem,
  UpdateItem: updateItem,
  DeleteItem: deleteItem,
  GetItem: getItem,
  Query: query,
  Scan: scan,
  BatchGetItem: batchGetItem,
};
export type CheckedOperation = keyof typeof checks;

/** Requests may be written without expressions in an older style; the fake refuses it rather than half know it. */
const LEGACY = ['Expected', 'AttributeUpdates', 'QueryFilter', 'ScanFilter', 'KeyConditions', 'AttributesToGet', 'ConditionalOperator'];
const MAX_ITEM_BYTES = 400 * 1024;

/**
 * Checks an input as the service does before it looks at any item.
 *
 * @throws AwsError ValidationException or SerializationException
 */
export function check(operation: CheckedOperation, input: object): Checked {
  const known = knownRequests.find(operation, input as Record<string, unknown>);
  if (known) return known as unknown as Checked;
  const legacy = LEGACY.find((name) => name in input);
  if (legacy) throw new Error(`fake DynamoDB: ${legacy} is not supported, use an expression`);
  const { types, custom } = checks[operation];
  const copy = JSON.parse(JSON.stringify(input)) as Record<string, unknown>;
  const onFailure = copy['ReturnValuesOnConditionCheckFailure'];
  return asAwsError(() => {
    const data = validations.checkTypes(copy, types);
    validations.checkValidations(data, types, custom, ANY_SIZE);
    if (onFailure !== undefined) data['ReturnValuesOnConditionCheckFailure'] = checkOnFailure(onFailure);
    knownRequests.keep(operation, input as Record<string, unknown>, data);
    return data as unknown as Checked;
  });
}

/** Sizes are judged later, in bytes; dynalite counts characters. */
const ANY_SIZE = { options: { maxItemSize: Number.POSITIVE_INFINITY } };
const knownRequests = createKnownRequests();

function checkOnFailure(value: unknown): unknown {
  if (value === 'ALL_OLD' || value === 'NONE') return value;
  throw validationError(
    `1 validation error detected: Value '${String(value)}' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]`,
  );
}

function asAwsError<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): unknown {
  const body = (error as { body?: { __type: string; message?: string; Message?: string } }).body;
  if (!body) return error;
  return new AwsError(body.__type.split('#')[1] as string, body.message ?? body.Message ?? '');
}

export function refuse(invalid: Error | undefined | null): void {
  if (invalid) throw translated(invalid);
}

export const checkKey = (table: ReadableTable, key: Item): void => refuse(db.validateKey(key, table.definition));

export function checkSize(item: Item, message: string): void {
  if (itemBytes(item) > MAX_ITEM_BYTES) throw validationError(message);
}

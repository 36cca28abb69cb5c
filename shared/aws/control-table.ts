import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { AttributeTest, ControlAnswer, ControlRow, ControlStore, RowChange, RowCondition } from '#shared/control/control-store.ts';
import { createPlaceholders, type PlaceholderTable } from '#shared/item/expression.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';
import { createTogetherReader } from './together-reader.ts';

/**
 * The Control table. The SDK repeats a request that got no answer, so an addition may be applied twice and a condition may be
 * refused by the row that its own first copy wrote: rate slots are then lost, never granted twice.
 */
export function createControlTable(client: DynamoDBClient, tableName: string): ControlStore {
  const read = createTogetherReader<{ id: string }>(client, tableName);
  return {
    get: (id) => read({ id }),
    put: (id, attributes, condition = {}) =>
      answered(async () => {
        await client.send(new PutItemCommand({ ...conditionOf(tableName, condition), Item: toAttributeValues({ ...attributes, id }) }));
        return { ...attributes, id };
      }),
    update: (id, change, condition = {}) =>
      answered(async () => {
        const { Attributes = {} } = await client.send(new UpdateItemCommand(updateOf(tableName, id, change, condition)));
        return fromAttributeValues(Attributes);
      }),
    delete: (id, condition = {}) =>
      answered(async () => {
        await client.send(new DeleteItemCommand({ ...conditionOf(tableName, condition), Key: keyOf(id) }));
        return undefined;
      }),
  };
}

const keyOf = (id: string) => toAttributeValues({ id });

async function answered(write: () => Promise<ControlRow | undefined>): Promise<ControlAnswer> {
  try {
    return { accepted: true, row: await write() };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { accepted: false, row: error.Item === undefined ? undefined : fromAttributeValues(error.Item) };
  }
}

const conditionOf = (tableName: string, condition: RowCondition) => requestOf(tableName, condition, createPlaceholders());

function updateOf(tableName: string, id: string, { set = {}, add = {}, remove = [] }: RowChange, condition: RowCondition) {
  const x = createPlaceholders();
  const clauses = [
    clause(
      'SET',
      Object.entries(set)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${x.name(name)} = ${x.value(value)}`),
    ),
    clause(
      'ADD',
      Object.entries(add).map(([name, amount]) => `${x.name(name)} ${x.value(amount)}`),
    ),
    clause(
      'REMOVE',
      remove.map((name) => x.name(name)),
    ),
  ];
  const UpdateExpression = clauses.filter((text) => text !== '').join(' ');
  return { ...requestOf(tableName, condition, x), Key: keyOf(id), UpdateExpression, ReturnValues: 'ALL_NEW' } as const;
}

const clause = (word: string, parts: readonly string[]): string => (parts.length === 0 ? '' : `${word} ${parts.join(', ')}`);

function requestOf(TableName: string, condition: RowCondition, x: PlaceholderTable) {
  const tests = Object.entries(condition).map(([attribute, test]) => testOf(x.name(attribute), test, x));
  return {
    TableName,
    ...(tests.length === 0 ? {} : { ConditionExpression: tests.join(' AND '), ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const }),
    ...(Object.keys(x.names).length === 0 ? {} : { ExpressionAttributeNames: x.names }),
    ...(Object.keys(x.values).length === 0 ? {} : { ExpressionAttributeValues: toAttributeValues(x.values) }),
  };
}

function testOf(name: string, test: AttributeTest, x: PlaceholderTable): string {
  if (test === 'absent') return `attribute_not_exists(${name})`;
  if ('equals' in test) return `${name} = ${x.value(test.equals)}`;
  if ('between' in test) return `${name} BETWEEN ${x.value(test.between[0])} AND ${x.value(test.between[1])}`;
  if ('atMost' in test) return `${name} <= ${x.value(test.atMost)}`;
  if ('below' in test) return `${name} < ${x.value(test.below)}`;
  return `(attribute_not_exists(${name}) OR ${name} < ${x.value(test.absentOrBelow)})`;
}

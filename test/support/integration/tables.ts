import { type AttributeValue, GetItemCommand, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { fromAttributeValues, toAttributeValues } from '#shared/aws/attribute-values.ts';
import { type ItemKey, orderItemKey, USER_PREFIX } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { dynamodb } from './aws-clients.ts';
import { output } from './deployment.ts';
import { waitUntil } from './wait-until.ts';

export type Item = Record<string, unknown>;

async function getItem(tableName: string, key: Readonly<Record<string, unknown>>): Promise<Item | undefined> {
  const { Item: item } = await dynamodb.send(
    new GetItemCommand({ TableName: tableName, Key: toAttributeValues(key), ConsistentRead: true }),
  );
  return item === undefined ? undefined : fromAttributeValues(item);
}

async function scan(tableName: string, attribute: string, prefix: string): Promise<Item[]> {
  const items: Record<string, AttributeValue>[] = [];
  const request = {
    TableName: tableName,
    ConsistentRead: true,
    FilterExpression: 'begins_with(#attribute, :prefix)',
    ExpressionAttributeNames: { '#attribute': attribute },
    ExpressionAttributeValues: { ':prefix': { S: prefix } },
  };
  for await (const page of paginateScan({ client: dynamodb }, request)) items.push(...(page.Items ?? []));
  return items.map(fromAttributeValues);
}

export const stateItem = (key: ItemKey, tableName = output(STACK_OUTPUTS.stateTable)): Promise<Item | undefined> =>
  getItem(tableName, { ...key });

export const orderItem = (userId: string, orderId: string): Promise<Item | undefined> => stateItem(orderItemKey(userId, orderId));

/** Orders of every user whose id begins with the prefix. */
export const orderItems = (userPrefix: string): Promise<Item[]> =>
  scan(output(STACK_OUTPUTS.stateTable), 'pk', `${USER_PREFIX}${userPrefix}`);

/** Deliveries to every user whose id begins with the prefix, one row each. */
export const receipts = (userPrefix: string): Promise<Item[]> =>
  scan(output(STACK_OUTPUTS.mailTable), 'deliveryKey', `receipt:${userPrefix}`);

/** A row holds either a value or the token of somebody who is loading it. */
export const cacheRow = (key: string): Promise<Item | undefined> => getItem(output(STACK_OUTPUTS.cacheTable), { key });

/** Puts a row there as no code of ours would. */
export const putCacheRow = async (row: Item): Promise<void> =>
  void (await dynamodb.send(new PutItemCommand({ TableName: output(STACK_OUTPUTS.cacheTable), Item: toAttributeValues(row) })));

export const waitForStatus = (userId: string, orderId: string, status: string, withinMs = 30_000): Promise<Item> =>
  waitUntil({ what: `order ${userId}/${orderId} to be ${status}`, withinMs }, async (note) => {
    const item = await orderItem(userId, orderId);
    note(item?.['status']);
    return item?.['status'] === status ? item : undefined;
  });

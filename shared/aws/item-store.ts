import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { ItemWrite, WriteAnswer } from '#shared/item/expression.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';
import { conditionOf } from './condition-of.ts';
import { type PauseAfterConflict, writeTogether } from './write-together.ts';

/**
 * Sends the protocol's writes to the State table. A refused condition returns the old item, so nothing needs to be read.
 *
 * @param pauseAfterConflict for those who write several items together
 */
export const createItemStore = (
  client: DynamoDBClient,
  tableName: string,
  pauseAfterConflict: PauseAfterConflict = async () => undefined,
): ItemStore => ({
  async write(write: ItemWrite): Promise<WriteAnswer> {
    try {
      return { accepted: true, image: await send(client, tableName, write) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { accepted: false, old: error.Item === undefined ? undefined : fromAttributeValues(error.Item) };
    }
  },
  writeTogether: (writes) => writeTogether(client, tableName, writes, pauseAfterConflict),
  async read(key) {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: tableName, Key: toAttributeValues({ ...key }), ConsistentRead: true }),
    );
    return Item === undefined ? undefined : fromAttributeValues(Item);
  },
});

async function send(client: DynamoDBClient, tableName: string, write: ItemWrite): Promise<Record<string, unknown>> {
  const condition = conditionOf(tableName, write);
  if (write.item !== undefined) {
    await client.send(new PutItemCommand({ ...condition, Item: toAttributeValues(write.item) }));
    return { ...write.item };
  }
  const update = {
    ...condition,
    Key: toAttributeValues({ ...write.key }),
    UpdateExpression: write.update,
    ReturnValues: 'ALL_NEW',
  } as const;
  const { Attributes = {} } = await client.send(new UpdateItemCommand(update));
  return fromAttributeValues(Attributes);
}

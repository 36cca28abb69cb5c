import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { OVERDUE_SHARD } from '#shared/item/commit.ts';
import type { OverdueIndex, OverdueKey } from '#shared/rescue/rescue-overdue.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';

const INDEX_NAME = 'overdue';
const PAGE_SIZE = 100;

/** The sparse index of items whose job failed, the longest due first. Eventually consistent, as every index of its kind. */
export const createOverdueIndex = (client: DynamoDBClient, tableName: string): OverdueIndex => ({
  async page(untilMs, after) {
    const query = new QueryCommand({
      TableName: tableName,
      IndexName: INDEX_NAME,
      KeyConditionExpression: '#shard = :shard AND #at <= :until',
      ExpressionAttributeNames: { '#shard': 'overdueShard', '#at': 'overdueAtMs' },
      ExpressionAttributeValues: toAttributeValues({ ':shard': OVERDUE_SHARD, ':until': untilMs }),
      Limit: PAGE_SIZE,
      ...(after === undefined ? {} : { ExclusiveStartKey: toAttributeValues({ overdueShard: OVERDUE_SHARD, ...after }) }),
    });
    const { Items = [], LastEvaluatedKey } = await client.send(query);
    return { keys: Items.map((item) => keyOf(fromAttributeValues(item))), more: LastEvaluatedKey !== undefined };
  },
});

const keyOf = ({ pk, sk, overdueAtMs }: Record<string, unknown>): OverdueKey => ({
  pk: String(pk),
  sk: String(sk),
  overdueAtMs: Number(overdueAtMs),
});

import { type AttributeValue, type DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';

export interface CachedKey {
  readonly key: string;
  readonly row: Record<string, AttributeValue>;
}

/** Enough parts that a sample from some of them is one from everywhere. */
const SEGMENTS = 32;

/** Rows of the cache table, page by page, in an order that differs from run to run. */
export async function* cacheEntries(client: DynamoDBClient, TableName: string): AsyncGenerator<readonly CachedKey[]> {
  const segments = Array.from({ length: SEGMENTS }, (_, Segment) => ({ Segment, at: Math.random() })).sort(
    (left, right) => left.at - right.at,
  );
  for (const { Segment } of segments) {
    let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await client.send(
        new ScanCommand({ TableName, Segment, TotalSegments: SEGMENTS, ConsistentRead: true, ExclusiveStartKey }),
      );
      yield Items.map(asCachedKey);
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
  }
}

/** Strongly consistent; a look takes no fill token, as the port's own read would. */
export async function cacheEntry(client: DynamoDBClient, TableName: string, key: string): Promise<CachedKey | undefined> {
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { key: { S: key } }, ConsistentRead: true }));
  return Item === undefined ? undefined : asCachedKey(Item);
}

const asCachedKey = (row: Record<string, AttributeValue>): CachedKey => ({ key: row['key']?.S ?? '', row });

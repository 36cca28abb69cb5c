import { type AttributeValue, type DynamoDBClient, GetItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { CachedKey, CachedValue } from '#shared/cache/verify.ts';
import type { Random } from '#shared/runtime/random.ts';
import { type CacheItem, readCacheRow } from './cache-row.ts';

/** Rows of the cache table for whoever compares them, read strongly consistent. A look takes no fill token, as the port's own read would. */
export interface CacheEntries {
  /** All rows, page by page, in an order that differs from run to run. */
  all(): AsyncGenerator<readonly CachedKey<CacheItem>[]>;
  /** So many rows at most, from somewhere else each time. */
  some(atMost: number): AsyncGenerator<readonly CachedKey<CacheItem>[]>;
  one(key: string): Promise<CachedKey<CacheItem> | undefined>;
  valueIn(row: CacheItem, nowMs: number): CachedValue;
}

/** Enough parts that a sample from some of them is one from everywhere. */
const SEGMENTS = 32;

export const createCacheEntries = (client: DynamoDBClient, tableName: string, random: Random): CacheEntries => ({
  all: () => allEntries(client, tableName, random),
  some: (atMost) => someEntries(client, tableName, random, atMost),
  async one(key) {
    const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key: { key: { S: key } }, ConsistentRead: true }));
    return Item === undefined ? undefined : asCachedKey(Item);
  },
  valueIn(row, nowMs) {
    const read = readCacheRow(row, nowMs);
    if (read.kind === 'unreadable') return { kind: 'unreadable' };
    return read.kind === 'answer' && read.read.kind === 'hit' ? { kind: 'value', entry: read.read.entry } : { kind: 'no-value' };
  },
});

async function* allEntries(client: DynamoDBClient, TableName: string, random: Random): AsyncGenerator<readonly CachedKey<CacheItem>[]> {
  const segments = Array.from({ length: SEGMENTS }, (_, Segment) => ({ Segment, at: random.fraction() })).sort(
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

/** A scan goes by the hashes of the keys: what follows a key nobody has is a place nobody chose. Behind the last row comes the first. */
async function* someEntries(
  client: DynamoDBClient,
  TableName: string,
  random: Random,
  atMost: number,
): AsyncGenerator<readonly CachedKey<CacheItem>[]> {
  const start = { key: { S: random.token() } };
  const scan = { TableName, ConsistentRead: true };
  const behind = await client.send(new ScanCommand({ ...scan, Limit: atMost, ExclusiveStartKey: start }));
  const entries = (behind.Items ?? []).map(asCachedKey);
  yield entries;
  if (behind.LastEvaluatedKey !== undefined || entries.length >= atMost) return;
  const { Items = [] } = await client.send(new ScanCommand({ ...scan, Limit: atMost - entries.length }));
  const seen = new Set(entries.map(({ key }) => key));
  yield Items.map(asCachedKey).filter(({ key }) => !seen.has(key));
}

const asCachedKey = (row: CacheItem): CachedKey<CacheItem> => ({ key: row.key?.S ?? '', row });

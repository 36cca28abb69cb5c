import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { CacheEntry, CachePort, CacheRead, ExpectedEntry } from '#shared/cache/cache-port.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import type { Random } from '#shared/runtime/random.ts';
import { type CacheRow, type CacheItem as Item, readCacheRow, TOKEN_LIFETIME_MS } from './cache-row.ts';
import { createDynamoDbClient } from './dynamodb-client.ts';
import type { SdkOptions } from './sdk-options.ts';

/**
 * The cache port on a DynamoDB table with the key `key` and the TTL attribute `expiresAt`. One item holds either a value
 * or a fill token, so one conditional write checks and stores, and one delete removes both.
 *
 *   reader A   miss, token a ─ loads v1 ───────────────────────────── fill(a, v1): refused, the token is gone
 *   writer                          commits v2 ─ invalidate: deleted
 *   reader B                                                 miss, token b ─ loads v2 ─ fill(b, v2): stored
 *
 * Does not protect against clocks that disagree by more than the TTL: expiry is judged by the reader's own clock.
 */
export interface DynamoDbCacheOptions {
  readonly tableName: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly sdk?: SdkOptions;
}

/** The table answers when the cache is slow, so waiting for it is short. */
const LIMITS = { connectionTimeout: 300, requestTimeout: 800 };

/** The SDK's retry must not send a token write again: a late copy would revive a token that an invalidation had deleted. */
const SENT_ONCE = 1;
const INVALIDATION_ATTEMPTS = 3;

const NAMES = {
  '#value': 'value',
  '#version': 'version',
  '#expiresAt': 'expiresAt',
  '#expiresAtMs': 'expiresAtMs',
  '#token': 'token',
  '#tokenUntilMs': 'tokenUntilMs',
};

const valueIsGone = '(attribute_not_exists(#expiresAtMs) OR #expiresAtMs <= :nowMs)';
const nobodyIsLoading = '(attribute_not_exists(#token) OR #tokenUntilMs <= :nowMs)';
const tokenStands = '#token = :token';

export function createDynamoDbCache(options: DynamoDbCacheOptions): CachePort {
  const { sdk = {} } = options;
  const once = createDynamoDbClient({ maxAttempts: SENT_ONCE, limits: LIMITS, sdk });
  const persistent = createDynamoDbClient({ maxAttempts: INVALIDATION_ATTEMPTS, limits: LIMITS, sdk });
  return {
    read: (key, expected) => readOrTakeToken(once, options, key, expected),
    fill: (key, token, entry, ttlSeconds) => fillWhileTokenStands(once, options, key, { token, entry, ttlSeconds }),
    async invalidate(key) {
      await persistent.send(new DeleteItemCommand({ TableName: options.tableName, Key: keyOf(key) }));
    },
  };
}

async function readOrTakeToken(
  client: DynamoDBClient,
  options: DynamoDbCacheOptions,
  key: string,
  expected: ExpectedEntry | undefined,
): Promise<CacheRead> {
  const { Item: item } = await client.send(new GetItemCommand({ TableName: options.tableName, Key: keyOf(key), ConsistentRead: true }));
  const nowMs = options.clock.nowMs();
  const readRow = (row: Item | undefined): CacheRow => readCacheRow(row, nowMs, expected);
  const row = readRow(item);
  if (row.kind === 'answer') return row.read;
  return takeToken(client, options, key, { nowMs, replacing: row.kind === 'unreadable' ? item : undefined, readRow });
}

interface TakeOver {
  readonly nowMs: number;
  /** A row no reader can use; it may be replaced for as long as it stays exactly that. */
  readonly replacing: Item | undefined;
  readonly readRow: (row: Item | undefined) => CacheRow;
}

/** @throws whatever the SDK throws: without an answer there is no token, although one may stand until its deadline */
async function takeToken(
  client: DynamoDBClient,
  { tableName, random }: DynamoDbCacheOptions,
  key: string,
  { nowMs, replacing, readRow }: TakeOver,
): Promise<CacheRead> {
  const token = random.token();
  const untilMs = nowMs + TOKEN_LIFETIME_MS;
  const nothingCounts = `(${valueIsGone} AND ${nobodyIsLoading})`;
  const unchanged = replacing === undefined ? undefined : rowIsAs(replacing);
  const command = new UpdateItemCommand({
    TableName: tableName,
    Key: keyOf(key),
    ConditionExpression: unchanged === undefined ? nothingCounts : `${nothingCounts} OR (${unchanged.condition})`,
    UpdateExpression: 'SET #token = :token, #tokenUntilMs = :untilMs, #expiresAt = :expiresAt REMOVE #value, #version, #expiresAtMs',
    ExpressionAttributeNames: NAMES,
    ExpressionAttributeValues: {
      ':token': { S: token },
      ':untilMs': number(untilMs),
      ':expiresAt': wholeSeconds(untilMs),
      ':nowMs': number(nowMs),
      ...unchanged?.values,
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await client.send(command);
    return { kind: 'miss', token };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    const row = readRow(error.Item);
    return row.kind === 'answer' ? row.read : { kind: 'miss', token: undefined };
  }
}

const JUDGED = ['value', 'version', 'expiresAtMs', 'token', 'tokenUntilMs'] as const;

/** Value and token are the ones that were judged: what a fill or another reader wrote meanwhile is not overwritten. */
function rowIsAs(item: Item): { condition: string; values: Item } {
  const values: Item = {};
  const parts = JUDGED.map((name) => {
    const seen = item[name];
    if (seen === undefined) return `attribute_not_exists(#${name})`;
    values[`:seen_${name}`] = seen;
    return `#${name} = :seen_${name}`;
  });
  return { condition: parts.join(' AND '), values };
}

async function fillWhileTokenStands(
  client: DynamoDBClient,
  { tableName, clock }: DynamoDbCacheOptions,
  key: string,
  { token, entry, ttlSeconds }: { token: string; entry: CacheEntry; ttlSeconds: number },
): Promise<boolean> {
  const expiresAtMs = clock.nowMs() + ttlSeconds * 1000;
  const command = new UpdateItemCommand({
    TableName: tableName,
    Key: keyOf(key),
    ConditionExpression: tokenStands,
    UpdateExpression:
      'SET #value = :value, #version = :version, #expiresAtMs = :expiresAtMs, #expiresAt = :expiresAt REMOVE #token, #tokenUntilMs',
    ExpressionAttributeNames: NAMES,
    ExpressionAttributeValues: {
      ':token': { S: token },
      ':value': { S: JSON.stringify(entry.value) },
      ':version': number(entry.version),
      ':expiresAtMs': number(expiresAtMs),
      ':expiresAt': wholeSeconds(expiresAtMs),
    },
  });
  try {
    await client.send(command);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

const keyOf = (key: string): Item => ({ key: { S: key } });
const number = (value: number): AttributeValue => ({ N: String(value) });
/** DynamoDB's TTL counts seconds and ignores a number that is not whole. */
const wholeSeconds = (instantMs: number): AttributeValue => number(Math.ceil(instantMs / 1000));

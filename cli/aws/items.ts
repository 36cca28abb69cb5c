import { BatchGetItemCommand, type DynamoDBClient, GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { JOB_PREFIX, ORDER_PREFIX, orderItemKey, USER_PREFIX } from '#shared/contract/item-keys.ts';

export type Item = Readonly<Record<string, unknown>>;

export async function readItem(client: DynamoDBClient, table: string, key: Record<string, string>): Promise<Item | undefined> {
  const { Item } = await client.send(new GetItemCommand({ TableName: table, Key: marshall(key), ConsistentRead: true }));
  return Item === undefined ? undefined : unmarshall(Item);
}

export const readOrderItem = (client: DynamoDBClient, table: string, userId: string, orderId: string): Promise<Item | undefined> =>
  readItem(client, table, { ...orderItemKey(userId, orderId) });

const BATCH_GET = 100;

/** Reads many items by key, strongly consistent; missing ones are missing. */
export async function readItems(client: DynamoDBClient, table: string, keys: readonly Record<string, string>[]): Promise<Item[]> {
  const items: Item[] = [];
  for (let start = 0; start < keys.length; start += BATCH_GET) {
    let pending = { [table]: { Keys: keys.slice(start, start + BATCH_GET).map((key) => marshall(key)), ConsistentRead: true } };
    while ((pending[table]?.Keys.length ?? 0) > 0) {
      const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems: pending }));
      items.push(...(Responses?.[table] ?? []).map((item) => unmarshall(item)));
      pending = (UnprocessedKeys ?? {}) as typeof pending;
    }
  }
  return items;
}

export interface OrderScan {
  readonly orders: Item[];
  /** Items of jobs that change no order (a receipt has one of its own) and that failed at least once. */
  readonly failedJobs: Item[];
  /** The table is larger than the pages looked at. */
  readonly truncated: boolean;
}

/**
 * Orders anywhere in the table, eventually consistent, over at most `maxPages` pages of 1 MB. Whole items, because how each
 * operation ended stands under a name of its own.
 */
export async function scanOrders(client: DynamoDBClient, table: string, { maxPages = 20 } = {}): Promise<OrderScan> {
  const scan = {
    TableName: table,
    FilterExpression: '(begins_with(#pk, :user) AND begins_with(#sk, :order)) OR (begins_with(#pk, :job) AND attribute_exists(#lastError))',
    ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk', '#lastError': 'lastError' },
    ExpressionAttributeValues: marshall({ ':user': USER_PREFIX, ':order': ORDER_PREFIX, ':job': JOB_PREFIX }),
  };
  const items: Item[] = [];
  let pages = 0;
  let truncated = false;
  for await (const page of paginateScan({ client }, scan)) {
    items.push(...(page.Items ?? []).map((item) => unmarshall(item)));
    truncated = ++pages >= maxPages && page.LastEvaluatedKey !== undefined;
    if (truncated) break;
  }
  const isOrder = ({ pk }: Item): boolean => String(pk).startsWith(USER_PREFIX);
  return { orders: items.filter(isOrder), failedJobs: items.filter((item) => !isOrder(item)), truncated };
}

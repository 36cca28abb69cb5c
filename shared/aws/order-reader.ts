import { type AttributeValue, type DynamoDBClient, GetItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type * as z from 'zod';
import { ORDER_PREFIX, orderItemKey, userPartition } from '#shared/contract/item-keys.ts';
import { StatedError } from '#shared/contract/stated-error.ts';
import { type Order, orderSchema } from '#shared/domain/order.ts';
import { type SummarizedOrder, summarizedOrder } from '#shared/domain/order-summary.ts';
import { fromAttributeValues } from './attribute-values.ts';

/** Strongly consistent reads of orders from the State table. An order whose stored form cannot be read fails alone. */
export interface OrderReader {
  /** @throws UnreadableOrder when the item is there but is no order this code understands */
  order(userId: string, orderId: string): Promise<Order | undefined>;
  orders(userId: string): Promise<OrderCollection>;
}

export interface OrderCollection {
  readonly orders: readonly SummarizedOrder[];
  readonly unreadable: readonly UnreadableOrder[];
  /** There are more pages than are read for a summary. */
  readonly truncated: boolean;
}

/** Names the order and the fields that do not fit, never what stands in them. */
export class UnreadableOrder extends StatedError {
  readonly code = 'order-unreadable';
  readonly orderId: string;
  constructor(orderId: string, fields: readonly string[]) {
    super(`order ${orderId} is stored in a form that cannot be read (${fields.join(', ')}); correct its item in the State table`);
    this.name = 'UnreadableOrder';
    this.orderId = orderId;
  }
}

/** A page is at most 1 MB; a summary reads no more than five. */
const MAX_PAGES = 5;

const READ_FOR_SUMMARY = ['sk', ...Object.keys(summarizedOrder.shape)];

type Item = Record<string, AttributeValue>;

export const createOrderReader = (client: DynamoDBClient, tableName: string): OrderReader => ({
  async order(userId, orderId) {
    const { pk, sk } = orderItemKey(userId, orderId);
    const { Item: item } = await client.send(
      new GetItemCommand({ TableName: tableName, Key: { pk: { S: pk }, sk: { S: sk } }, ConsistentRead: true }),
    );
    if (item === undefined) return undefined;
    const parsed = parseItem(orderSchema, item, orderId);
    if (parsed instanceof UnreadableOrder) throw parsed;
    return parsed;
  },

  async orders(userId) {
    const { items, truncated } = await queryPages(client, tableName, userId);
    const parsed = items.map((item) => parseItem(summarizedOrder, item, item.sk?.S?.slice(ORDER_PREFIX.length) ?? ''));
    return {
      orders: parsed.filter((order): order is SummarizedOrder => !(order instanceof UnreadableOrder)),
      unreadable: parsed.filter((order): order is UnreadableOrder => order instanceof UnreadableOrder),
      truncated,
    };
  },
});

async function queryPages(client: DynamoDBClient, tableName: string, userId: string): Promise<{ items: Item[]; truncated: boolean }> {
  const items: Item[] = [];
  let startKey: Item | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await client.send(
      new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :orders)',
        ProjectionExpression: READ_FOR_SUMMARY.map((name) => `#${name}`).join(', '),
        ExpressionAttributeNames: Object.fromEntries(['pk', ...READ_FOR_SUMMARY].map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: { ':pk': { S: userPartition(userId) }, ':orders': { S: ORDER_PREFIX } },
        ConsistentRead: true,
        ExclusiveStartKey: startKey,
      }),
    );
    items.push(...(answer.Items ?? []));
    startKey = answer.LastEvaluatedKey;
    if (startKey === undefined) return { items, truncated: false };
  }
  return { items, truncated: true };
}

function parseItem<Schema extends z.ZodObject>(schema: Schema, item: Item, orderId: string): z.output<Schema> | UnreadableOrder {
  const parsed = schema.safeParse(fromAttributeValues(item));
  return parsed.success ? parsed.data : new UnreadableOrder(orderId, [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))]);
}

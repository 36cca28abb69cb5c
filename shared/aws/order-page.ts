import { type AttributeValue, type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { ORDER_PREFIX, orderItemKey, userPartition } from '#shared/contract/item-keys.ts';
import { orderSchema, orderView } from '#shared/domain/order.ts';
import type { ExportedOrder, OrderPagePort } from '#shared/exports/order-page-port.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';

/** Operation records and leases weigh more than the order itself; an export has no use for them. */
const READ_FOR_EXPORT = ['sk', ...Object.keys(orderSchema.shape)];

type Item = Record<string, AttributeValue>;

/** Pages of a user's orders from the State table: one Query each, at most 1 MB of items. */
export const createOrderPages = (client: DynamoDBClient, tableName: string): OrderPagePort => ({
  async page(userId, { after, limit }) {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: tableName,
        KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :orders)',
        ProjectionExpression: READ_FOR_EXPORT.map((name) => `#${name}`).join(', '),
        ExpressionAttributeNames: Object.fromEntries(['pk', ...READ_FOR_EXPORT].map((name) => [`#${name}`, name])),
        ExpressionAttributeValues: { ':pk': { S: userPartition(userId) }, ':orders': { S: ORDER_PREFIX } },
        ConsistentRead: true,
        Limit: limit,
        ExclusiveStartKey: after === undefined ? undefined : toAttributeValues({ ...orderItemKey(userId, after) }),
      }),
    );
    return { orders: Items.map(exportedOrder), more: LastEvaluatedKey !== undefined };
  },
});

function exportedOrder(item: Item): ExportedOrder {
  const orderId = item['sk']?.S?.slice(ORDER_PREFIX.length) ?? '';
  const parsed = orderSchema.safeParse(fromAttributeValues(item));
  if (!parsed.success) return { orderId, unreadable: [...new Set(parsed.error.issues.map(({ path }) => path.join('.')))] };
  // The next page starts after the key, so an order that calls itself otherwise must not lead it astray.
  return parsed.data.orderId === orderId ? orderView(parsed.data) : { orderId, unreadable: ['orderId'] };
}

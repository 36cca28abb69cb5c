import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import type { Item } from './items.ts';

/** Receipts sent for one payment attempt of an order: one row a delivery. */
export async function receiptsOf(
  client: DynamoDBClient,
  table: string,
  order: { userId: string; orderId: string },
  attempt = 1,
): Promise<Item[]> {
  // The key names the intent; what else a receipt says is not part of it.
  const deliveryKey = sendReceipt.key({ ...order, attempt, amountMinor: 1, currency: 'EUR', captureId: '-' });
  const query = {
    TableName: table,
    ConsistentRead: true,
    KeyConditionExpression: '#key = :key',
    ExpressionAttributeNames: { '#key': 'deliveryKey' },
    ExpressionAttributeValues: marshall({ ':key': deliveryKey }),
  };
  const rows: Item[] = [];
  for await (const page of paginateQuery({ client }, query)) rows.push(...(page.Items ?? []).map((item) => unmarshall(item)));
  return rows;
}

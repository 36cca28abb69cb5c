import { type DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { MailPort } from '#shared/mail/mail-port.ts';
import { toAttributeValues } from './attribute-values.ts';

interface MailTableOptions {
  readonly tableName: string;
  readonly random: { token(): string };
  readonly clock: { nowMs(): number };
}

/** Receipts as rows: one row per delivery, so a customer who got two would show. */
export const createMailTable = (client: DynamoDBClient, { tableName, random, clock }: MailTableOptions): MailPort => ({
  async send(mail) {
    const row = { ...mail, deliveryId: random.token(), sentAtMs: clock.nowMs() };
    await client.send(new PutItemCommand({ TableName: tableName, Item: toAttributeValues(row) }));
  },
  async wasSent(deliveryKey) {
    const query = new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      KeyConditionExpression: 'deliveryKey = :key',
      ExpressionAttributeValues: toAttributeValues({ ':key': deliveryKey }),
      Limit: 1,
    });
    return ((await client.send(query)).Items ?? []).length > 0;
  },
});

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createOrderReader, UnreadableOrder } from '#shared/aws/order-reader.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';

// Case: B97.

const item = (orderId: string, rest: Record<string, unknown> = {}) => ({
  pk: { S: 'USER#u-1' },
  sk: { S: `ORDER#${orderId}` },
  userId: { S: 'u-1' },
  orderId: { S: orderId },
  status: { S: 'paid' },
  version: { N: '2' },
  attempt: { N: '1' },
  amountMinor: { N: '4999' },
  currency: { S: 'EUR' },
  createdAtMs: { N: '1796000000000' },
  intentAtMs: { N: '1796000000000' },
  paymentIntentId: { S: 'pi-1' },
  captureKey: { S: 'capture:u-1/ord-1:1' },
  lease: { S: 'free' },
  'op:capture:1': { M: { status: { S: 'completed' } } },
  ...rest,
});

const bench = (...items: ReturnType<typeof item>[]) => {
  const aws = createFakeAws({ now: () => 0 });
  aws.dynamodb.createTable({
    TableName: 'State',
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
  });
  for (const Item of items) aws.dynamodb.handle('PutItem', { TableName: 'State', Item });
  return { aws, reader: createOrderReader(new DynamoDBClient(aws.clientConfig), 'State') };
};
const page = (orderId: string) => item(orderId, { padding: { S: 'x'.repeat(390 * 1024) } });

describe('reading orders from the table', () => {
  it('gives the business half of one order, strongly consistent', async () => {
    const { aws, reader } = bench(item('ord-1'));
    const order = await reader.order('u-1', 'ord-1');
    expect(order).toMatchObject({ userId: 'u-1', orderId: 'ord-1', status: 'paid', version: 2, amountMinor: 4_999 });
    expect(order).not.toHaveProperty('lease');
    expect(aws.calls).toMatchObject([{ operation: 'GetItem', input: { ConsistentRead: true } }]);
  });

  it('gives nothing for an order that is not there', async () => {
    expect(await bench().reader.order('u-1', 'ord-1')).toBeUndefined();
  });

  it.each(['9007199254740993', '1e21', '49.99'])(
    'refuses the stored amount %s by name, without rounding or repeating it',
    async (amount) => {
      const { reader } = bench(item('ord-1', { amountMinor: { N: amount } }));
      const reading = reader.order('u-1', 'ord-1');
      await expect(reading).rejects.toBeInstanceOf(UnreadableOrder);
      const refusal = await reading.catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'order-unreadable', orderId: 'ord-1', message: expect.stringContaining('(amountMinor)') });
      expect(String(refusal)).not.toContain(amount.slice(0, 4));
    },
  );

  it('gives the user’s other orders when one cannot be read, and says which', async () => {
    const { reader } = bench(
      item('ord-1'),
      item('ord-2', { amountMinor: { N: '9007199254740993' }, status: { S: 'lost' } }),
      item('ord-3'),
    );
    const { orders, unreadable, truncated } = await reader.orders('u-1');
    expect(orders.map(({ orderId }) => orderId)).toEqual(['ord-1', 'ord-3']);
    expect(unreadable.map(({ orderId, message }) => [orderId, message])).toEqual([
      ['ord-2', expect.stringContaining('(status, amountMinor)')],
    ]);
    expect(truncated).toBe(false);
  });

  it('reads a user’s orders and nothing beside them, page by page and strongly consistent', async () => {
    const other = { ...item('ord-9'), sk: { S: 'PROFILE' } };
    const { aws, reader } = bench(...['a', 'b', 'c', 'd', 'e', 'f'].map(page), other, { ...item('ord-9'), pk: { S: 'USER#u-2' } });
    const { orders, truncated } = await reader.orders('u-1');
    expect(orders.map(({ orderId }) => orderId)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(truncated).toBe(false);
    expect(aws.calls.length).toBeGreaterThan(1);
    expect(aws.calls.every(({ input }) => input.ConsistentRead === true)).toBe(true);
  });

  it('stops after five pages and says so', async () => {
    const { aws, reader } = bench(...Array.from({ length: 20 }, (_, index) => page(`ord-${String(index).padStart(2, '0')}`)));
    const { orders, truncated } = await reader.orders('u-1');
    expect(truncated).toBe(true);
    expect(aws.calls).toHaveLength(5);
    expect(orders.length).toBeLessThan(20);
  });

  it('gives no orders for a user who has none', async () => {
    expect(await bench().reader.orders('u-1')).toEqual({ orders: [], unreadable: [], truncated: false });
  });
});

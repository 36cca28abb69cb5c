import {
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { addUp, NOTHING } from '../../../cli/cost/bill.ts';
import { stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createMeter } from '../../support/meter/meter.ts';
import { usedOfObjects } from '../../support/meter/used-by-call.ts';
import { watchClient } from '../../support/meter/watch-client.ts';

const KIB = 1_024;
const TableName = 'State';
const key = (name: string) => ({ pk: { S: name }, sk: { S: 'x' } });

function account() {
  const meter = createMeter();
  const aws = createFakeAws({ now: () => 0, meter });
  aws.dynamodb.createTable(stateTable(TableName));
  const queues = {
    standard: aws.sqs.createQueue({ QueueName: 'q' }),
    fifo: aws.sqs.createQueue({ QueueName: 'q.fifo', Attributes: { FifoQueue: 'true' } }),
  };
  const config = { ...aws.clientConfig, maxAttempts: 3, retryMode: 'standard' };
  return {
    aws,
    meter,
    queues,
    dynamodb: new DynamoDBClient(config as DynamoDBClientConfig),
    sqs: new SQSClient(config as SQSClientConfig),
  };
}

describe('the meter counts a table', () => {
  it('by the bytes of the larger image, a unit a KiB', async () => {
    const { dynamodb, meter } = account();
    await dynamodb.send(new PutItemCommand({ TableName, Item: { ...key('a'), note: { S: 'x'.repeat(3 * KIB) } } }));
    await dynamodb.send(new PutItemCommand({ TableName, Item: key('a') }));
    expect(meter.bill.tables).toEqual({ State: { write: 8, read: 0, requests: 2 } });
  });

  it('twice for each item of a transaction', async () => {
    const { dynamodb, meter } = account();
    const TransactItems = ['a', 'b'].map((name) => ({ Put: { TableName, Item: key(name) } }));
    await dynamodb.send(new TransactWriteItemsCommand({ TransactItems }));
    expect(meter.bill.tables).toEqual({ State: { write: 4, read: 0, requests: 1 } });
  });

  it('once more for an entry of an index, and twice more when the entry moves', async () => {
    const { dynamodb, meter } = account();
    const overdueAt = (instant: string) =>
      dynamodb.send(new PutItemCommand({ TableName, Item: { ...key('a'), overdueShard: { S: '0' }, overdueAtMs: { N: instant } } }));
    await overdueAt('1');
    expect(meter.take().tables).toEqual({ State: { write: 2, read: 0, requests: 1 } });
    await overdueAt('2');
    expect(meter.take().tables).toEqual({ State: { write: 3, read: 0, requests: 1 } });
  });

  it('for a refused condition as for the write it refused', async () => {
    const { dynamodb, meter } = account();
    const put = new PutItemCommand({ TableName, Item: key('a'), ConditionExpression: 'attribute_exists(pk)' });
    await expect(dynamodb.send(put)).rejects.toThrow();
    expect(meter.bill).toEqual({ ...NOTHING, tables: { State: { write: 1, read: 0, requests: 1 } }, refusedWrites: 1 });
  });

  it('for every repetition of the SDK, and not for what never arrived', async () => {
    const { aws, dynamodb, meter } = account();
    let calls = 0;
    aws.fault = () => (++calls === 1 ? 'fail-before' : calls === 2 ? 'apply-then-lose-answer' : undefined);
    await dynamodb.send(new GetItemCommand({ TableName, Key: key('a'), ConsistentRead: true }));
    expect(calls).toBe(3);
    expect(meter.bill.tables).toEqual({ State: { write: 0, read: 2, requests: 2 } });
  });

  it('alike from the requests and answers of one client, where no state machine tells', async () => {
    const { dynamodb, meter } = account();
    const other = createMeter();
    watchClient(other, dynamodb);
    const note = { S: 'x'.repeat(2 * KIB) };
    await dynamodb.send(new PutItemCommand({ TableName, Item: { ...key('a'), note } }));
    const update = {
      TableName,
      Key: key('a'),
      UpdateExpression: 'SET #n = :n',
      ExpressionAttributeNames: { '#n': 'more' },
      ExpressionAttributeValues: { ':n': note },
    };
    await dynamodb.send(new UpdateItemCommand({ ...update, ReturnValues: 'ALL_NEW' }));
    await dynamodb.send(new GetItemCommand({ TableName, Key: key('a') }));
    const refused = { ...update, ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    await expect(dynamodb.send(new UpdateItemCommand(refused))).rejects.toThrow();
    expect(other.bill).toEqual(meter.bill);
    expect(meter.bill.refusedWrites).toBe(1);
  });
});

describe('the meter counts a queue', () => {
  it('once for a batch of ten, and once for each 64 KiB it carries', async () => {
    const { sqs, meter, queues } = account();
    const send = (bytes: number) =>
      sqs.send(
        new SendMessageBatchCommand({
          QueueUrl: queues.standard,
          Entries: Array.from({ length: 10 }, (_, index) => ({ Id: `${index}`, MessageBody: 'x'.repeat(bytes) })),
        }),
      );
    await send(100);
    expect(meter.take().queueRequests).toBe(1);
    await send(20 * KIB);
    expect(meter.take().queueRequests).toBe(4);
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: queues.standard, MaxNumberOfMessages: 10 }));
    expect(meter.take()).toMatchObject({ queueRequests: 1, emptyReceives: 0 });
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: queues.standard, MaxNumberOfMessages: 10 }));
    expect(meter.take()).toMatchObject({ queueRequests: 4 });
  });

  it('for a receive that finds nothing', async () => {
    const { sqs, meter, queues } = account();
    await sqs.send(new ReceiveMessageCommand({ QueueUrl: queues.standard }));
    expect(meter.bill).toEqual({ ...NOTHING, queueRequests: 1, emptyReceives: 1 });
  });

  it('apart when it is a FIFO queue', async () => {
    const { sqs, meter, queues } = account();
    await sqs.send(new SendMessageCommand({ QueueUrl: queues.fifo, MessageBody: 'x', MessageGroupId: 'g', MessageDeduplicationId: 'd' }));
    expect(meter.bill).toEqual({ ...NOTHING, fifoRequests: 1 });
  });
});

it('the meter counts objects that are written and read, and takes deletions for nothing', () => {
  expect(addUp(['PUT', 'POST', 'GET', 'DELETE'].map(usedOfObjects))).toEqual({ ...NOTHING, objectWrites: 2, objectReads: 1 });
});

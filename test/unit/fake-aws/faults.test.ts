import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws, type FakeAws } from '../../support/fake-aws/request-handler.ts';

const TableName = 'State';
const Key = { pk: { S: 'a' }, sk: { S: 'b' } };
const increment = { TableName, Key, UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': { N: '1' } } };

const keyOf = (sk: string) => ({ pk: { S: 'a' }, sk: { S: sk } });
const transaction = (...sortKeys: string[]) =>
  new TransactWriteItemsCommand({
    ClientRequestToken: sortKeys.join('-'),
    TransactItems: sortKeys.map((sk) => ({ Update: { ...increment, Key: keyOf(sk) } })),
  });

let aws: FakeAws;
let QueueUrl: string;
const dynamodb = (maxAttempts = 1) => new DynamoDBClient({ ...aws.clientConfig, maxAttempts });
const sqs = (maxAttempts = 1) => new SQSClient({ ...aws.clientConfig, maxAttempts });
const stored = () => aws.dynamodb.item(TableName, Key)?.['n']?.N;
/** The fault for the first request; the ones behind it pass. */
const once = (fault: Awaited<ReturnType<NonNullable<FakeAws['fault']>>>) => {
  aws.fault = () => {
    aws.fault = undefined;
    return fault;
  };
};

beforeEach(() => {
  aws = createFakeAws({ now: () => Date.UTC(2026, 10, 30) });
  aws.dynamodb.createTable(stateTable(TableName));
  QueueUrl = aws.sqs.createQueue({ QueueName: 'work' });
});

describe('the fault hook', () => {
  it('is asked before every request, by service, operation and input', async () => {
    const asked: unknown[] = [];
    aws.fault = ({ service, operation, input }) => void asked.push([service, operation, input.TableName ?? input.QueueUrl]);
    await dynamodb().send(new UpdateItemCommand(increment));
    await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    expect(asked).toEqual([
      ['dynamodb', 'UpdateItem', TableName],
      ['sqs', 'SendMessage', QueueUrl],
    ]);
  });

  it('applies nothing of a request that never left, and the SDK sends it again', async () => {
    once('fail-before');
    await expect(dynamodb().send(new UpdateItemCommand(increment))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(stored()).toBeUndefined();
    once('fail-before');
    await dynamodb(2).send(new UpdateItemCommand(increment));
    expect([stored(), aws.calls.map(({ answer }) => answer)]).toEqual(['1', ['not-sent', 'not-sent', 'ok']]);
  });

  it('applies a request whose answer is lost, so that a silent repetition applies it twice', async () => {
    once('apply-then-lose-answer');
    await dynamodb(2).send(new UpdateItemCommand(increment));
    expect([stored(), aws.calls.map(({ answer }) => answer)]).toEqual(['2', ['lost', 'ok']]);
  });

  it('throttles by name, and answers 500 with or without having done the work', async () => {
    once({ error: 'ThrottlingException' });
    await expect(dynamodb().send(new UpdateItemCommand(increment))).rejects.toMatchObject({ name: 'ThrottlingException' });
    once({ error: 'InternalServerError', status: 500 });
    await expect(dynamodb().send(new UpdateItemCommand(increment))).rejects.toMatchObject({ $fault: 'server' });
    expect(stored()).toBeUndefined();
    once({ error: 'InternalServerError', status: 500, applied: true });
    await expect(dynamodb().send(new UpdateItemCommand(increment))).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(stored()).toBe('1');
  });

  it('cancels a transaction for conflicts on request, with a reason for every action in order', async () => {
    once({ conflicts: [1] });
    await expect(dynamodb(3).send(transaction('a', 'b', 'c'))).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      message: expect.stringContaining('[None, TransactionConflict, None]'),
      CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }, { Code: 'None' }],
    });
    once({ conflicts: [0] });
    await expect(dynamodb().send(new UpdateItemCommand(increment))).rejects.toMatchObject({ name: 'TransactionConflictException' });
    expect(aws.dynamodb.items(TableName)).toEqual([]);
  });

  it('keeps a transaction in progress until told: other writes of its items conflict, reads and other items do not', async () => {
    const end = Promise.withResolvers<void>();
    once({ inProgressUntil: end.promise });
    const first = dynamodb().send(transaction('a', 'b'));
    await expect.poll(() => aws.fault).toBeUndefined();
    expect((await dynamodb().send(new GetItemCommand({ TableName, Key: keyOf('a'), ConsistentRead: true }))).Item).toBeUndefined();
    await expect(dynamodb().send(new UpdateItemCommand({ ...increment, Key: keyOf('b') }))).rejects.toMatchObject({
      name: 'TransactionConflictException',
    });
    await expect(dynamodb().send(transaction('c', 'a'))).rejects.toMatchObject({
      CancellationReasons: [{ Code: 'None' }, { Code: 'TransactionConflict' }],
    });
    await dynamodb().send(new UpdateItemCommand({ ...increment, Key: keyOf('c') }));
    end.resolve();
    await first;
    await dynamodb().send(new UpdateItemCommand({ ...increment, Key: keyOf('b') }));
    expect(aws.dynamodb.items(TableName).map(({ sk, n }) => [sk?.S, n?.N])).toEqual([
      ['a', '1'],
      ['b', '2'],
      ['c', '1'],
    ]);
  });

  it('refuses the repetition of a transaction in progress, and ends one whose caller gave up', async () => {
    const end = Promise.withResolvers<void>();
    const controller = new AbortController();
    once({ inProgressUntil: end.promise });
    const first = dynamodb().send(transaction('a'), { abortSignal: controller.signal });
    await expect.poll(() => aws.fault).toBeUndefined();
    await expect(dynamodb().send(transaction('a'))).rejects.toMatchObject({ name: 'TransactionInProgressException' });
    controller.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    expect(aws.dynamodb.items(TableName)).toEqual([]);
    end.resolve();
    await expect.poll(() => aws.dynamodb.item(TableName, keyOf('a'))?.['n']?.N).toBe('1');
  });

  it('holds an answer back until told, with the work already done', async () => {
    const gate = Promise.withResolvers<void>();
    once({ answerAfter: gate.promise });
    const answer = dynamodb().send(new UpdateItemCommand(increment));
    await expect.poll(stored).toBe('1');
    expect(aws.calls.map((call) => call.answer)).toEqual(['pending']);
    gate.resolve();
    await answer;
    expect(aws.calls.map((call) => call.answer)).toEqual(['ok']);
  });

  it('lets go of a held request when its caller gives up', async () => {
    const controller = new AbortController();
    once({ answerAfter: new Promise(() => undefined) });
    const answer = dynamodb().send(new UpdateItemCommand(increment), { abortSignal: controller.signal });
    await expect.poll(stored).toBe('1');
    controller.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('fails chosen entries of a batch and serves the others', async () => {
    once({ failedEntries: { b: { Code: 'InternalError' } } });
    const Entries = ['a', 'b', 'c'].map((Id) => ({ Id, MessageBody: Id }));
    const { Successful, Failed } = await sqs().send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect([Successful?.map(({ Id }) => Id), Failed]).toEqual([['a', 'c'], [{ Id: 'b', Code: 'InternalError', SenderFault: false }]]);
    expect(aws.sqs.messages('work').map(({ body }) => body)).toEqual(['a', 'c']);
  });

  it('shows the past to an eventually consistent read, and never to a consistent one', async () => {
    const overdue = { overdueShard: { S: 's' }, overdueAtMs: { N: '1' } };
    await dynamodb().send(new PutItemCommand({ TableName, Item: { ...Key, ...overdue, n: { N: '1' } } }));
    await dynamodb().send(new UpdateItemCommand({ TableName, Key, UpdateExpression: 'REMOVE overdueShard' }));
    await dynamodb().send(new UpdateItemCommand(increment));
    aws.fault = () => ({ changesBehind: 2 });
    const get = async (ConsistentRead: boolean) =>
      (await dynamodb().send(new GetItemCommand({ TableName, Key, ConsistentRead }))).Item?.['n']?.N;
    const index = { IndexName: 'overdue', KeyConditionExpression: 'overdueShard = :s', ExpressionAttributeValues: { ':s': { S: 's' } } };
    const { Count } = await dynamodb().send(new QueryCommand({ TableName, ...index }));
    expect([await get(false), await get(true), Count]).toEqual(['1', '2', 1]);
    expect(stored()).toBe('2');
  });
});

describe('the SDK', () => {
  it('is spoken to without a warning', async () => {
    const warn = vi.spyOn(console, 'warn');
    await dynamodb().send(new UpdateItemCommand(increment));
    await sqs().send(new SendMessageCommand({ QueueUrl, MessageBody: 'ä' }));
    expect([warn.mock.calls, stored(), aws.sqs.messages('work')[0]?.body]).toEqual([[], '1', 'ä']);
    warn.mockRestore();
  });
});

describe('the recorded calls', () => {
  it('keep the input as it was sent, one entry for each request', async () => {
    await dynamodb().send(new UpdateItemCommand(increment));
    await sqs().send(new ReceiveMessageCommand({ QueueUrl }));
    expect(aws.calls).toEqual([
      { service: 'dynamodb', operation: 'UpdateItem', input: increment, answer: 'ok' },
      { service: 'sqs', operation: 'ReceiveMessage', input: { QueueUrl }, answer: 'ok' },
    ]);
  });

  it('name the refusal of a refused request', async () => {
    await dynamodb()
      .send(new UpdateItemCommand({ ...increment, ConditionExpression: 'attribute_exists(pk)' }))
      .catch(() => undefined);
    expect(aws.calls.map(({ answer }) => answer)).toEqual(['ConditionalCheckFailedException']);
  });

  it('do not hide a request the fake cannot serve', async () => {
    const legacy = dynamodb().send(new GetItemCommand({ TableName, Key, AttributesToGet: ['n'] }));
    await expect(legacy).rejects.toThrow('AttributesToGet is not supported');
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createFakeAws, type FaultHook } from '../../support/fake-aws/request-handler.ts';

const KEY = 'order:u-1/ord-1';
const throttleEach: (operation: string) => FaultHook = (operation) => (call) =>
  call.operation === operation ? { error: 'InternalServerError', status: 500, applied: true } : undefined;

const bench = (fault?: FaultHook) => {
  const aws = createFakeAws({ now: () => 0, ...(fault === undefined ? {} : { fault }) });
  aws.dynamodb.createTable({
    TableName: 'Cache',
    KeySchema: [{ AttributeName: 'key', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'key', AttributeType: 'S' }],
  });
  let tokens = 0;
  const random = { fraction: () => 0, token: () => `token-${++tokens}` };
  const clock = { nowMs: () => 0, sleep: async () => undefined };
  const sdk = { createRequestHandler: () => aws.requestHandler };
  const cache = createDynamoDbCache({ tableName: 'Cache', clock, random, sdk });
  const operations = () => aws.calls.map(({ operation }) => operation);
  return { aws, cache, operations, sdk };
};

describe('the cache on DynamoDB', () => {
  let now: ReturnType<typeof bench>;
  beforeEach(() => {
    now = bench();
  });

  it('sends a token write once, whatever the answer: a late copy would revive a token that was deleted', async () => {
    const { cache, operations } = bench(throttleEach('UpdateItem'));
    await expect(cache.read(KEY)).rejects.toThrow();
    expect(operations()).toEqual(['GetItem', 'UpdateItem']);
  });

  it('repeats an invalidation that got no answer', async () => {
    let failures = 2;
    const { cache, operations } = bench(({ operation }) =>
      operation === 'DeleteItem' && failures-- > 0 ? 'apply-then-lose-answer' : undefined,
    );
    await cache.invalidate(KEY);
    expect(operations()).toEqual(['DeleteItem', 'DeleteItem', 'DeleteItem']);
  });

  it('reads strongly consistent, and pays one read for a hit', async () => {
    const { cache, aws, operations } = now;
    const found = await cache.read(KEY);
    await cache.fill(KEY, found.kind === 'miss' ? (found.token ?? '') : '', { version: 1, value: {} }, 60);
    aws.calls.length = 0;
    expect(await cache.read(KEY)).toMatchObject({ kind: 'hit' });
    expect(operations()).toEqual(['GetItem']);
    expect(aws.calls[0]?.input).toMatchObject({ ConsistentRead: true });
  });

  it('writes nothing while somebody else is loading', async () => {
    const { cache, aws, operations } = now;
    await cache.read(KEY);
    aws.calls.length = 0;
    expect(await cache.read(KEY)).toEqual({ kind: 'miss', token: undefined });
    expect(operations()).toEqual(['GetItem']);
  });

  it('takes the value that arrived between its look and its token write', async () => {
    const { cache, aws, sdk } = now;
    const first = await cache.read(KEY);
    const token = first.kind === 'miss' ? (first.token ?? '') : '';
    const empty = aws.dynamodb.item('Cache', { key: { S: KEY } });
    expect(empty).toBeDefined();
    aws.fault = async ({ operation, input }) => {
      if (operation !== 'UpdateItem' || input.ExpressionAttributeValues[':value'] !== undefined) return undefined;
      aws.fault = undefined;
      expect(await cache.fill(KEY, token, { version: 1, value: 'arrived' }, 60)).toBe(true);
      return undefined;
    };
    // The look sees an expired token, so the reader tries to take its place.
    const late = createDynamoDbCache({
      tableName: 'Cache',
      clock: { nowMs: () => 10_000, sleep: async () => undefined },
      random: { fraction: () => 0, token: () => 'late' },
      sdk,
    });
    expect(await late.read(KEY)).toEqual({ kind: 'hit', entry: { version: 1, value: 'arrived' } });
    expect(await cache.fill(KEY, 'late', { version: 1, value: 'second' }, 60)).toBe(false);
  });

  it('does not replace what took an unreadable row’s place between its look and its token write', async () => {
    const { cache, aws } = now;
    const put = (item: object) => aws.dynamodb.handle('PutItem', { TableName: 'Cache', Item: { key: { S: KEY }, ...item } });
    const end = { expiresAtMs: { N: '1000' } };
    put({ value: { S: 'not JSON' }, version: { N: '1' }, ...end });
    aws.fault = ({ operation }) => {
      if (operation === 'UpdateItem') put({ value: { S: '"arrived"' }, version: { N: '2' }, ...end });
      return undefined;
    };
    expect(await cache.read(KEY)).toEqual({ kind: 'hit', entry: { version: 2, value: 'arrived' } });
  });

  it('pays no more for an unreadable row than for a missing one, and once', async () => {
    const { cache, aws, operations } = now;
    aws.dynamodb.handle('PutItem', {
      TableName: 'Cache',
      Item: { key: { S: KEY }, value: { S: '{' }, version: { N: '1' }, expiresAtMs: { N: '1000' } },
    });
    const found = await cache.read(KEY);
    await cache.fill(KEY, found.kind === 'miss' ? (found.token ?? '') : '', { version: 1, value: {} }, 1);
    await cache.read(KEY);
    expect(operations()).toEqual(['GetItem', 'UpdateItem', 'UpdateItem', 'GetItem']);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeDynamodb, type FakeDynamodb } from '../../support/fake-aws/fake-dynamodb.ts';
import { plainTable, stateTable } from '../../support/fake-aws/project-tables.ts';

const TableName = 'State';
const key = (sk: string) => ({ pk: { S: 'p' }, sk: { S: sk } });
const NOON_MS = Date.UTC(2026, 10, 30, 12);

let nowMs: number;
let dynamodb: FakeDynamodb;
beforeEach(() => {
  nowMs = NOON_MS;
  dynamodb = createFakeDynamodb({ now: () => nowMs });
  dynamodb.createTable(stateTable(TableName));
});
const put = (Item: object, more: object = {}) => dynamodb.handle('PutItem', { TableName, Item, ...more });
const update = (Key: object, UpdateExpression: string, values?: object) =>
  dynamodb.handle('UpdateItem', { TableName, Key, UpdateExpression, ...(values && { ExpressionAttributeValues: values }) });
const errorOf = (answer: ReturnType<FakeDynamodb['handle']>) => ('error' in answer ? answer.error.name : undefined);

describe('the stream', () => {
  it('records every change in order, with both images', () => {
    put({ ...key('a'), n: { N: '1' } });
    update(key('a'), 'ADD n :one', { ':one': { N: '1' } });
    dynamodb.handle('DeleteItem', { TableName, Key: key('a') });
    const records = dynamodb.stream(TableName);
    expect(records.map(({ eventName, dynamodb: { OldImage, NewImage } }) => [eventName, OldImage?.['n']?.N, NewImage?.['n']?.N])).toEqual([
      ['INSERT', undefined, '1'],
      ['MODIFY', '1', '2'],
      ['REMOVE', '2', undefined],
    ]);
    expect(records.map(({ dynamodb: { Keys } }) => Keys)).toEqual(Array(3).fill(key('a')));
    expect(records.map(({ dynamodb: { ApproximateCreationDateTime } }) => ApproximateCreationDateTime)).toEqual(
      Array(3).fill(NOON_MS / 1000),
    );
    const numbers = records.map(({ dynamodb: { SequenceNumber } }) => SequenceNumber);
    expect(numbers).toEqual([...new Set(numbers)].sort());
  });

  it('records nothing for a write that changes nothing or is refused', () => {
    put({ ...key('a'), set: { SS: ['x', 'y'] }, list: { L: [{ N: '1' }] } });
    put({ ...key('a'), list: { L: [{ N: '1.0' }] }, set: { SS: ['y', 'x'] } });
    update(key('a'), 'REMOVE gone');
    dynamodb.handle('DeleteItem', { TableName, Key: key('b') });
    put(key('a'), { ConditionExpression: 'attribute_not_exists(pk)' });
    expect(dynamodb.stream(TableName)).toHaveLength(1);
  });

  it('records an update that creates an item of nothing but its key', () => {
    update(key('a'), 'REMOVE gone');
    expect(dynamodb.stream(TableName).map(({ eventName }) => eventName)).toEqual(['INSERT']);
  });

  it('keeps images that later writes do not touch', () => {
    put({ ...key('a'), map: { M: { deep: { N: '1' } } } });
    update(key('a'), 'SET #m.deep = :two', { ':two': { N: '2' } });
    dynamodb.handle('UpdateItem', {
      TableName,
      Key: key('a'),
      UpdateExpression: 'SET #m.deep = :two',
      ExpressionAttributeNames: { '#m': 'map' },
      ExpressionAttributeValues: { ':two': { N: '2' } },
    });
    expect(dynamodb.stream(TableName).map(({ dynamodb: { NewImage } }) => NewImage?.['map']?.M?.['deep']?.N)).toEqual(['1', '2']);
  });
});

describe('the time-to-live sweep', () => {
  it('deletes what expired, signed by the service, and nothing else', () => {
    const nowSeconds = NOON_MS / 1000;
    put({ ...key('past'), expiresAt: { N: String(nowSeconds - 1) } });
    put({ ...key('future'), expiresAt: { N: String(nowSeconds + 1) } });
    put({ ...key('text'), expiresAt: { S: String(nowSeconds - 1) } });
    put({ ...key('ancient'), expiresAt: { N: '1' } });
    put(key('forever'));
    dynamodb.expire(NOON_MS);
    expect(dynamodb.items(TableName).map((item) => item['sk']?.S)).toEqual(['ancient', 'forever', 'future', 'text']);
    expect(dynamodb.stream(TableName).at(-1)).toMatchObject({
      eventName: 'REMOVE',
      userIdentity: { type: 'Service', principalId: 'dynamodb.amazonaws.com' },
      dynamodb: { Keys: key('past') },
    });
  });

  it('leaves expired items readable until it runs', () => {
    put({ ...key('past'), expiresAt: { N: '1700000000' } });
    expect(dynamodb.item(TableName, key('past'))).toBeDefined();
    expect(dynamodb.stream(TableName)[0]?.userIdentity).toBeUndefined();
  });
});

describe('the bill', () => {
  it('counts a refused condition by the item that was there or would have been', () => {
    put({ ...key('a'), big: { S: 'x'.repeat(2500) } });
    const before = dynamodb.billed.write;
    put(key('a'), { ConditionExpression: 'attribute_not_exists(pk)' });
    dynamodb.handle('DeleteItem', { TableName, Key: key('b'), ConditionExpression: 'attribute_exists(pk)' });
    expect([before, dynamodb.billed.write - before]).toEqual([3, 4]);
  });

  it('counts nothing for a request that is not valid', () => {
    expect(errorOf(update(key('a'), 'SET n = :unknown'))).toBe('ValidationException');
    expect(dynamodb.billed).toEqual({ read: 0, write: 0 });
  });

  it('names the index units apart when asked to', () => {
    const answer = put({ ...key('a'), overdueShard: { S: 's' }, overdueAtMs: { N: '1' } }, { ReturnConsumedCapacity: 'INDEXES' });
    expect(answer).toEqual({
      output: {
        ConsumedCapacity: {
          TableName,
          CapacityUnits: 2,
          Table: { CapacityUnits: 1 },
          GlobalSecondaryIndexes: { overdue: { CapacityUnits: 1 } },
        },
      },
    });
  });

  it('counts a repeated transaction as a read', () => {
    const transaction = {
      ClientRequestToken: 't',
      ReturnConsumedCapacity: 'TOTAL',
      TransactItems: [{ Put: { TableName, Item: key('a') } }],
    };
    dynamodb.handle('TransactWriteItems', transaction);
    dynamodb.handle('TransactWriteItems', transaction);
    expect(dynamodb.billed).toEqual({ read: 2, write: 2 });
  });
});

describe('request tokens of transactions', () => {
  it('are forgotten after ten minutes', () => {
    const add = { TableName, Key: key('a'), UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': { N: '1' } } };
    const transaction = { ClientRequestToken: 't', TransactItems: [{ Update: add }] };
    for (const minutes of [0, 9, 11]) {
      nowMs = NOON_MS + minutes * 60_000;
      dynamodb.handle('TransactWriteItems', transaction);
    }
    expect(dynamodb.item(TableName, key('a'))?.['n']).toEqual({ N: '2' });
  });
});

describe('order', () => {
  it('of numbers in a key is numeric, of any size and sign', () => {
    dynamodb.createTable({
      ...plainTable('Numbers', ['pk', 'n']),
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'n', AttributeType: 'N' },
      ],
    });
    const numbers = ['10', '9', '-2', '-10', '0.5', '0.25', '12345678901234567890123456789012345678', '0'];
    for (const n of numbers) dynamodb.handle('PutItem', { TableName: 'Numbers', Item: { pk: { S: 'p' }, n: { N: n } } });
    expect(dynamodb.items('Numbers').map((item) => item['n']?.N)).toEqual([
      '-10',
      '-2',
      '0',
      '0.25',
      '0.5',
      '9',
      '10',
      '12345678901234567890123456789012345678',
    ]);
  });
});

describe('order of texts', () => {
  it('in a key is the one of their bytes, also for characters beyond the first 65,536', () => {
    const texts = ['b', 'a', 'ab', '\u{1F600}', '\uFFFD', 'ä', '\u{1F600}a'];
    for (const text of texts) put(key(text));
    const byBytes = texts.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    expect(dynamodb.items(TableName).map((item) => item['sk']?.S)).toEqual(byBytes);
  });
});

describe('a stale read', () => {
  it('sees every item, and every index entry, as it was so many changes ago', () => {
    const overdue = (at: string) => ({ overdueShard: { S: 's' }, overdueAtMs: { N: at } });
    put({ ...key('a'), ...overdue('2') });
    put({ ...key('b'), ...overdue('1') });
    update(key('a'), 'SET overdueAtMs = :zero', { ':zero': { N: '0' } });
    dynamodb.handle('DeleteItem', { TableName, Key: key('b') });
    put(key('c'));
    const index = { IndexName: 'overdue', KeyConditionExpression: 'overdueShard = :s', ExpressionAttributeValues: { ':s': { S: 's' } } };
    const seen = [0, 1, 2, 3, 4, 9].map((changesBehind) =>
      [dynamodb.handle('Query', { TableName, ...index }, { changesBehind }), dynamodb.handle('Scan', { TableName }, { changesBehind })].map(
        (answer) => ('output' in answer ? (answer.output['Items'] as { sk: { S: string } }[]).map(({ sk }) => sk.S).join('') : answer),
      ),
    );
    expect(seen).toEqual([
      ['a', 'ac'],
      ['a', 'a'],
      ['ab', 'ab'],
      ['ba', 'ab'],
      ['a', 'a'],
      ['', ''],
    ]);
  });
});

describe('an expression seen before', () => {
  const add = (value: object, more: object = {}) =>
    dynamodb.handle('UpdateItem', {
      TableName,
      Key: key('a'),
      UpdateExpression: 'ADD n :v',
      ConditionExpression: 'attribute_not_exists(n) OR n < :most',
      ExpressionAttributeValues: { ':v': value, ':most': { N: '3.0' } },
      ...more,
    });

  it('is carried out and judged with the values of this request', () => {
    const answers = ['1', '5', '1'].map((N) => errorOf(add({ N })));
    expect([answers, dynamodb.item(TableName, key('a'))?.['n']]).toEqual([
      [undefined, undefined, 'ConditionalCheckFailedException'],
      { N: '6' },
    ]);
  });

  it('is refused for values of another kind, unused values and other names, before its condition is judged', () => {
    add({ N: '5' });
    const refused = [
      add({ S: 'text' }),
      add({ N: 'no number' }),
      add({ N: '1' }, { ExpressionAttributeValues: { ':v': { N: '1' }, ':most': { N: '3' }, ':unused': { N: '1' } } }),
      add({ N: '1' }, { ExpressionAttributeNames: { '#unused': 'x' } }),
      add({ N: '1' }, { ReturnValues: 'SOME' }),
    ];
    expect(refused.map(errorOf)).toEqual(Array(5).fill('ValidationException'));
    expect(errorOf(add({ N: '1' }))).toBe('ConditionalCheckFailedException');
  });

  it('still has its bounds compared, which no kind of value tells', () => {
    const between = (low: string, high: string) =>
      put(key('b'), {
        ConditionExpression: 'NOT n BETWEEN :low AND :high',
        ExpressionAttributeValues: { ':low': { N: low }, ':high': { N: high } },
      });
    expect([between('1', '2'), between('2', '1')].map(errorOf)).toEqual([undefined, 'ValidationException']);
  });
});

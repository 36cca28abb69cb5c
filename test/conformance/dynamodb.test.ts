import { randomUUID } from 'node:crypto';
import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type ScanCommandInput,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stateTable } from '../support/fake-aws/project-tables.ts';
import { answerTo, steps } from './dynamodb-steps.ts';
import { describeConformance, emulatorTarget, endpoint, fakeTarget, randomRuns, refusalOf } from './target.ts';

type Unnamed<Input> = Omit<Input, 'TableName'>;

describeConformance('dynamodb', (promise, target) => {
  let TableName: string;
  let pk: string;
  let count = 0;
  beforeAll(async () => {
    TableName = await target.createTable(stateTable('conformance'));
  });
  beforeEach(() => {
    pk = `p-${++count}`;
  });

  const key = (sk = 'a') => ({ pk: { S: pk }, sk: { S: sk } });
  const put = (input: Unnamed<PutItemCommandInput>) => target.dynamodb.send(new PutItemCommand({ TableName, ...input }));
  const update = (input: Partial<UpdateItemCommandInput>) =>
    target.dynamodb.send(new UpdateItemCommand({ TableName, Key: key(), ...input }));
  const remove = (input: Partial<DeleteItemCommandInput>) =>
    target.dynamodb.send(new DeleteItemCommand({ TableName, Key: key(), ...input }));
  const read = async (sk = 'a') => (await target.dynamodb.send(new GetItemCommand({ TableName, Key: key(sk), ConsistentRead: true }))).Item;
  const query = (input: Unnamed<QueryCommandInput>) => target.dynamodb.send(new QueryCommand({ TableName, ...input }));
  const scan = (input: Unnamed<ScanCommandInput>) => target.dynamodb.send(new ScanCommand({ TableName, ...input }));
  const transact = (input: TransactWriteItemsCommandInput) => target.dynamodb.send(new TransactWriteItemsCommand(input));
  const batchGet = (input: BatchGetItemCommandInput) => target.dynamodb.send(new BatchGetItemCommand(input));
  const partition = { KeyConditionExpression: 'pk = :pk', ConsistentRead: true };
  const ofPartition = () => ({ ...partition, ExpressionAttributeValues: { ':pk': { S: pk } } });
  const sortKeys = (items: readonly Record<string, { S?: string }>[] | undefined) => (items ?? []).map((item) => item['sk']?.S);

  // Items and numbers

  promise('gives back every kind of value as it was put', async () => {
    const Item = {
      ...key(),
      text: { S: 'ä “quoted” 😀' },
      empty: { S: '' },
      number: { N: '-12.5' },
      binary: { B: new Uint8Array([0, 255, 7]) },
      yes: { BOOL: true },
      nothing: { NULL: true },
      list: { L: [{ S: 'x' }, { M: { deep: { N: '1' } } }] },
      map: { M: {} },
    };
    await put({ Item });
    expect(await read()).toEqual(Item);
  });

  promise('keeps the elements of a set, in no promised order', async () => {
    await put({ Item: { ...key(), texts: { SS: ['b', 'a'] }, numbers: { NS: ['2', '1'] } } });
    const item = await read();
    expect([item?.['texts']?.SS?.toSorted(), item?.['numbers']?.NS?.toSorted()]).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  promise('keeps 38 digits and counts on with them', async () => {
    await put({ Item: { ...key(), n: { N: '12345678901234567890123456789012345678' } } });
    await update({ UpdateExpression: 'SET n = n + :one', ExpressionAttributeValues: { ':one': { N: '1' } } });
    expect((await read())?.['n']).toEqual({ N: '12345678901234567890123456789012345679' });
  });

  promise('refuses a number of 39 digits', async () => {
    const error = await refusalOf(put({ Item: { ...key(), n: { N: '123456789012345678901234567890123456789' } } }));
    expect(error.name).toBe('ValidationException');
  });

  promise('writes a number in one way, however it was sent', async () => {
    await put({ Item: { ...key(), n: { N: '001.50' }, m: { N: '1e3' } } });
    const item = await read();
    expect([item?.['n'], item?.['m']]).toEqual([{ N: '1.5' }, { N: '1000' }]);
  });

  promise('counts decimals exactly', async () => {
    await put({ Item: { ...key(), n: { N: '0.1' } } });
    const { Attributes } = await update({
      UpdateExpression: 'ADD n :more SET m = n - :less, o = n + :rest',
      ExpressionAttributeValues: { ':more': { N: '0.2' }, ':less': { N: '0.3' }, ':rest': { N: '0.9' } },
      ReturnValues: 'UPDATED_NEW',
    });
    expect(Attributes).toEqual({ n: { N: '0.3' }, m: { N: '-0.2' }, o: { N: '1' } });
  });

  // Conditions

  promise('refuses a put whose condition fails and returns the item that stood in its way', async () => {
    await put({ Item: { ...key(), status: { S: 'paid' } } });
    const again = put({ Item: key(), ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' });
    const error = await refusalOf(again);
    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect(error['Item']).toEqual({ ...key(), status: { S: 'paid' } });
    expect(await read()).toEqual({ ...key(), status: { S: 'paid' } });
  });

  promise('returns the old item of a refused update and of a refused delete', async () => {
    await put({ Item: key() });
    const refused = { ConditionExpression: 'attribute_exists(nothing)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    const errors = [await refusalOf(update({ ...refused, UpdateExpression: 'REMOVE x' })), await refusalOf(remove(refused))];
    expect(errors.map((error) => [error.name, error['Item']])).toEqual([
      ['ConditionalCheckFailedException', key()],
      ['ConditionalCheckFailedException', key()],
    ]);
  });

  promise('returns no item where none stood or none was asked for', async () => {
    const refused = { ConditionExpression: 'attribute_exists(pk)', UpdateExpression: 'REMOVE x' };
    const absent = await refusalOf(update({ ...refused, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }));
    await put({ Item: key('b') });
    const unasked = await refusalOf(put({ Item: key('b'), ConditionExpression: 'attribute_not_exists(pk)' }));
    expect([absent['Item'], unasked['Item']]).toEqual([undefined, undefined]);
    expect(await read()).toBeUndefined();
  });

  const ITEM = {
    n: { N: '5' },
    s: { S: 'abc' },
    list: { L: [{ S: 'x' }, { N: '1' }] },
    map: { M: { inner: { S: 'v' } } },
    set: { SS: ['a', 'b'] },
    flag: { BOOL: false },
  };
  const VALUES: Record<string, Record<string, unknown>> = {
    ':five': { N: '5' },
    ':nine': { N: '9' },
    ':fiveText': { S: '5' },
    ':ab': { S: 'ab' },
    ':abd': { S: 'abd' },
    ':a': { S: 'a' },
    ':x': { S: 'x' },
    ':v': { S: 'v' },
    ':L': { S: 'L' },
    ':two': { N: '2' },
    ':three': { N: '3' },
    ':no': { BOOL: false },
    ':list': { L: [{ S: 'x' }, { N: '1' }] },
    ':map': { M: { inner: { S: 'v' } } },
    ':set': { SS: ['b', 'a'] },
  };
  const CONDITIONS: readonly (readonly [string, boolean])[] = [
    ['n = :five', true],
    ['n <> :five', false],
    ['n = :fiveText', false],
    ['n <> :fiveText', true],
    ['n < :nine AND n > :two', true],
    ['n BETWEEN :five AND :nine', true],
    ['n IN (:two, :five)', true],
    ['n < :fiveText', false],
    ['s >= :ab', true],
    ['s < :abd', true],
    ['begins_with(s, :ab)', true],
    ['contains(s, :ab)', true],
    ['contains(#set, :a)', true],
    ['contains(#list, :x)', true],
    ['contains(#set, :ab)', false],
    ['attribute_exists(#map.#inner)', true],
    ['attribute_not_exists(#map.gone)', true],
    ['#map.#inner = :v', true],
    ['#list[0] = :x', true],
    ['attribute_type(#list, :L)', true],
    ['size(#list) = :two', true],
    ['size(s) = :three', true],
    ['flag = :no', true],
    ['#list = :list', true],
    ['#map = :map', true],
    ['#set = :set', true],
    ['gone = :five', false],
    ['gone <> :five', true],
    ['gone < :five', false],
    ['gone IN (:five)', false],
    ['NOT gone = :five', true],
    ['gone = lost', false],
    ['gone <= lost', false],
    ['begins_with(gone, :ab)', false],
    ['size(gone) = :two', false],
    ['attribute_exists(flag)', true],
    ['n = :five OR n = :nine AND n = :two', true],
    ['(n = :five OR n = :nine) AND n = :two', false],
    ['NOT n = :nine AND n = :five', true],
  ];
  for (const [condition, expected] of CONDITIONS) {
    promise(`judges ${condition} as ${expected}`, async () => {
      await put({ Item: { ...key(), ...(ITEM as object) } });
      const used = Object.entries(VALUES).filter(([name]) => new RegExp(`${name}\\b`).test(condition));
      const names = ['list', 'map', 'set', 'inner'].filter((name) => condition.includes(`#${name}`));
      const wish = remove({
        ConditionExpression: condition,
        ...(used.length > 0 && { ExpressionAttributeValues: Object.fromEntries(used) as never }),
        ...(names.length > 0 && { ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])) }),
      });
      const answer = await wish.then(
        () => true,
        (error: Error) => (error.name === 'ConditionalCheckFailedException' ? false : error.message),
      );
      expect(answer).toBe(expected);
    });
  }

  // Updates

  promise('creates the item an update finds missing', async () => {
    const { Attributes } = await update({
      UpdateExpression: 'SET a = :a',
      ExpressionAttributeValues: { ':a': { S: 'x' } },
      ReturnValues: 'ALL_NEW',
    });
    expect(Attributes).toEqual({ ...key(), a: { S: 'x' } });
  });

  promise('returns what was asked for: all or the updated attributes, before or after', async () => {
    const wishes = ['ALL_OLD', 'UPDATED_OLD', 'UPDATED_NEW', 'ALL_NEW', 'NONE'] as const;
    const answers: unknown[] = [];
    for (const ReturnValues of wishes) {
      await put({ Item: { ...key(), a: { S: 'old' }, b: { S: 'kept' } } });
      const values = { ':a': { S: 'new' } };
      answers.push((await update({ UpdateExpression: 'SET a = :a', ExpressionAttributeValues: values, ReturnValues })).Attributes);
    }
    const whole = (a: string) => ({ ...key(), a: { S: a }, b: { S: 'kept' } });
    expect(answers).toEqual([whole('old'), { a: { S: 'old' } }, { a: { S: 'new' } }, whole('new'), undefined]);
  });

  promise('returns the old item of a put and of a delete on request', async () => {
    await put({ Item: { ...key(), a: { S: 'x' } } });
    const replaced = await put({ Item: key(), ReturnValues: 'ALL_OLD' });
    const deleted = await remove({ ReturnValues: 'ALL_OLD' });
    const nothing = await remove({ ReturnValues: 'ALL_OLD' });
    expect([replaced.Attributes, deleted.Attributes, nothing.Attributes]).toEqual([{ ...key(), a: { S: 'x' } }, key(), undefined]);
  });

  promise('reads every operand from the item as it was before the update', async () => {
    await put({ Item: { ...key(), a: { S: '1' }, b: { S: '2' } } });
    await update({ UpdateExpression: 'SET a = b, b = a REMOVE c' });
    expect(await read()).toEqual({ ...key(), a: { S: '2' }, b: { S: '1' } });
  });

  promise('removes list elements by the positions they had before', async () => {
    await put({ Item: { ...key(), l: { L: [{ N: '0' }, { N: '1' }, { N: '2' }, { N: '3' }] } } });
    await update({ UpdateExpression: 'REMOVE l[0], l[2]' });
    expect((await read())?.['l']).toEqual({ L: [{ N: '1' }, { N: '3' }] });
  });

  promise('appends where a list position lies behind the end', async () => {
    await put({ Item: { ...key(), l: { L: [{ N: '0' }] } } });
    await update({ UpdateExpression: 'SET l[7] = :one', ExpressionAttributeValues: { ':one': { N: '1' } } });
    expect((await read())?.['l']).toEqual({ L: [{ N: '0' }, { N: '1' }] });
  });

  promise('sets by if_not_exists, list_append and nested paths', async () => {
    await put({ Item: { ...key(), m: { M: {} }, l: { L: [{ N: '1' }] } } });
    await update({
      UpdateExpression: 'SET m.deep = if_not_exists(m.deep, :zero), l = list_append(l, :more), n = if_not_exists(n, :zero) + :one',
      ExpressionAttributeValues: { ':zero': { N: '0' }, ':one': { N: '1' }, ':more': { L: [{ N: '2' }] } },
    });
    expect(await read()).toEqual({ ...key(), m: { M: { deep: { N: '0' } } }, l: { L: [{ N: '1' }, { N: '2' }] }, n: { N: '1' } });
  });

  promise('adds to a missing number from zero and keeps sets without repetition', async () => {
    const values = { ':one': { N: '1' }, ':ab': { SS: ['a', 'b'] } };
    await update({ UpdateExpression: 'ADD n :one, s :ab', ExpressionAttributeValues: values });
    await update({ UpdateExpression: 'ADD n :one, s :ab', ExpressionAttributeValues: values });
    const item = await read();
    expect([item?.['n'], item?.['s']?.SS?.toSorted()]).toEqual([{ N: '2' }, ['a', 'b']]);
  });

  promise('removes a set with its last element', async () => {
    await put({ Item: { ...key(), s: { SS: ['a', 'b'] } } });
    await update({ UpdateExpression: 'DELETE s :a', ExpressionAttributeValues: { ':a': { SS: ['a', 'b', 'c'] } } });
    expect(await read()).toEqual(key());
  });

  promise('takes attribute names with any characters through placeholders', async () => {
    const ExpressionAttributeNames = { '#op': 'op:capture:1', '#odd': 'a#b.c[0]' };
    await update({
      UpdateExpression: 'SET #op = :x, #odd = :x',
      ExpressionAttributeNames,
      ExpressionAttributeValues: { ':x': { S: 'x' } },
    });
    expect(await read()).toEqual({ ...key(), 'op:capture:1': { S: 'x' }, 'a#b.c[0]': { S: 'x' } });
  });

  const one = { ':one': { N: '1' } };
  const REFUSED: Readonly<Record<string, Partial<UpdateItemCommandInput>>> = {
    'overlapping paths': { UpdateExpression: 'SET m = :one, m.a = :one', ExpressionAttributeValues: one },
    'the same path twice': { UpdateExpression: 'SET n = :one REMOVE n', ExpressionAttributeValues: one },
    'two SET sections': { UpdateExpression: 'SET n = :one SET o = :one', ExpressionAttributeValues: one },
    'an unused name': { UpdateExpression: 'SET n = :one', ExpressionAttributeValues: one, ExpressionAttributeNames: { '#unused': 'x' } },
    'an unused value': { UpdateExpression: 'SET n = :one', ExpressionAttributeValues: { ...one, ':unused': { N: '2' } } },
    'an undefined name': { UpdateExpression: 'SET #n = :one', ExpressionAttributeValues: one },
    'an undefined value': { UpdateExpression: 'SET n = :two', ExpressionAttributeValues: one },
    'a reserved word': { UpdateExpression: 'SET status = :one', ExpressionAttributeValues: one },
    'an empty expression': { UpdateExpression: '' },
    'a syntax error': { UpdateExpression: 'SET n == :one', ExpressionAttributeValues: one },
    'a change of the key': { UpdateExpression: 'SET sk = :one', ExpressionAttributeValues: one },
    'a path below a missing map': { UpdateExpression: 'SET gone.a = :one', ExpressionAttributeValues: one },
    'a removal below a missing list': { UpdateExpression: 'REMOVE gone[0]' },
    'an operand that does not exist': { UpdateExpression: 'SET n = gone + :one', ExpressionAttributeValues: one },
    'a sum with text': { UpdateExpression: 'SET n = s + :one', ExpressionAttributeValues: one },
    'an addition to text': { UpdateExpression: 'ADD s :one', ExpressionAttributeValues: one },
    'a key of the wrong type': { Key: { pk: { N: '1' }, sk: { S: 'a' } }, UpdateExpression: 'REMOVE n' },
    'an incomplete key': { Key: { pk: { S: 'a' } }, UpdateExpression: 'REMOVE n' },
    'an empty key': { Key: { pk: { S: '' }, sk: { S: 'a' } }, UpdateExpression: 'REMOVE n' },
    'an index key of the wrong type': {
      UpdateExpression: 'SET overdueAtMs = :text',
      ExpressionAttributeValues: { ':text': { S: 'soon' } },
    },
    'an empty index key': { UpdateExpression: 'SET overdueShard = :text', ExpressionAttributeValues: { ':text': { S: '' } } },
    'an empty set': { UpdateExpression: 'SET n = :set', ExpressionAttributeValues: { ':set': { SS: [] } } },
    'a comparison of operands that can never match': {
      ConditionExpression: 'begins_with(n, :one)',
      UpdateExpression: 'REMOVE n',
      ExpressionAttributeValues: one,
    },
    'a condition of an attribute on itself': { ConditionExpression: 'n = n', UpdateExpression: 'REMOVE n' },
  };
  for (const [what, input] of Object.entries(REFUSED)) {
    promise(`refuses an update with ${what} and changes nothing`, async () => {
      await put({ Item: { ...key(), n: { N: '7' }, s: { S: 'text' }, m: { M: {} } } });
      expect((await refusalOf(update(input))).name).toBe('ValidationException');
      expect(await read()).toEqual({ ...key(), n: { N: '7' }, s: { S: 'text' }, m: { M: {} } });
    });
  }

  promise('refuses an item above 400 KB, put at once or grown to it', async () => {
    const half = { S: 'x'.repeat(210 * 1024) };
    const whole = await refusalOf(put({ Item: { ...key(), a: half, b: half } }));
    await put({ Item: { ...key(), a: half } });
    const grown = await refusalOf(update({ UpdateExpression: 'SET b = :half', ExpressionAttributeValues: { ':half': half } }));
    expect([whole.name, grown.name]).toEqual(['ValidationException', 'ValidationException']);
  });

  promise('measures an item in bytes, not in characters', async () => {
    const error = await refusalOf(put({ Item: { ...key(), a: { S: 'ä'.repeat(205 * 1024) } } }));
    expect(error.name).toBe('ValidationException');
  });

  promise('refuses an item without its key and an empty key', async () => {
    const errors = [
      await refusalOf(put({ Item: { pk: { S: pk } } })),
      await refusalOf(put({ Item: { pk: { S: '' }, sk: { S: 'a' } } })),
      await refusalOf(put({ Item: { pk: { N: '1' }, sk: { S: 'a' } } })),
    ];
    expect(errors.map((error) => error.name)).toEqual(Array(3).fill('ValidationException'));
  });

  promise('knows no table that was not created', async () => {
    const error = await refusalOf(target.dynamodb.send(new GetItemCommand({ TableName: 'never-created', Key: key() })));
    expect(error.name).toBe('ResourceNotFoundException');
  });

  // Reads

  promise('answers nothing for an item that is not there', async () => {
    expect(await read('missing')).toBeUndefined();
    await remove({ Key: key('missing') });
  });

  promise('projects nested paths of an item', async () => {
    await put({ Item: { ...key(), m: { M: { a: { N: '1' }, b: { N: '2' } } }, l: { L: [{ N: '0' }, { N: '1' }] }, rest: { S: 'x' } } });
    const { Item } = await target.dynamodb.send(new GetItemCommand({ TableName, Key: key(), ProjectionExpression: 'm.a, l[1], nothing' }));
    expect(Item).toEqual({ m: { M: { a: { N: '1' } } }, l: { L: [{ N: '1' }] } });
  });

  promise('queries a partition in the order of the sort key, forwards and backwards', async () => {
    for (const sk of ['b', 'a', 'B', 'é', 'c']) await put({ Item: key(sk) });
    const forwards = await query(ofPartition());
    const backwards = await query({ ...ofPartition(), ScanIndexForward: false });
    expect(sortKeys(forwards.Items as never)).toEqual(['B', 'a', 'b', 'c', 'é']);
    expect(sortKeys(backwards.Items as never)).toEqual(['é', 'c', 'b', 'a', 'B']);
  });

  promise('narrows a query by the sort key', async () => {
    for (const sk of ['a1', 'a2', 'b1', 'b2']) await put({ Item: key(sk) });
    const narrowed = async (condition: string, values: Record<string, { S: string }>) => {
      const { Items } = await query({
        KeyConditionExpression: `pk = :pk AND ${condition}`,
        ExpressionAttributeValues: { ':pk': { S: pk }, ...values },
      });
      return sortKeys(Items as never);
    };
    expect(await narrowed('begins_with(sk, :a)', { ':a': { S: 'a' } })).toEqual(['a1', 'a2']);
    expect(await narrowed('sk BETWEEN :a AND :b', { ':a': { S: 'a2' }, ':b': { S: 'b1' } })).toEqual(['a2', 'b1']);
    expect(await narrowed('sk > :a', { ':a': { S: 'a2' } })).toEqual(['b1', 'b2']);
    expect(await narrowed('sk <= :a', { ':a': { S: 'a2' } })).toEqual(['a1', 'a2']);
    expect(await narrowed('sk = :a', { ':a': { S: 'b2' } })).toEqual(['b2']);
  });

  promise('pages a query and counts what it looked at before filtering', async () => {
    for (const sk of ['a', 'b', 'c']) await put({ Item: { ...key(sk), odd: { BOOL: sk !== 'b' } } });
    const filter = { FilterExpression: 'odd = :yes', ExpressionAttributeValues: { ':pk': { S: pk }, ':yes': { BOOL: true } } };
    const first = await query({ ...partition, ...filter, Limit: 2 });
    const second = await query({ ...partition, ...filter, Limit: 2, ExclusiveStartKey: first.LastEvaluatedKey });
    expect([first.Count, first.ScannedCount, first.LastEvaluatedKey, sortKeys(first.Items as never)]).toEqual([1, 2, key('b'), ['a']]);
    expect([second.Count, second.ScannedCount, second.LastEvaluatedKey, sortKeys(second.Items as never)]).toEqual([1, 1, undefined, ['c']]);
  });

  promise('pages backwards from a key that is gone', async () => {
    for (const sk of ['a', 'b', 'c']) await put({ Item: key(sk) });
    const { LastEvaluatedKey } = await query({ ...ofPartition(), ScanIndexForward: false, Limit: 2 });
    await remove({ Key: key('b') });
    const rest = await query({ ...ofPartition(), ScanIndexForward: false, ExclusiveStartKey: LastEvaluatedKey });
    expect([LastEvaluatedKey, sortKeys(rest.Items as never)]).toEqual([key('b'), ['a']]);
  });

  promise('ends a page at about one megabyte and goes on behind it', async () => {
    for (const sk of ['a', 'b', 'c', 'd']) await put({ Item: { ...key(sk), text: { S: 'x'.repeat(350 * 1024) } } });
    const first = await query({ ...ofPartition(), ProjectionExpression: 'sk' });
    const second = await query({ ...ofPartition(), ProjectionExpression: 'sk', ExclusiveStartKey: first.LastEvaluatedKey });
    expect(first.LastEvaluatedKey).toEqual(key(sortKeys(first.Items as never).at(-1)));
    expect([...sortKeys(first.Items as never), ...sortKeys(second.Items as never)]).toEqual(['a', 'b', 'c', 'd']);
    expect(second.LastEvaluatedKey).toBeUndefined();
  });

  promise('counts without items', async () => {
    await put({ Item: key() });
    const { Count, Items } = await query({ ...ofPartition(), Select: 'COUNT' });
    expect([Count, Items]).toEqual([1, undefined]);
  });

  const overdue = (shard: string, atMs: string) => ({ overdueShard: { S: shard }, overdueAtMs: { N: atMs } });
  const overdueBefore = (atMs: string): Unnamed<QueryCommandInput> => ({
    IndexName: 'overdue',
    KeyConditionExpression: 'overdueShard = :shard AND overdueAtMs <= :now',
    ExpressionAttributeValues: { ':shard': { S: pk }, ':now': { N: atMs } },
  });

  promise('holds in a sparse index only what has its keys, in numeric order and with keys alone', async () => {
    await put({ Item: key('healthy') });
    await put({ Item: { ...key('late'), ...overdue(pk, '1000'), rest: { S: 'x' } } });
    await put({ Item: { ...key('early'), ...overdue(pk, '9'), rest: { S: 'x' } } });
    await put({ Item: { ...key('future'), ...overdue(pk, '5000') } });
    const { Items } = await query(overdueBefore('1000'));
    expect(Items).toEqual([
      { ...key('early'), ...overdue(pk, '9') },
      { ...key('late'), ...overdue(pk, '1000') },
    ]);
  });

  promise('drops an index entry with its key and moves it with its value', async () => {
    await put({ Item: { ...key('a'), ...overdue(pk, '10') } });
    await put({ Item: { ...key('b'), ...overdue(pk, '20') } });
    await update({ Key: key('a'), UpdateExpression: 'REMOVE overdueShard, overdueAtMs' });
    await update({ Key: key('b'), UpdateExpression: 'SET overdueAtMs = :later', ExpressionAttributeValues: { ':later': { N: '30' } } });
    const [before, later] = [await query(overdueBefore('25')), await query(overdueBefore('30'))];
    expect([sortKeys(before.Items as never), sortKeys(later.Items as never)]).toEqual([[], ['b']]);
  });

  promise('pages an index over equal sort keys without losing or repeating any', async () => {
    for (const sk of ['a', 'b', 'c', 'd', 'e']) await put({ Item: { ...key(sk), ...overdue(pk, '10') } });
    const seen: unknown[] = [];
    let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
    do {
      const page: Awaited<ReturnType<typeof query>> = await query({ ...overdueBefore('10'), Limit: 2, ExclusiveStartKey });
      seen.push(...sortKeys(page.Items as never));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey);
    expect(seen.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  const REFUSED_QUERIES: Readonly<Record<string, () => Unnamed<QueryCommandInput>>> = {
    'a consistent read of an index': () => ({ ...overdueBefore('1'), ConsistentRead: true }),
    'an index that does not exist': () => ({ ...overdueBefore('1'), IndexName: 'other' }),
    'attributes an index does not hold': () => ({ ...overdueBefore('1'), Select: 'ALL_ATTRIBUTES' }),
    'a query without the partition key': () => ({ KeyConditionExpression: 'sk = :pk', ExpressionAttributeValues: { ':pk': { S: pk } } }),
    'a query over a range of partitions': () => ({ KeyConditionExpression: 'pk > :pk', ExpressionAttributeValues: { ':pk': { S: pk } } }),
    'a filter on a key': () => ({ ...ofPartition(), FilterExpression: 'sk = :pk' }),
    'a key condition on another attribute': () => ({ ...ofPartition(), KeyConditionExpression: 'pk = :pk AND other = :pk' }),
    'a start key that is not one': () => ({ ...ofPartition(), ExclusiveStartKey: { pk: { S: pk } } }),
  };
  for (const [what, input] of Object.entries(REFUSED_QUERIES)) {
    promise(`refuses ${what}`, async () => {
      expect((await refusalOf(query(input()))).name).toBe('ValidationException');
    });
  }

  promise('scans in segments that are disjoint and complete, page by page', async () => {
    const wanted = Array.from({ length: 30 }, (_, position) => `${pk}-${position}`);
    for (const one of wanted) await put({ Item: { pk: { S: one }, sk: { S: 'a' }, mark: { S: pk } } });
    const seen: unknown[] = [];
    for (const Segment of [0, 1, 2]) {
      let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
      do {
        const filter = { FilterExpression: 'mark = :mark', ExpressionAttributeValues: { ':mark': { S: pk } } };
        const page: Awaited<ReturnType<typeof scan>> = await scan({ ...filter, Segment, TotalSegments: 3, Limit: 20, ExclusiveStartKey });
        seen.push(...(page.Items ?? []).map((item) => item['pk']?.S));
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey);
    }
    expect(seen.toSorted()).toEqual(wanted.toSorted());
  });

  promise('scans the sparse index alone', async () => {
    await put({ Item: key('healthy') });
    await put({ Item: { ...key('late'), ...overdue(pk, '1000') } });
    const { Items } = await scan({
      IndexName: 'overdue',
      FilterExpression: 'overdueShard = :shard',
      ExpressionAttributeValues: { ':shard': { S: pk } },
    });
    expect(sortKeys(Items as never)).toEqual(['late']);
  });

  promise('gets many items at once and leaves out the missing ones', async () => {
    await put({ Item: { ...key('a'), n: { N: '1' }, m: { N: '2' } } });
    await put({ Item: key('b') });
    const { Responses, UnprocessedKeys } = await batchGet({
      RequestItems: { [TableName]: { Keys: [key('a'), key('b'), key('c')], ConsistentRead: true, ProjectionExpression: 'sk, n' } },
    });
    expect(sortKeys(Responses?.[TableName] as never).toSorted()).toEqual(['a', 'b']);
    expect(Responses?.[TableName]).toContainEqual({ sk: { S: 'a' }, n: { N: '1' } });
    expect(UnprocessedKeys).toEqual({});
  });

  promise('refuses to get one item twice in a batch', async () => {
    const error = await refusalOf(batchGet({ RequestItems: { [TableName]: { Keys: [key('a'), key('a')] } } }));
    expect(error.name).toBe('ValidationException');
  });

  // Transactions

  /** An emulator remembers the tokens of the run before. */
  const run = randomUUID().slice(0, 8);
  const tokenOf = (name: string) => `${run}-${name}`;

  promise('writes all items of a transaction or none', async () => {
    await put({ Item: { ...key('stock'), left: { N: '1' } } });
    const take = (token: string) => ({
      ClientRequestToken: tokenOf(token),
      TransactItems: [
        { Put: { TableName, Item: key(token), ConditionExpression: 'attribute_not_exists(pk)' } },
        {
          Update: {
            TableName,
            Key: key('stock'),
            UpdateExpression: 'SET #left = #left - :one',
            ConditionExpression: '#left >= :one',
            ExpressionAttributeNames: { '#left': 'left' },
            ExpressionAttributeValues: one,
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
          },
        },
      ],
    });
    await transact(take('first'));
    const error = await refusalOf(transact(take('second')));
    expect(error.name).toBe('TransactionCanceledException');
    expect(error['CancellationReasons']).toMatchObject([
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Item: { ...key('stock'), left: { N: '0' } } },
    ]);
    expect([await read('first'), await read('second')]).toEqual([key('first'), undefined]);
  });

  promise('names the reason of every action of a cancelled transaction in order', async () => {
    await put({ Item: key('a') });
    const error = await refusalOf(
      transact({
        TransactItems: [
          {
            ConditionCheck: {
              TableName,
              Key: key('missing'),
              ConditionExpression: 'attribute_exists(pk)',
              ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
            },
          },
          { Delete: { TableName, Key: key('b') } },
          { Delete: { TableName, Key: key('a'), ConditionExpression: 'attribute_not_exists(pk)' } },
        ],
      }),
    );
    const reasons = error['CancellationReasons'] as { Code: string; Item?: unknown }[];
    expect(reasons.map(({ Code, Item }) => [Code, Item])).toEqual([
      ['ConditionalCheckFailed', undefined],
      ['None', undefined],
      ['ConditionalCheckFailed', undefined],
    ]);
    expect(error.message).toContain('[ConditionalCheckFailed, None, ConditionalCheckFailed]');
  });

  promise('refuses two actions on one item and more than a hundred actions', async () => {
    const twice = await refusalOf(
      transact({
        TransactItems: [
          { Delete: { TableName, Key: key() } },
          { ConditionCheck: { TableName, Key: key(), ConditionExpression: 'attribute_exists(pk)' } },
        ],
      }),
    );
    const TransactItems = Array.from({ length: 101 }, (_, position) => ({ Delete: { TableName, Key: key(`${position}`) } }));
    const many = await refusalOf(transact({ TransactItems }));
    expect([twice.name, many.name]).toEqual(['ValidationException', 'ValidationException']);
  });

  const countOnce = (token: string, by: string): TransactWriteItemsCommandInput => ({
    ClientRequestToken: tokenOf(token),
    ReturnConsumedCapacity: 'TOTAL',
    TransactItems: [{ Update: { TableName, Key: key(), UpdateExpression: 'ADD n :by', ExpressionAttributeValues: { ':by': { N: by } } } }],
  });

  promise('applies a repeated transaction once and refuses its token for another', async () => {
    await transact(countOnce(`${pk}-t`, '1'));
    await transact(countOnce(`${pk}-t`, '1'));
    const error = await refusalOf(transact(countOnce(`${pk}-t`, '2')));
    expect([error.name, (await read())?.['n']]).toEqual(['IdempotentParameterMismatchException', { N: '1' }]);
  });

  promise('cancels a transaction again whose first try was cancelled, token or not', async () => {
    const input = {
      ClientRequestToken: tokenOf(`${pk}-t`),
      TransactItems: [{ ConditionCheck: { TableName, Key: key(), ConditionExpression: 'attribute_exists(pk)' } }],
    };
    const errors = [await refusalOf(transact(input)), await refusalOf(transact(input))];
    expect(errors.map((error) => error.name)).toEqual(Array(2).fill('TransactionCanceledException'));
    await put({ Item: key() });
    await transact(input);
  });

  promise('refuses a transaction with an invalid expression and writes nothing', async () => {
    const TransactItems = [
      { Put: { TableName, Item: key('a') } },
      { Update: { TableName, Key: key('b'), UpdateExpression: 'SET x = :unknown' } },
    ];
    expect((await refusalOf(transact({ TransactItems }))).name).toBe('ValidationException');
    expect(await read('a')).toBeUndefined();
  });

  promise('cancels a transaction for an update that does not fit its item', async () => {
    await put({ Item: { ...key('b'), s: { S: 'text' } } });
    const TransactItems = [
      { Put: { TableName, Item: key('a') } },
      { Update: { TableName, Key: key('b'), UpdateExpression: 'ADD s :one', ExpressionAttributeValues: one } },
    ];
    const error = await refusalOf(transact({ TransactItems }));
    expect([error.name, await read('a')]).toEqual(['TransactionCanceledException', undefined]);
    expect(error['CancellationReasons']).toMatchObject([{ Code: 'None' }, { Code: 'ValidationError' }]);
  });

  // Capacity

  const big = { S: 'x'.repeat(2500) };
  const TOTAL = { ReturnConsumedCapacity: 'TOTAL' } as const;

  promise('bills a write by the larger image in whole kilobytes', async () => {
    const units = [
      await put({ Item: key(), ...TOTAL }),
      await put({ Item: { ...key(), big }, ...TOTAL }),
      await update({ UpdateExpression: 'SET n = :one', ExpressionAttributeValues: one, ...TOTAL }),
      await put({ Item: key(), ...TOTAL }),
      await remove({ ...TOTAL }),
      await remove({ ...TOTAL }),
    ].map(({ ConsumedCapacity }) => ConsumedCapacity?.CapacityUnits);
    expect(units).toEqual([1, 3, 3, 3, 1, 1]);
  });

  promise('bills an index only for writes that change its entry', async () => {
    const units = [
      await put({ Item: key(), ...TOTAL }),
      await update({
        UpdateExpression: 'SET overdueShard = :s, overdueAtMs = :at',
        ExpressionAttributeValues: { ':s': { S: pk }, ':at': { N: '1' } },
        ...TOTAL,
      }),
      await update({ UpdateExpression: 'SET n = :one', ExpressionAttributeValues: one, ...TOTAL }),
      await update({ UpdateExpression: 'SET overdueAtMs = :at', ExpressionAttributeValues: { ':at': { N: '2' } }, ...TOTAL }),
      await update({ UpdateExpression: 'REMOVE overdueShard, overdueAtMs', ...TOTAL }),
    ].map(({ ConsumedCapacity }) => ConsumedCapacity?.CapacityUnits);
    expect(units).toEqual([1, 2, 1, 3, 2]);
  });

  promise('bills a transaction twice, a condition check by the item it reads, and a repetition as a read', async () => {
    await put({ Item: { ...key('big'), big } });
    const check = { ConditionCheck: { TableName, Key: key('big'), ConditionExpression: 'attribute_exists(pk)' } };
    const { ConsumedCapacity } = await transact({ TransactItems: [{ Put: { TableName, Item: key('a') } }, check], ...TOTAL });
    expect(ConsumedCapacity?.map(({ CapacityUnits }) => CapacityUnits)).toEqual([8]);
  });

  promise('bills a read by the bytes it looked at, half when eventually consistent', async () => {
    await put({ Item: { ...key('a'), text: { S: 'x'.repeat(9_000) } } });
    await put({ Item: { ...key('b'), text: { S: 'x'.repeat(9_000) } } });
    const get = (ConsistentRead: boolean, sk = 'a') =>
      target.dynamodb.send(new GetItemCommand({ TableName, Key: key(sk), ConsistentRead, ...TOTAL }));
    const units = [
      await get(true),
      await get(false),
      await get(true, 'missing'),
      await query({ ...ofPartition(), ...TOTAL }),
      await query({ ...ofPartition(), ConsistentRead: false, ProjectionExpression: 'sk', ...TOTAL }),
    ].map(({ ConsumedCapacity }) => ConsumedCapacity?.CapacityUnits);
    expect(units).toEqual([3, 1.5, 1, 5, 2.5]);
  });
});

describe('random sequences of operations', () => {
  const targets = [fakeTarget(), endpoint === undefined ? fakeTarget() : emulatorTarget(endpoint)] as const;
  afterAll(() => Promise.all(targets.map((target) => target.close())));

  it(`get the same answers from the fake and from ${targets[1].name}, step by step`, { timeout: 120_000 }, async () => {
    const places = await Promise.all(
      targets.map(async (target) => ({ client: target.dynamodb, TableName: await target.createTable(stateTable('random')) })),
    );
    let count = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const run = `r${++count}`;
        for (const step of sequence) {
          const [mine, other] = await Promise.all(places.map((place) => answerTo({ ...place, run }, step)));
          expect(mine, JSON.stringify(step)).toEqual(other);
        }
      }),
      randomRuns,
    );
  });
});

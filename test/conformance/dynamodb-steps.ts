import {
  type AttributeValue,
  BatchGetItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';

/**
 * Random operations on a handful of items. Every expression is one AWS accepts, so that a target which accepts too much answers
 * the same; what AWS refuses is listed one by one in dynamodb.test.ts.
 */
export interface Step {
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: an input of any operation
  readonly input: any;
}
interface Expressed {
  readonly text: string;
  readonly values: Record<string, AttributeValue>;
}

const VALUES: Record<string, AttributeValue> = {
  ':zero': { N: '0' },
  ':one': { N: '1' },
  ':pi': { N: '-3.14' },
  ':big': { N: '9007199254740993' },
  ':a': { S: 'a' },
  ':ab': { S: 'ab' },
  ':setA': { SS: ['a'] },
  ':setAb': { SS: ['a', 'b'] },
  ':list': { L: [{ N: '1' }] },
  ':empty': { L: [] },
  ':map': { M: { x: { N: '1' } } },
};

/** The placeholders a text uses, with their values. */
const expressed = (text: string): Expressed => ({
  text,
  values: Object.fromEntries([...new Set(text.match(/:\w+/g) ?? [])].map((name) => [name, VALUES[name] as AttributeValue])),
});
const joined = (values: Record<string, AttributeValue>) => (Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {});

const number = fc.constantFrom(':zero', ':one', ':pi', ':big');
const PARTS: Readonly<Record<string, readonly fc.Arbitrary<string>[]>> = {
  SET: [
    number.map((value) => `n = ${value}`),
    number.map((value) => `n = if_not_exists(n, :zero) + ${value}`),
    number.map((value) => `n = n - ${value}`),
    fc.constant('s = :ab'),
    fc.constant('s = t'),
    fc.constant('t = if_not_exists(t, :a)'),
    fc.constant('l = list_append(if_not_exists(l, :empty), :list)'),
    fc.constant('l[1] = :a'),
    fc.constant('m = :map'),
    fc.constant('m.x = :one'),
    fc.constant('overdueShard = :a'),
    number.map((value) => `overdueAtMs = ${value}`),
  ],
  REMOVE: ['n', 't', 'l', 'm', 'overdueShard', 'overdueAtMs'].map((path) => fc.constant(path)),
  ADD: [number.map((value) => `n ${value}`), fc.constant('e :setA'), fc.constant('e :setAb')],
  DELETE: [fc.constant('e :setA'), fc.constant('e :setAb')],
};

/** Assignments of different attributes, since AWS refuses two of one. */
const update: fc.Arbitrary<Expressed> = fc
  .array(fc.oneof(...Object.entries(PARTS).flatMap(([section, parts]) => parts.map((part) => part.map((text) => ({ section, text }))))), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => {
    const heads = parts.map(({ text }) => text.match(/^\w+/)?.[0]);
    const chosen = parts.filter((_, position) => heads.indexOf(heads[position]) === position);
    const sections = Object.keys(PARTS).map(
      (section) => [section, chosen.filter((part) => part.section === section).map(({ text }) => text)] as const,
    );
    return expressed(sections.flatMap(([section, texts]) => (texts.length > 0 ? [`${section} ${texts.join(', ')}`] : [])).join(' '));
  });

const clause = fc.constantFrom(
  'attribute_exists(pk)',
  'attribute_not_exists(pk)',
  'n = :one',
  'n < :one',
  'n >= :zero',
  'n <> :one',
  'NOT n = :one',
  'attribute_exists(l[0])',
  'contains(e, :a)',
  'size(l) > :one',
  'begins_with(s, :a)',
  's IN (:a, :ab)',
  'n BETWEEN :zero AND :one',
  'attribute_not_exists(m.x)',
  'm.x = :one',
  'l = :list',
  'm = :map',
  'attribute_exists(overdueShard)',
);
const condition: fc.Arbitrary<Expressed> = fc
  .oneof(
    clause,
    fc.tuple(clause, fc.constantFrom('AND', 'OR'), clause).map(([left, word, right]) => `${left} ${word} ${right}`),
    fc.tuple(clause, clause, clause).map(([a, b, c]) => `NOT (${a} OR ${b}) AND ${c}`),
  )
  .map(expressed);

const key = fc
  .record({ pk: fc.constantFrom('p0', 'p1'), sk: fc.constantFrom('a', 'b', 'c') })
  .map(({ pk, sk }) => ({ pk: { S: pk }, sk: { S: sk } }));
const attributes = fc.record(
  {
    n: number.map((name) => VALUES[name] as AttributeValue),
    s: fc.constantFrom({ S: 'a' }, { S: 'ab' }, { S: '' }),
    t: fc.constant({ S: 'ä'.repeat(700) }),
    l: fc.constantFrom({ L: [] }, { L: [{ N: '1' }] }, { L: [{ S: 'a' }, { S: 'b' }, { S: 'c' }] }),
    m: fc.constantFrom({ M: {} }, { M: { x: { N: '1' } } }),
    e: fc.constantFrom({ SS: ['a'] }, { SS: ['b', 'c'] }),
    overdueShard: fc.constant({ S: 'a' }),
    overdueAtMs: number.map((name) => VALUES[name] as AttributeValue),
  },
  { requiredKeys: [] },
);

const conditional = fc
  .record({ when: fc.option(condition, { nil: undefined }), onFailure: fc.constantFrom('ALL_OLD', 'NONE') })
  .map(({ when, onFailure }) => ({
    when,
    members: when ? { ConditionExpression: when.text, ReturnValuesOnConditionCheckFailure: onFailure } : {},
  }));

const putInput = fc.record({ key, attributes, conditional }).map(({ key: keys, attributes: rest, conditional: { when, members } }) => ({
  Item: { ...keys, ...rest },
  ...members,
  ...joined(when?.values ?? {}),
}));
const updateInput = fc
  .record({ key, update, conditional })
  .map(({ key: Key, update: { text, values }, conditional: { when, members } }) => ({
    Key,
    UpdateExpression: text,
    ...members,
    ...joined({ ...values, ...when?.values }),
  }));
const deleteInput = fc
  .record({ key, conditional })
  .map(({ key: Key, conditional: { when, members } }) => ({ Key, ...members, ...joined(when?.values ?? {}) }));
const checkInput = fc.record({ key, condition }).map(({ key: Key, condition: { text, values } }) => ({
  Key,
  ConditionExpression: text,
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  ...joined(values),
}));

const withReturn = (input: fc.Arbitrary<object>, ...values: string[]) =>
  fc.tuple(input, fc.constantFrom(...values)).map(([one, ReturnValues]) => ({ ...one, ReturnValues }));
const action = fc.oneof(
  putInput.map((Put) => ({ Put })),
  updateInput.map((Update) => ({ Update })),
  deleteInput.map((Delete) => ({ Delete })),
  checkInput.map((ConditionCheck) => ({ ConditionCheck })),
);
const query = fc.record({ pk: fc.constantFrom('p0', 'p1'), ScanIndexForward: fc.boolean(), Limit: fc.integer({ min: 1, max: 3 }) });

const OPERATIONS: Readonly<Record<string, { readonly weight: number; readonly input: fc.Arbitrary<unknown> }>> = {
  PutItem: { weight: 3, input: withReturn(putInput, 'NONE', 'ALL_OLD') },
  UpdateItem: { weight: 8, input: withReturn(updateInput, 'NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW') },
  DeleteItem: { weight: 1, input: withReturn(deleteInput, 'NONE', 'ALL_OLD') },
  GetItem: { weight: 1, input: key.map((Key) => ({ Key, ConsistentRead: true })) },
  Query: { weight: 1, input: query },
  QueryIndex: { weight: 1, input: fc.record({ ScanIndexForward: fc.boolean() }) },
  Scan: { weight: 1, input: fc.record({ TotalSegments: fc.integer({ min: 1, max: 3 }) }) },
  BatchGetItem: { weight: 1, input: fc.uniqueArray(key, { minLength: 1, maxLength: 4, selector: (one) => JSON.stringify(one) }) },
  TransactWriteItems: {
    weight: 3,
    input: fc.record({
      actions: fc.array(action, { minLength: 1, maxLength: 3 }),
      token: fc.constantFrom(undefined, 'first', 'second'),
    }),
  },
  RepeatTransaction: { weight: 2, input: fc.constant(undefined) },
};

const anySteps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    ...Object.entries(OPERATIONS).map(([operation, { weight, input }]) => ({
      weight,
      arbitrary: input.map((one) => ({ operation, input: one })),
    })),
  ),
  { minLength: 1, maxLength: 30 },
);

/** A repetition is the transaction before it, token and all; the one before may have been refused. */
export const steps = anySteps.map((sequence) => {
  let last: Step | undefined;
  return sequence.flatMap((step) => {
    if (step.operation === 'TransactWriteItems') last = step;
    return step.operation === 'RepeatTransaction' ? (last ?? []) : step;
  });
});

/** Where a sequence works: partitions of its own in a table that others use as well. */
export interface Place {
  readonly client: DynamoDBClient;
  readonly TableName: string;
  readonly run: string;
}

/** What a step answers, with nothing left that AWS leaves open: order of sets and scans, empty `Attributes`. */
export async function answerTo(place: Place, step: Step): Promise<unknown> {
  const input = JSON.parse(
    JSON.stringify(step.input, (name, value) => (name === 'pk' || name === 'overdueShard' ? prefixed(place, value) : value)),
  );
  try {
    return comparable(place, await runStep(place, { operation: step.operation, input }));
  } catch (error) {
    const { name, Item, CancellationReasons } = error as Error & {
      Item?: unknown;
      CancellationReasons?: { Code: string; Item?: unknown }[];
    };
    const reasons = CancellationReasons?.map(({ Code, Item: item }) => ({ Code, item }));
    return comparable(place, { error: name, Item, reasons });
  }
}

function prefixed({ run }: Place, value: unknown): unknown {
  return typeof value === 'string'
    ? `${run}-${value}`
    : value && typeof value === 'object'
      ? { S: `${run}-${(value as { S: string }).S}` }
      : value;
}

async function runStep({ client, TableName, run }: Place, { operation, input }: Step): Promise<unknown> {
  const capacity = { ReturnConsumedCapacity: 'TOTAL' } as const;
  switch (operation) {
    case 'PutItem':
      return client.send(new PutItemCommand({ TableName, ...input, ...capacity }));
    case 'UpdateItem':
      return client.send(new UpdateItemCommand({ TableName, ...input, ...capacity }));
    case 'DeleteItem':
      return client.send(new DeleteItemCommand({ TableName, ...input, ...capacity }));
    case 'GetItem':
      return client.send(new GetItemCommand({ TableName, ...input }));
    case 'Query':
      return allPages(client, {
        ...input,
        pk: undefined,
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: input.pk } },
      });
    case 'QueryIndex':
      return sorted(
        await allPages(client, {
          ...input,
          TableName,
          IndexName: 'overdue',
          KeyConditionExpression: 'overdueShard = :a',
          ExpressionAttributeValues: { ':a': { S: 'a' } },
        }),
        run,
      );
    case 'Scan':
      return sorted(await allSegments(client, TableName, input.TotalSegments), run);
    case 'BatchGetItem':
      return sorted(
        (await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: input } } }))).Responses?.[TableName] ?? [],
        run,
      );
    case 'TransactWriteItems': {
      const TransactItems = input.actions.map((one: Record<string, object>) =>
        Object.fromEntries(Object.entries(one).map(([kind, members]) => [kind, { ...members, TableName }])),
      );
      // Of this place and sequence alone: an emulator remembers the tokens of others.
      const ClientRequestToken = input.token && `${input.token}-${run}-${TableName.slice(-12)}`;
      return client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken }));
    }
    default:
      throw new Error(`no such step: ${operation}`);
  }
}

async function allPages(client: DynamoDBClient, input: QueryCommandInput & { pk?: undefined }): Promise<Record<string, AttributeValue>[]> {
  const { pk: _, ...query } = input;
  const items: Record<string, AttributeValue>[] = [];
  let ExclusiveStartKey: QueryCommandInput['ExclusiveStartKey'];
  do {
    const page = await client.send(new QueryCommand({ ...query, ExclusiveStartKey }));
    items.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

async function allSegments(client: DynamoDBClient, TableName: string, TotalSegments: number): Promise<Record<string, AttributeValue>[]> {
  const segments = Array.from({ length: TotalSegments }, (_, Segment) =>
    client.send(new ScanCommand({ TableName, Segment, TotalSegments })),
  );
  return (await Promise.all(segments)).flatMap(({ Items }) => Items ?? []);
}

const sorted = (items: Record<string, AttributeValue>[], run: string) =>
  items
    .filter((item) => item['pk']?.S?.startsWith(`${run}-`))
    .sort((a, b) => (JSON.stringify([a['pk'], a['sk']]) < JSON.stringify([b['pk'], b['sk']]) ? -1 : 1));

function comparable({ TableName, run }: Place, answer: unknown): unknown {
  const text = JSON.stringify(answer, (name, value) => {
    if (name === '$metadata') return undefined;
    if (name === 'Attributes' && Object.keys(value as object).length === 0) return undefined;
    if (name === 'SS') return (value as string[]).toSorted();
    return value && typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  });
  return JSON.parse(text.replaceAll(`${run}-`, '').replaceAll(TableName, 'table'));
}

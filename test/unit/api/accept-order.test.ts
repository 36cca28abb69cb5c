import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fromAttributeValues } from '#shared/aws/attribute-values.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { orderIdOf } from '#shared/domain/create-order.ts';
import { type AcceptOrderWorld, createHandler } from '../../../functions/accept-order/handler.ts';
import { stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

afterEach(() => vi.restoreAllMocks());

interface Post {
  readonly body?: string;
  readonly key?: string;
  readonly userId?: string;
  readonly headers?: Record<string, string>;
  readonly isBase64Encoded?: boolean;
}

const ORDER = '{"amountMinor":4999,"currency":"EUR"}';

function createApi() {
  const clock = createVirtualClock();
  const aws = createFakeAws({ now: clock.nowMs });
  aws.dynamodb.createTable(stateTable('State'));
  const client = new DynamoDBClient({ ...aws.clientConfig, maxAttempts: 3, retryMode: 'standard' } as DynamoDBClientConfig);
  const logged: unknown[] = [];
  let tokens = 0;
  const world: AcceptOrderWorld = {
    store: createItemStore(client, 'State'),
    clock,
    random: { token: () => `token-${++tokens}` },
    logAccepted: (accepted, requestId) => void logged.push({ accepted: accepted.kind, requestId }),
    logFailure: (error, requestId) => void logged.push({ error: error instanceof Error ? error.name : error, requestId }),
  };
  const handler = createHandler(world);
  return {
    aws,
    clock,
    logged,
    items: () => aws.dynamodb.items('State').map((item) => fromAttributeValues(item as never)),
    async post({ body = ORDER, key = 'key-1', userId = 'u-1', headers = { 'Idempotency-Key': key }, isBase64Encoded = false }: Post = {}) {
      const {
        statusCode,
        headers: answered = {},
        body: text = '',
      } = await handler({ pathParameters: { userId }, headers, body, isBase64Encoded, requestContext: { requestId: 'req-1' } });
      return { statusCode, headers: answered, body: JSON.parse(text) as Record<string, unknown>, text };
    },
  };
}

describe('a new order', () => {
  test('is one write of order and capture job together, answered 202 with where it is', async () => {
    const api = createApi();
    const orderId = orderIdOf('u-1', 'key-1');
    const answer = await api.post();
    expect(answer).toMatchObject({
      statusCode: 202,
      headers: { location: `/users/u-1/orders/${orderId}`, etag: '"1"', 'content-type': 'application/json' },
    });
    expect(answer.body).toEqual({
      userId: 'u-1',
      orderId,
      status: 'pending_payment',
      version: 1,
      paymentAttempt: 1,
      amountMinor: 4999,
      currency: 'EUR',
      createdAt: '2026-11-30T10:00:00.000Z',
    });
    expect(api.aws.calls).toHaveLength(1);
    expect(api.items()).toMatchObject([
      {
        pk: 'USER#u-1',
        sk: `ORDER#${orderId}`,
        status: 'pending_payment',
        version: 1,
        fence: 0,
        lease: 'free',
        captureKey: `capture:u-1/${orderId}:1`,
        paymentIntentId: `pi-${orderId}-1`,
        intentAtMs: api.clock.nowMs(),
        outbox: [
          {
            kind: 'capture-payment',
            version: 1,
            idempotencyKey: `capture:u-1/${orderId}:1`,
            payload: { userId: 'u-1', orderId, attempt: 1 },
            trace: 'req-1',
          },
        ],
      },
    ]);
  });

  test("carries its caller's trace id into the job, and stays what it was when it is asked for again under another", async () => {
    const api = createApi();
    const ids = ['4bf92f3577b34da6a3ce929d0e0e4736', 'aaaabbbbccccddddeeeeffff00001111'];
    const posts = ids.map((id) => ({ headers: { 'Idempotency-Key': 'key-1', traceparent: `00-${id}-00f067aa0ba902b7-01` } }));
    for (const post of posts) expect([200, 202]).toContain((await api.post(post)).statusCode);
    expect(api.items()).toMatchObject([{ outbox: [{ kind: 'capture-payment', trace: ids[0] }] }]);
  });

  test('is named by who asks and with which key, and by nothing else', async () => {
    const api = createApi();
    const names = [await api.post(), await api.post({ key: 'key-2' }), await api.post({ userId: 'u-2' })].map(
      ({ body }) => body['orderId'],
    );
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[a-z2-7]{26}$/);
  });

  test('may come base64 encoded and with the header in any case', async () => {
    const api = createApi();
    expect(
      await api.post({ body: Buffer.from(ORDER).toString('base64'), isBase64Encoded: true, headers: { 'idempotency-KEY': 'key-1' } }),
    ).toMatchObject({ statusCode: 202 });
  });
});

describe('the same key again', () => {
  test('with the same body is answered 200 with the order as it is now, and writes nothing', async () => {
    const api = createApi();
    await api.post();
    const [item] = api.aws.dynamodb.items('State');
    api.aws.dynamodb.handle('PutItem', {
      TableName: 'State',
      Item: { ...item, status: { S: 'paid' }, version: { N: '2' }, captureId: { S: 'cap-1' } },
    });
    const answer = await api.post();
    expect(answer).toMatchObject({ statusCode: 200, headers: { etag: '"2"' }, body: { status: 'paid', version: 2, captureId: 'cap-1' } });
    expect(api.items()).toHaveLength(1);
  });

  // B07
  test.each([
    ['its fields in another order', '{"note":"n","currency":"EUR","amountMinor":4999}', 200],
    ['other white space', '{ "amountMinor" :\n4999,\t"currency":"EUR" ,"note":"n"}', 200],
    ['4999.0 for 4999', '{"amountMinor":4999.0,"currency":"EUR","note":"n"}', 200],
    ['4.999e3 for 4999', '{"amountMinor":4.999e3,"currency":"EUR","note":"n"}', 200],
    ['escapes for its letters', '{"amountMinor":4999,"currency":"\\u0045UR","note":"\\u006e"}', 200],
    ['another amount', '{"amountMinor":4998,"currency":"EUR","note":"n"}', 422],
    ['another currency', '{"amountMinor":4999,"currency":"USD","note":"n"}', 422],
    ['another note', '{"amountMinor":4999,"currency":"EUR","note":"N"}', 422],
    ['no note', '{"amountMinor":4999,"currency":"EUR"}', 422],
  ])('and %s', async (_what, body, statusCode) => {
    const api = createApi();
    await api.post({ body: '{"amountMinor":4999,"currency":"EUR","note":"n"}' });
    const before = api.items();
    expect(await api.post({ body })).toMatchObject({ statusCode });
    expect(api.items()).toEqual(before);
  });

  test('with another body is a problem that says what to do and repeats nothing of either', async () => {
    const api = createApi();
    await api.post({ body: '{"amountMinor":4999,"currency":"EUR","note":"secret-one"}' });
    const { statusCode, headers, body, text } = await api.post({ body: '{"amountMinor":1,"currency":"EUR","note":"secret-two"}' });
    expect({ statusCode, type: headers['content-type'], code: body['code'] }).toEqual({
      statusCode: 422,
      type: 'application/problem+json',
      code: 'idempotency-key-reused',
    });
    expect(text).not.toMatch(/secret|4999/);
  });

  test('fifty times at once makes one order: one 202, forty-nine 200', async () => {
    const api = createApi();
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.post()));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([...Array(49).fill(200), 202]);
    expect(new Set(answers.map(({ body }) => body['orderId'])).size).toBe(1);
    expect(api.items()).toHaveLength(1);
  });
});

// B53
describe('when the table’s answer is lost', () => {
  test('once, the SDK’s repetition meets our own order and it is still answered as new', async () => {
    const api = createApi();
    let calls = 0;
    api.aws.fault = () => (++calls === 1 ? 'apply-then-lose-answer' : undefined);
    expect(await api.post()).toMatchObject({ statusCode: 202 });
    expect(api.aws.calls).toHaveLength(2);
  });

  test('for good, the caller is told to ask again with the same key, and then finds the order', async () => {
    const api = createApi();
    api.aws.fault = () => 'apply-then-lose-answer';
    const answer = await api.post();
    expect(answer).toMatchObject({
      statusCode: 503,
      headers: { 'retry-after': '2', 'content-type': 'application/problem+json' },
      body: { code: 'order-not-confirmed', status: 503 },
    });
    expect(api.logged).toEqual([{ error: expect.any(String), requestId: 'req-1' }]);
    api.aws.fault = undefined;
    expect(await api.post()).toMatchObject({ statusCode: 200 });
    expect(api.items()).toHaveLength(1);
  });

  test('before anything was written, the same request makes the order later', async () => {
    const api = createApi();
    api.aws.fault = () => ({ error: 'InternalServerError', status: 500 });
    expect(await api.post()).toMatchObject({ statusCode: 503 });
    api.aws.fault = undefined;
    expect(await api.post()).toMatchObject({ statusCode: 202 });
  });
});

const order = (fields: string): string => `{"currency":"EUR",${fields}}`;
const deep = (depth: number): string => order(`"amountMinor":1,"note":${'['.repeat(depth)}${']'.repeat(depth)}`);

describe('a request that is refused', () => {
  // B97, B38 and the rest of the entrance
  test.each<[string, Post, string]>([
    ['no key', { headers: {} }, 'idempotency-key-missing'],
    ['an empty key', { key: '' }, 'invalid-idempotency-key'],
    ['a key with spaces', { key: 'a b' }, 'invalid-idempotency-key'],
    ['a key of 129 characters', { key: 'k'.repeat(129) }, 'invalid-idempotency-key'],
    ['a key that is not ASCII', { key: 'schlüssel' }, 'invalid-idempotency-key'],
    ['a user id with a slash', { userId: 'a/b' }, 'invalid-user-id'],
    ['a user id of 41 characters', { userId: 'u'.repeat(41) }, 'invalid-user-id'],
    ['no body', { body: '' }, 'body-not-json'],
    ['a cut body', { body: '{"amountMinor":49' }, 'body-not-json'],
    ['an array', { body: '[]' }, 'invalid-order'],
    ['null', { body: 'null' }, 'invalid-order'],
    ['an unknown field', { body: order('"amountMinor":1,"amont":1') }, 'invalid-order'],
    ['no amount', { body: '{"currency":"EUR"}' }, 'invalid-order'],
    ['no currency', { body: '{"amountMinor":1}' }, 'invalid-order'],
    ['a currency nobody knows', { body: '{"amountMinor":1,"currency":"EURO"}' }, 'invalid-order'],
    ['a currency in small letters', { body: '{"amountMinor":1,"currency":"eur"}' }, 'invalid-order'],
    ['an amount beyond exact numbers', { body: order('"amountMinor":9007199254740993') }, 'invalid-order'],
    ['an amount of 1e21', { body: order('"amountMinor":1e21') }, 'invalid-order'],
    ['an amount that is infinite', { body: order('"amountMinor":1e999') }, 'invalid-order'],
    ['an amount over the limit', { body: order('"amountMinor":100000000') }, 'invalid-order'],
    ['a fraction', { body: order('"amountMinor":49.99') }, 'invalid-order'],
    ['an amount as text', { body: order('"amountMinor":"4999"') }, 'invalid-order'],
    ['a negative amount', { body: order('"amountMinor":-1') }, 'invalid-order'],
    ['nothing to pay', { body: order('"amountMinor":0') }, 'invalid-order'],
    ['NaN as text', { body: order('"amountMinor":"NaN"') }, 'invalid-order'],
    ['NaN', { body: order('"amountMinor":NaN') }, 'body-not-json'],
    ['a note with U+FFFF', { body: order('"amountMinor":1,"note":"a\uFFFFb"') }, 'invalid-order'],
    ['a note with U+0000', { body: order('"amountMinor":1,"note":"a\\u0000b"') }, 'invalid-order'],
    ['a note with half a character', { body: order('"amountMinor":1,"note":"\\ud800"') }, 'invalid-order'],
    ['a note of 141 characters', { body: order(`"amountMinor":1,"note":"${'n'.repeat(141)}"`) }, 'invalid-order'],
    ['__proto__', { body: order('"amountMinor":1,"__proto__":{"status":"paid"}') }, 'body-forbidden-name'],
    ['constructor', { body: order('"amountMinor":1,"constructor":{"prototype":{}}') }, 'body-forbidden-name'],
    ['__proto__ in disguise', { body: order('"amountMinor":1,"\\u005f_proto__":{}') }, 'body-forbidden-name'],
    ['nesting', { body: deep(20) }, 'body-too-deep'],
    ['a megabyte of nesting', { body: '['.repeat(1024 * 1024) }, 'body-too-large'],
    [
      'a hundred thousand fields',
      { body: `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(',')}}` },
      'body-too-large',
    ],
  ])('for %s gets 400 with a reason, and nothing is written', async (_what, post, code) => {
    const api = createApi();
    const { statusCode, headers, body } = await api.post(post);
    expect({ statusCode, type: headers['content-type'], code: body['code'] }).toEqual({
      statusCode: 400,
      type: 'application/problem+json',
      code,
    });
    expect(body).toMatchObject({
      type: `urn:andal:problem:${code}`,
      status: 400,
      title: expect.any(String),
      detail: expect.stringMatching(/\w+.*\./),
    });
    expect(api.aws.calls).toEqual([]);
    expect(({} as Record<string, unknown>)['status']).toBeUndefined();
  });

  test('costs next to nothing when the body is too large or too deep: it is neither measured further nor parsed', async () => {
    const api = createApi();
    const parse = vi.spyOn(JSON, 'parse');
    const measure = vi.spyOn(Buffer, 'byteLength');
    const parsedBodies = () =>
      parse.mock.calls.filter(
        ([text]) => String(text).length > 16 * 1024 || String(text).startsWith('[[') || String(text).includes('[[[['),
      );
    await api.post({ body: '['.repeat(1024 * 1024) });
    expect(measure).not.toHaveBeenCalled();
    await api.post({ body: deep(7_000) });
    expect(parsedBodies()).toEqual([]);
  });

  test('is told the names it got wrong, but never a value, nor a name that is none', async () => {
    const api = createApi();
    const body = JSON.stringify({
      amountMinor: '4000000000000002',
      currency: 'person@example.test',
      note: 7,
      cardNumber: '4000000000000002',
      '4000000000000002': 1,
      'person@example.test': 1,
    });
    const { text, body: document } = await api.post({ body });
    expect(document['detail']).toContain('amountMinor');
    expect(document['detail']).toContain('cardNumber, 2 not shown');
    expect(text).not.toMatch(/4000000000000002|person@/);
  });

  test('for a thousand unknown fields is answered in a few words', async () => {
    const api = createApi();
    const body = `{${Array.from({ length: 1_000 }, (_, index) => `"k${String.fromCharCode(97 + (index % 26)).repeat(1 + (index % 7))}${'x'.repeat(index % 5)}":1`).join(',')}}`;
    expect((await api.post({ body })).text.length).toBeLessThan(700);
  });
});

// B38
test.each(['😀 danke', 'Zeile\nzwei\tTab', '\uFFFD', '日本語', '<&>"\''])(
  'a note with unusual but allowed characters (%j) is kept as it is',
  async (note) => {
    const api = createApi();
    expect(await api.post({ body: JSON.stringify({ amountMinor: 1, currency: 'EUR', note }) })).toMatchObject({
      statusCode: 202,
      body: { note },
    });
    expect(api.items()[0]?.['note']).toBe(note);
  },
);

test.each([1, 99_999_999])('the smallest and the largest amount (%d) are accepted exactly', async (amountMinor) => {
  const api = createApi();
  expect(await api.post({ body: JSON.stringify({ amountMinor, currency: 'JPY' }) })).toMatchObject({
    statusCode: 202,
    body: { amountMinor },
  });
});

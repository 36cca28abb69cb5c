import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fromAttributeValues, toAttributeValues } from '#shared/aws/attribute-values.ts';
import { jobs } from '#shared/jobs/index.ts';
import { jobQueueOf } from '../../simulation/cloud/functions.ts';
import { INVALIDATION_RETRY, OUTBOX_FAILED, TABLES } from '../../simulation/cloud/names.ts';
import { ALL_CANARIES, CANARIES, canaryIn } from './canaries.ts';
import { createWatchedPipeline, type WatchedPipeline } from './watched-pipeline.ts';

let pipeline: WatchedPipeline;
beforeEach(() => {
  pipeline = createWatchedPipeline();
});
afterEach(() => pipeline.close());

interface Sent {
  readonly path?: Record<string, string>;
  readonly key?: string;
  readonly body?: string | undefined;
  readonly headers?: Record<string, string>;
  readonly base64?: boolean;
}

const request = ({ path = {}, key = 'key-1', body, headers = {}, base64 = false }: Sent = {}) => ({
  pathParameters: { userId: 'u-1', orderId: 'ord-1', sku: 'bolt', ...path },
  rawPath: `/users/${path['userId'] ?? 'u-1'}/orders/${path['orderId'] ?? 'ord-1'}`,
  headers: { 'idempotency-key': key, ...headers },
  body: base64 ? Buffer.from(body ?? '').toString('base64') : body,
  isBase64Encoded: base64,
  requestContext: { requestId: 'request-1', http: { method: 'POST' } },
});

const ENTRANCES = [
  'accept-order',
  'accept-refund',
  'accept-payment-attempt',
  'accept-export',
  'accept-stock-adjustment',
  'read-order',
] as const;
const json = JSON.stringify;
const order = (note: string, more: object = {}): string => json({ amountMinor: 4_999, currency: 'EUR', note, ...more });
/** Header values are printable and without spaces. */
const asKey = (canary: string): string => encodeURIComponent(canary);

async function expectNothingTold(): Promise<void> {
  for (const [where, text] of Object.entries(await pipeline.whatOthersRead())) expect([where, canaryIn(text)]).toEqual([where, undefined]);
}

async function ordersAreStill(status: string): Promise<void> {
  const orders = pipeline.aws.dynamodb.items(TABLES.state).filter(({ sk }) => sk?.S?.startsWith('ORDER#'));
  expect(orders.map((item) => item['status']?.S)).toEqual(orders.map(() => status));
  expect(orders.length).toBeGreaterThan(0);
}

// S20 and B83 on the wiring that runs on Lambda
describe('what a customer writes where it belongs', () => {
  test.each(CANARIES)(
    '(%s as a note) is told to nobody but the customer, from the order to the receipt, the refund and the export',
    async (canary) => {
      const accepted = await pipeline.invoke('accept-order', request({ body: order(canary) }));
      expect(accepted).toMatchObject({ statusCode: 202 });
      const { orderId } = JSON.parse(accepted?.body ?? '{}') as { orderId: string };
      await pipeline.settle();
      await ordersAreStill('paid');
      const read = await pipeline.invoke('read-order', request({ path: { orderId } }));
      expect(read?.body).toContain(canary);
      expect(await pipeline.invoke('accept-export', request())).toMatchObject({ statusCode: 202 });
      expect(await pipeline.invoke('accept-refund', request({ path: { orderId } }))).toMatchObject({ statusCode: 202 });
      await pipeline.settle();
      await ordersAreStill('refunded');
      for (const name of ['rescue-jobs', 'sweep-state', 'verify-cache', 'govern-queues']) await pipeline.invoke(name, {});
      await expectNothingTold();
    },
  );

  test('is told to nobody when the same key comes back with another body', async () => {
    await pipeline.invoke('accept-order', request({ body: order(CANARIES[1]) }));
    expect(await pipeline.invoke('accept-order', request({ body: order(CANARIES[5]) }))).toMatchObject({ statusCode: 422 });
    await expectNothingTold();
  });
});

describe.each(CANARIES)('what a customer writes where it does not belong (%s)', (canary) => {
  const broken: [string, Sent][] = [
    ['as an idempotency key', { key: asKey(canary), body: order('') }],
    ['as a key with spaces', { key: canary, body: order('') }],
    [
      'as another header',
      {
        headers: {
          'x-name': canary,
          cookie: `card=${canary}`,
          'user-agent': canary,
          traceparent: canary,
          'x-amzn-trace-id': `Root=${canary};Parent=${canary}`,
        },
        body: order(''),
      },
    ],
    ['as an unknown field', { body: order('', { cardNumber: canary, [canary]: canary }) }],
    ['in the place of a number, a currency and an amount', { body: json({ amountMinor: canary, currency: canary, note: 7 }) }],
    ['as a whole body', { body: json(canary) }],
    ['as no JSON', { body: canary }],
    ['in a body that ends in the middle', { body: `{"amountMinor":4999,"note":"${canary}","card":"${canary.slice(0, -1)}` }],
    ['in base64', { body: `{"note":"${canary}"`, base64: true }],
    ['too large', { body: order(`${canary} ${'x'.repeat(20_000)}`) }],
    ['too deep', { body: `${'{"a":'.repeat(20)}"${canary}"${'}'.repeat(20)}` }],
    ['as a user', { path: { userId: `${canary} ` } }],
    ['as an order', { path: { orderId: `${canary} ` } }],
    ['as an article', { path: { sku: `${canary} ` } }],
  ];

  test.each(broken)('is repeated nowhere when it comes %s, at any entrance', async (_how, sent) => {
    for (const entrance of ENTRANCES)
      expect(await pipeline.invoke(entrance, request(sent))).toMatchObject({ statusCode: expect.any(Number) });
    await pipeline.invoke(
      'accept-stock-adjustment',
      request({ ...sent, body: sent.body?.startsWith('{"amountMinor":4999') ? json({ delta: 1 }) : sent.body }),
    );
    await pipeline.settle();
    await expectNothingTold();
  });

  test('is repeated nowhere when a queue brings it', async () => {
    const envelope = { version: 1, idempotencyKey: 'k', payload: {}, enqueuedAt: '2026-11-30T10:00:00.000Z' };
    for (const { queueName, definition } of jobs.map(jobQueueOf)) {
      const { kind } = definition;
      for (const body of [
        canary,
        json(canary),
        `{"kind":"${kind}","payload":{"card":"${canary}`,
        json({ ...envelope, kind, idempotencyKey: asKey(canary) }),
        json({ ...envelope, kind, trace: canary, payload: { [canary]: canary, userId: canary, sku: canary } }),
        json({ ...envelope, kind: canary }),
        json({ ...envelope, kind, version: 2, payload: { note: canary, sku: canary } }),
      ])
        pipeline.send(queueName, body, { note: { DataType: 'String', StringValue: 'x' } });
    }
    for (const queueName of [OUTBOX_FAILED, INVALIDATION_RETRY])
      for (const body of [canary, json({ [canary]: canary }), `{"key":"${canary}`]) pipeline.send(queueName, body);
    // What is sent here is the poison itself.
    pipeline.aws.calls.length = 0;
    await pipeline.settle();
    expect(pipeline.aws.calls.some(({ operation }) => operation === 'SendMessage')).toBe(true);
    await expectNothingTold();
  });

  test('is repeated nowhere when it is the trace of a message that is right otherwise, up to the receipt it sets off', async () => {
    await pipeline.invoke('accept-order', request({ body: order('') }));
    const [outbox] = pipeline.aws.dynamodb
      .items(TABLES.state)
      .map((item) => fromAttributeValues(item as never)['outbox'] as Record<string, unknown>[]);
    pipeline.send('capture-payment', json({ ...outbox?.[0], trace: canary }));
    pipeline.send('refund-payment', json({ ...outbox?.[0], trace: canary }));
    pipeline.send('capture-payment', json({ ...outbox?.[0], trace: canary, version: 7 }));
    const missing = { userId: 'u-1', orderId: 'nobody', attempt: 1 };
    pipeline.send('capture-payment', json({ ...outbox?.[0], idempotencyKey: 'capture:u-1/nobody:1', payload: missing, trace: canary }));
    pipeline.aws.calls.length = 0;
    await pipeline.settle();
    await ordersAreStill('paid');
    const told = { ...(await pipeline.whatOthersRead()) };
    // The message goes on with what it came with; only what is told of it is looked at.
    for (const where of ['what was sent to queues', 'State table but for notes']) delete told[where];
    for (const [where, text] of Object.entries(told)) expect([where, canaryIn(text)]).toEqual([where, undefined]);
  });

  test('is repeated nowhere when it stands in a stream record, a table or the cache where nobody expects it', async () => {
    const put = (item: Record<string, unknown>, table: string = TABLES.state): void =>
      void pipeline.aws.dynamodb.handle('PutItem', { TableName: table, Item: toAttributeValues(item) });
    const base = { pk: 'USER#u-1', sk: 'ORDER#ord-1', version: 1, fence: 0, lease: 'free' };
    await pipeline.settle();
    const images: Record<string, unknown>[] = [
      { ...base, userId: 'u-1', orderId: 'ord-1', status: 'pending_payment', note: canary, outbox: 'x', outboxAtMs: 1 },
      {
        ...base,
        sk: 'ORDER#ord-2',
        note: canary,
        amountMinor: 'no number',
        outbox: [{ kind: 'capture-payment', version: 1 }],
        overdueShard: '0',
        overdueAtMs: 1,
      },
    ];
    for (const image of images) put(image);
    put({ key: 'order:u-1/ord-1', value: `{"note":"${canary}`, version: 1, expiresAtMs: 9e15 }, TABLES.cache);
    put({ key: 'order_summary:user:u-1', value: json({ note: canary }), version: 1, expiresAtMs: 9e15 }, TABLES.cache);
    await pipeline.settle();
    expect(await pipeline.invoke('read-order', request())).toMatchObject({ statusCode: 500 });
    await pipeline.invoke('read-order', { ...request(), rawPath: '/users/u-1/order-summary' });
    for (const name of ['rescue-jobs', 'sweep-state', 'verify-cache']) await pipeline.invoke(name, {});
    await expectNothingTold();
  });
});

describe('what others say in their own words', () => {
  const echoes: [string, () => Promise<Response>][] = [
    ...[200, 400, 402, 404, 409, 429, 500, 503].map((status): [string, () => Promise<Response>] => [
      `a ${status} that echoes the request`,
      async () =>
        new Response(json({ error: ALL_CANARIES, code: ALL_CANARIES, reason: ALL_CANARIES, status: ALL_CANARIES }), {
          status,
          headers: { 'retry-after': '1', 'x-echo': 'card' },
        }),
    ]),
    ['a 200 that is no JSON', async () => new Response(ALL_CANARIES)],
    ['a decline with a reason of its own', async () => new Response(json({ status: 'declined', reason: ALL_CANARIES }))],
    [
      'a connection that fails with the request in its words',
      () => Promise.reject(Object.assign(new TypeError(ALL_CANARIES, { cause: new Error(ALL_CANARIES) }), { body: ALL_CANARIES })),
    ],
  ];

  test.each(echoes)('is repeated nowhere after %s by the provider', async (_what, provider) => {
    await pipeline.invoke('accept-order', request({ body: order('') }));
    pipeline.provider = provider;
    await pipeline.settle();
    expect(pipeline.providerRequests.length).toBeGreaterThan(0);
    await expectNothingTold();
  });

  test('is repeated nowhere when tables and queues fail with what they were sent in their words', async () => {
    await pipeline.invoke('accept-order', request({ body: order('') }));
    const records = pipeline.aws.dynamodb.stream(TABLES.state).slice();
    pipeline.outage = ALL_CANARIES;
    for (const entrance of ENTRANCES) await pipeline.invoke(entrance, request({ body: order('') }));
    await pipeline.invoke('read-order', { ...request(), rawPath: '/users/u-1/order-summary' });
    for (const reader of ['dispatch-outbox', 'invalidate-cache']) await pipeline.invoke(reader, { Records: records });
    for (const name of ['rescue-jobs', 'sweep-state', 'verify-cache', 'govern-queues', 'payment-sandbox'])
      await pipeline.invoke(name, { rawPath: '/payment-intents/pi', requestContext: { http: { method: 'GET' } }, headers: {} });
    const body = json(records[0]?.dynamodb.NewImage?.['outbox']);
    for (const { definition } of jobs.map(jobQueueOf))
      await pipeline.invoke(`execute-job/${definition.kind}`, {
        Records: [
          { messageId: 'm', receiptHandle: 'r', body, attributes: { ApproximateReceiveCount: '1', ApproximateFirstReceiveTimestamp: '0' } },
        ],
      });
    await pipeline.invoke('retry-outbox', { Records: [{ messageId: 'm', body: '{}' }] });
    await pipeline.invoke('retry-invalidation', { Records: [{ messageId: 'm', body: json({ key: 'order:u-1/ord-1' }) }] });
    pipeline.outage = undefined;
    await expectNothingTold();
  });
});

test('a canary is found however it is spelled', () => {
  for (const text of [
    '4000-0000 0000.0002',
    '%34000000000000002',
    Buffer.from('xx kanari vogelsang xx').toString('base64'),
    '6011111111111117',
  ])
    expect(canaryIn(`{"a":"${text}"}`)).toBeDefined();
  expect(canaryIn('{"a":"order ord-1 of u-1"}')).toBeUndefined();
});

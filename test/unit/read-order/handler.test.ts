import { describe, expect, it } from 'vitest';
import { createReadThrough } from '#shared/cache/read-through.ts';
import type { OrderSource } from '#shared/cache/table-truth.ts';
import type { Order } from '#shared/domain/order.ts';
import { readRequest } from '../../../functions/accept-order/read-request.ts';
import { readOrder } from '../../../functions/read-order/handler.ts';
import { resourceFrom } from '../../../functions/read-order/resource.ts';
import { createMemoryCache } from '../../support/memory-cache.ts';

// Case: B97.

const order = (orderId: string, rest: Partial<Order> = {}): Order => ({
  userId: 'u-1',
  orderId,
  status: 'pending_payment',
  version: 1,
  attempt: 1,
  amountMinor: 4_999,
  currency: 'EUR',
  createdAtMs: Date.UTC(2026, 10, 30),
  intentAtMs: Date.UTC(2026, 10, 30),
  paymentIntentId: 'pi-1',
  captureKey: 'capture:u-1/ord-1:1',
  ...rest,
});
const unreadable = Object.assign(new Error('order ord-9 is stored in a form that cannot be read (amountMinor)'), {
  code: 'order-unreadable',
});

const bench = (source: Partial<OrderSource> = {}) => {
  const orders = new Map(
    [order('ord-1'), order('ord-2', { status: 'paid', version: 2, captureId: 'cap-2' })].map((each) => [each.orderId, each]),
  );
  const cache = createMemoryCache({ nowMs: () => 0 });
  const lines: unknown[] = [];
  const clock = { nowMs: () => 0, sleep: async () => undefined };
  const handler = readOrder({
    readThrough: createReadThrough({ cache, clock, ttlSeconds: 60, onCacheError: (operation) => lines.push(operation) }),
    resource: resourceFrom(
      {
        order: async (userId, orderId) => (userId === 'u-1' ? orders.get(orderId) : undefined),
        orders: async (userId) => ({ orders: userId === 'u-1' ? [...orders.values()] : [], unreadable: [], truncated: false }),
        ...source,
      },
      (error) => lines.push(error.message),
    ),
    measure: () => ({}),
    log: {
      info: (message, fields) => lines.push({ message, ...fields }),
      error: (message, { error, requestId }) => lines.push({ message, error: error.message, requestId }),
    },
  });
  const get = async (rawPath: string) => {
    const { statusCode, headers, body } = await handler({ rawPath, requestContext: { requestId: 'req-1' } });
    return { statusCode, headers, body: JSON.parse(body ?? '') };
  };
  return { cache, lines, get, orders };
};

describe('reading an order', () => {
  it.each<[string, Partial<Order>]>([
    ['pending', {}],
    ['paid', { status: 'paid', captureId: 'cap-1', note: 'ring twice' }],
    ['declined', { status: 'payment_declined', declineReason: 'insufficient_funds' }],
    ['being refunded', { status: 'refund_pending', captureId: 'cap-1', refundAttempt: 1 }],
    ['refunded', { status: 'refunded', captureId: 'cap-1', refundId: 'ref-1' }],
    ['not refundable', { status: 'paid', captureId: 'cap-1', refundDeclineReason: 'expired' }],
  ])('comes from the cache the second time, whatever it shows: %s', async (_what, rest) => {
    const { get, orders } = bench();
    orders.set('ord-3', order('ord-3', rest));
    const first = await get('/users/u-1/orders/ord-3');
    expect(await get('/users/u-1/orders/ord-3')).toMatchObject({ headers: { 'cache-status': 'andal; hit' }, body: first.body });
  });

  it('answers what a caller may see of it, with its version, from the table and then from the cache', async () => {
    const { get } = bench();
    const first = await get('/users/u-1/orders/ord-2');
    expect(first).toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/json', 'cache-status': 'andal; fwd=miss; stored', etag: '"2"', 'x-order-version': '2' },
      body: { userId: 'u-1', orderId: 'ord-2', status: 'paid', version: 2, amountMinor: 4_999, currency: 'EUR', captureId: 'cap-2' },
    });
    expect(first.body).not.toHaveProperty('captureKey');
    const second = await get('/users/u-1/orders/ord-2');
    expect(second).toEqual({ ...first, headers: { ...first.headers, 'cache-status': 'andal; hit' } });
  });

  it('is found behind a stage or base path too', async () => {
    expect(await bench().get('/live/users/u-1/orders/ord-1')).toMatchObject({ statusCode: 200 });
  });

  it('writes one log line, of ids only', async () => {
    const { get, lines } = bench();
    await get('/users/u-1/orders/ord-1');
    expect(lines).toEqual([{ message: 'order read', key: 'order:u-1/ord-1', cacheStatus: 'andal; fwd=miss; stored' }]);
  });

  it('answers 404 with a problem document for an order that is not there, and caches nothing', async () => {
    const { get, cache, orders } = bench();
    expect(await get('/users/u-1/orders/ord-3')).toMatchObject({
      statusCode: 404,
      headers: { 'content-type': 'application/problem+json', 'cache-status': 'andal; fwd=miss' },
      body: { type: 'urn:andal:problem:order-not-found', title: 'Order not found', status: 404, detail: expect.any(String) },
    });
    expect(cache.peek('order:u-1/ord-3')).toBeUndefined();
    orders.set('ord-3', order('ord-3'));
    expect(await get('/users/u-1/orders/ord-3')).toMatchObject({ statusCode: 200 });
  });

  it.each([
    ['/users/u%2F1/orders/ord-1', 'invalid-user-id'],
    [`/users/${'u'.repeat(41)}/order-summary`, 'invalid-user-id'],
    ['/users/u-1/orders/..%2e', 'invalid-order-id'],
  ])('refuses the malformed id in %s without reading anything', async (path, code) => {
    const { get, lines } = bench();
    expect(await get(path)).toMatchObject({ statusCode: 400, body: { code, status: 400 } });
    expect(lines).toEqual([]);
  });

  it('names a malformed user id as POST does', async () => {
    const posted = readRequest({
      pathParameters: { userId: 'u%2F1' },
      headers: {},
      isBase64Encoded: false,
      requestContext: { requestId: 'r' },
    });
    const { statusCode, body } = await bench().get('/users/u%2F1/orders/ord-1');
    expect({ statusCode, body }).toEqual({
      statusCode: (posted as { statusCode: number }).statusCode,
      body: JSON.parse((posted as { body: string }).body),
    });
  });

  it('takes every form of an order it answers with from the cache', async () => {
    const { get, orders } = bench();
    orders.set('ord-3', order('ord-3', { note: 'ä', captureId: 'c', declineReason: 'd', status: 'payment_declined' }));
    for (const orderId of orders.keys()) {
      const first = await get(`/users/u-1/orders/${orderId}`);
      expect(await get(`/users/u-1/orders/${orderId}`)).toEqual({ ...first, headers: { ...first.headers, 'cache-status': 'andal; hit' } });
    }
  });

  it.each([
    ['of another order', { orderId: 'ord-2' }, 1],
    ['of another user', { userId: 'u-2' }, 1],
    ['of another version', { version: 2 }, 1],
    ['under another version', {}, 7],
    ['of an unknown status', { status: 'lost' }, 1],
    ['with an amount that is text', { amountMinor: '4999' }, 1],
    ['with more than a caller may see', { captureKey: 'capture:u-1/ord-1:1' }, 1],
  ])('answers from the table when the cache holds a value %s, and repairs the cache', async (_, change, version) => {
    const { get, cache } = bench();
    const good = await get('/users/u-1/orders/ord-1');
    cache.overwrite('order:u-1/ord-1', { value: JSON.stringify({ ...good.body, ...change }), version, expiresAtMs: 60_000 });
    expect(await get('/users/u-1/orders/ord-1')).toEqual(good);
    expect(await get('/users/u-1/orders/ord-1')).toMatchObject({ headers: { 'cache-status': 'andal; hit' }, body: good.body });
  });

  it.each(['/users/u-1/orders', '/users/u-1', '/', '/users/u-1/orders/ord-1/refunds'])(
    'answers 404 for %s, which is no resource',
    async (path) => {
      expect(await bench().get(path)).toMatchObject({ statusCode: 404, body: { code: 'route-not-found' } });
    },
  );

  it('answers 500 without stack trace or cause when the table fails, and names the request', async () => {
    const { get, lines } = bench({ order: () => Promise.reject(new Error('secret detail at node:internal')) });
    const { statusCode, body } = await get('/users/u-1/orders/ord-1');
    expect({ statusCode, body }).toMatchObject({ statusCode: 500, body: { code: 'read-failed', requestId: 'req-1' } });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(lines).toEqual([{ message: 'order could not be read', error: 'secret detail at node:internal', requestId: 'req-1' }]);
  });

  it('says so when the order itself is what cannot be read', async () => {
    const { get } = bench({ order: () => Promise.reject(unreadable) });
    expect(await get('/users/u-1/orders/ord-9')).toMatchObject({ statusCode: 500, body: { code: 'order-unreadable', requestId: 'req-1' } });
  });

  it('answers from the table when the cache is down', async () => {
    const { get, cache } = bench();
    cache.fail('read', 'fill', 'invalidate');
    expect(await get('/users/u-1/orders/ord-1')).toMatchObject({
      statusCode: 200,
      headers: { 'cache-status': 'andal; fwd=bypass; detail=cache-failed' },
    });
  });
});

describe('reading a user’s summary', () => {
  it('counts the orders by status and sums what is paid by currency', async () => {
    const { get } = bench();
    expect(await get('/users/u-1/order-summary')).toMatchObject({
      statusCode: 200,
      headers: { etag: '"3"', 'x-order-version': '3', 'cache-status': 'andal; fwd=miss; stored' },
      body: { orders: 2, byStatus: { pending_payment: 1, paid: 1 }, paidMinorByCurrency: { EUR: 4_999 }, truncated: false },
    });
    expect(await get('/users/u-1/order-summary')).toMatchObject({ headers: { 'cache-status': 'andal; hit' } });
  });

  it('is never a cached value of another form', async () => {
    const { get, cache } = bench();
    cache.overwrite('order_summary:user:u-1', { value: '{"orders":"many"}', version: 3, expiresAtMs: 60_000 });
    expect(await get('/users/u-1/order-summary')).toMatchObject({
      headers: { 'cache-status': 'andal; fwd=miss; stored' },
      body: { orders: 2 },
    });
  });

  it('is all zeros, and not cached, for a user without orders', async () => {
    const { get, cache } = bench();
    expect(await get('/users/u-2/order-summary')).toMatchObject({
      statusCode: 200,
      headers: { etag: '"0"' },
      body: { orders: 0, byStatus: {}, paidMinorByCurrency: {}, truncated: false },
    });
    expect(cache.peek('order_summary:user:u-2')).toBeUndefined();
  });

  it('leaves out an order that cannot be read, says how many, and reports which', async () => {
    const { get, lines } = bench({
      orders: async () => ({ orders: [order('ord-1', { status: 'paid' })], unreadable: [unreadable], truncated: true }),
    });
    expect((await get('/users/u-1/order-summary')).body).toEqual({
      orders: 1,
      byStatus: { paid: 1 },
      paidMinorByCurrency: { EUR: 4_999 },
      truncated: true,
      unreadable: 1,
    });
    expect(lines).toContain(unreadable.message);
    expect(await get('/users/u-1/order-summary')).toMatchObject({ headers: { 'cache-status': 'andal; hit' }, body: { unreadable: 1 } });
  });
});

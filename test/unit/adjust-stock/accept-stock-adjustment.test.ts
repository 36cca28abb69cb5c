import { describe, expect, test } from 'vitest';
import { createStockBench } from '../../support/stock-bench.ts';

describe('POST /stock/{sku}/adjustments', () => {
  test('takes an adjustment in, and says what it is called', async () => {
    const stock = createStockBench();
    const { status, body } = await stock.request('bolt', 'k-1', { delta: 5 });
    expect([status, body]).toEqual([202, { sku: 'bolt', adjustmentId: body['adjustmentId'], delta: 5, state: 'accepted' }]);
    expect(body['adjustmentId']).toMatch(/^[0-9a-f]{32}$/);
  });

  test('repeated after it was refused says so and why, not that it was taken', async () => {
    const stock = createStockBench();
    await stock.request('bolt', 'k-1', { delta: -5 });
    await stock.dispatchStream();
    await stock.poll();
    const { status, body } = await stock.request('bolt', 'k-1', { delta: -5 });
    expect([status, body['state'], body['reason']]).toEqual([200, 'refused', 'stock-insufficient']);
  });

  test('repeated before and after it took effect is the same adjustment; by another delta it is refused', async () => {
    const stock = createStockBench();
    const first = await stock.request('bolt', 'k-1', { delta: 5 });
    const again = async () => [
      (await stock.request('bolt', 'k-1', { delta: 5 })).status,
      (await stock.request('bolt', 'k-1', { delta: 6 })).status,
    ];
    expect(await again()).toEqual([200, 422]);
    await stock.dispatchStream();
    await stock.poll();
    expect(await again()).toEqual([200, 422]);
    await stock.dispatchStream();
    expect(stock.waiting()).toBe(0);
    expect(stock.quantity('bolt')).toBe(5);
    expect((await stock.request('nut', 'k-1', { delta: 6 })).body).toMatchObject({ sku: 'nut', adjustmentId: first.body['adjustmentId'] });
  });

  test('is not forgotten by an item that no job ever claimed: message and intent stand on it, and its expiry', async () => {
    const stock = createStockBench();
    const { body } = await stock.request('bolt', 'k-1', { delta: 5 });
    const item = stock.item({ pk: 'JOB#adjust-stock#bolt', sk: `JOB#adjust:bolt/${body['adjustmentId']}` }) ?? {};
    expect(item).toMatchObject({ lease: 'free', version: 1, fence: 0, 'hash:run': expect.any(String), expiresAt: expect.any(Number) });
    expect(JSON.parse(String(item['message']))).toEqual((item['outbox'] as unknown[])[0]);
  });

  test.each([[{ delta: 0 }], [{ delta: 1.5 }], [{ delta: '1' }], [{ delta: 1_000_001 }], [{}], [{ delta: 1, sku: 'nut' }], [[]]])(
    'with the body %j is refused in words and writes nothing',
    async (body) => {
      const stock = createStockBench();
      expect(await stock.request('bolt', 'k-1', body)).toMatchObject({ status: 400, body: { code: 'invalid-adjustment' } });
      expect(stock.aws.calls).toEqual([]);
    },
  );

  test.each(['', 'bolt#1', 'x'.repeat(41)])('for the SKU "%s" is refused', async (sku) => {
    expect(await createStockBench().request(sku, 'k-1', { delta: 1 })).toMatchObject({ status: 400, body: { code: 'invalid-sku' } });
  });

  test('that got no answer from the table asks for the same request again', async () => {
    const stock = createStockBench();
    stock.aws.fault = () => ({ error: 'InternalServerError', status: 500 });
    expect(await stock.request('bolt', 'k-1', { delta: 1 })).toMatchObject({ status: 503, body: { code: 'adjustment-not-confirmed' } });
  });
});

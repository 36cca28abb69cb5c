import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderStatus } from '#shared/domain/order.ts';
import { type SummarizedOrder, summarizeOrders, summaryVersion } from '#shared/domain/order-summary.ts';

const orders = fc.array(
  fc.record<SummarizedOrder>({
    orderId: fc.stringMatching(/^[a-z]{3}$/),
    status: fc.constantFrom(...orderStatus.options),
    version: fc.integer({ min: 1, max: 9 }),
    amountMinor: fc.integer({ min: 1, max: 99_999_999 }),
    currency: fc.constantFrom('EUR', 'IDR', 'JPY'),
  }),
);
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const whole = { truncated: false, unreadable: 0 };

describe('a summary of orders', () => {
  it('counts every order under one status, and keeps currencies apart', () => {
    fc.assert(
      fc.property(orders, (list) => {
        const summary = summarizeOrders(list, whole);
        expect(summary.orders).toBe(list.length);
        expect(sum(Object.values(summary.byStatus))).toBe(list.length);
        for (const currency of ['EUR', 'IDR', 'JPY']) {
          const paid = list.filter((order) => order.status === 'paid' && order.currency === currency).map(({ amountMinor }) => amountMinor);
          expect(summary.paidMinorByCurrency[currency]).toBe(paid.length === 0 ? undefined : sum(paid));
        }
      }),
    );
  });

  it('has a version that rises with any order’s', () => {
    fc.assert(
      fc.property(orders, fc.nat(), (list, pick) => {
        fc.pre(list.length > 0);
        const changed = list.map((order, index) => (index === pick % list.length ? { ...order, version: order.version + 1 } : order));
        expect(summaryVersion(changed)).toBeGreaterThan(summaryVersion(list));
      }),
    );
  });
});

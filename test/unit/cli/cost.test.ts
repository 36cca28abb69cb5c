import { describe, expect, it } from 'vitest';
import { PRICES } from '#shared/contract/prices.ts';
import { NOTHING } from '../../../cli/cost/bill.ts';
import { type CostQuestion, estimateCost } from '../../../cli/cost/estimate.ts';
import { formatEstimate } from '../../../cli/cost/format-estimate.ts';
import { jobBill } from '../../../cli/cost/job-bill.ts';
import { FUNCTION_GB, priceBill } from '../../../cli/cost/price-bill.ts';
import { COUNTS } from '../../../cli/cost/recorded-counts.ts';

const question: CostQuestion = { ordersPerDay: 10_000, providerMs: 200, cache: 'dynamodb' };
const dollarsOf = (asked: CostQuestion, what: string): number => estimateCost(asked).lines.find((line) => line.what === what)?.dollars ?? 0;

describe('a bill', () => {
  it('is priced at the list', () => {
    const bill = {
      ...NOTHING,
      tables: { State: { write: 3, read: 2, requests: 9 } },
      queueRequests: 5,
      fifoRequests: 1,
      invocations: 2,
      functionMs: 1_000,
      logBytes: 1e9,
      objectWrites: 1,
      objectReads: 1,
    };
    expect(priceBill(bill)).toEqual({
      database: 3 * PRICES.writeUnit + 2 * PRICES.readUnit,
      queues: 5 * PRICES.queueRequest + PRICES.fifoRequest,
      functions: 2 * PRICES.invocation + FUNCTION_GB * PRICES.gbSecond,
      logs: PRICES.logGb,
      objects: PRICES.objectWrite + PRICES.objectRead,
    });
  });
});

describe('what a job uses', () => {
  it('is what was counted, alone and in a full batch', () => {
    expect(jobBill(COUNTS.paid, { batch: 1, providerMs: 0 }).tables).toEqual(COUNTS.paid.alone.tables);
    expect(jobBill(COUNTS.paid, { batch: 10, providerMs: 0 }).queueRequests).toBeCloseTo(COUNTS.paid.full.queueRequests, 9);
  });

  it('falls with the size of the batch, whose requests are shared', () => {
    const requests = [1, 2, 5, 10].map((batch) => jobBill(COUNTS.paid, { batch, providerMs: 0 }).queueRequests);
    expect(requests).toEqual([...requests].sort((left, right) => right - left));
    expect(requests[0]).toBeCloseTo(3, 9);
  });

  it('waits for the provider once a batch, and not at all where none is called', () => {
    const waitMs = (record: typeof COUNTS.paid, batch: number) =>
      jobBill(record, { batch, providerMs: 1_000 }).functionMs - jobBill(record, { batch, providerMs: 0 }).functionMs;
    expect(waitMs(COUNTS.paid, 1)).toBeCloseTo(1_000, 6);
    expect(waitMs(COUNTS.paid, 10)).toBeCloseTo(150, 6);
    expect(waitMs(COUNTS.receipt, 10)).toBeCloseTo(0, 6);
  });
});

describe('the estimate of a month', () => {
  it('adds up to its lines', () => {
    const { lines, dollarsPerMonth, dollarsPerMillionOrders } = estimateCost(question);
    expect(lines.reduce((sum, { dollars }) => sum + dollars, 0)).toBeCloseTo(dollarsPerMonth, 9);
    expect(dollarsPerMillionOrders).toBeCloseTo((dollarsPerMonth / 300_000) * 1e6, 6);
  });

  it('grows with the orders in what is paid by the order, and in nothing else', () => {
    const [few, many] = [1, 2].map((times) => estimateCost({ ...question, ordersPerDay: 10_000 * times, batch: 5 })) as [
      ReturnType<typeof estimateCost>,
      ReturnType<typeof estimateCost>,
    ];
    for (const [index, { per, dollars }] of few.lines.entries())
      expect(many.lines[index]?.dollars).toBeCloseTo(dollars * (per === 'order' ? 2 : 1), 6);
  });

  it('writes nothing for cache keys that are in Valkey, and pays for its memory instead', () => {
    expect(dollarsOf(question, 'cache: DynamoDB')).toBeCloseTo(300_000 * 4 * PRICES.writeUnit, 9);
    expect(dollarsOf({ ...question, cache: 'valkey' }, 'cache: DynamoDB')).toBe(0);
    expect(dollarsOf({ ...question, cache: 'valkey' }, 'cache: Valkey memory')).toBeGreaterThan(6);
  });

  it('takes small batches for little traffic and full ones for much', () => {
    expect([1_000, 1_000_000, 10_000_000].map((ordersPerDay) => Math.round(estimateCost({ ...question, ordersPerDay }).batch))).toEqual([
      1, 3, 10,
    ]);
  });

  it('tells a person the sum, the date of the prices and what is not in it', () => {
    const text = formatEstimate(estimateCost(question));
    for (const words of ['a month for 300,000 orders', PRICES.asOf, 'Not in it', 'charge: DynamoDB', 'alarms'])
      expect(text).toContain(words);
  });
});

import { PRICES } from '#shared/contract/prices.ts';
import { addUp, type Bill, NOTHING } from './bill.ts';
import { fixedCosts } from './fixed-costs.ts';
import { type Conditions, jobBill } from './job-bill.ts';
import { priceBill } from './price-bill.ts';
import { COUNTS } from './recorded-counts.ts';

export type CacheChoice = 'valkey' | 'dynamodb';

export interface CostQuestion {
  readonly ordersPerDay: number;
  readonly providerMs: number;
  readonly cache: CacheChoice;
  /** Left out: what this many orders come to when they are spread over the day. */
  readonly batch?: number | undefined;
}

export interface CostLine {
  readonly what: string;
  /** What it grows with. */
  readonly per: 'order' | 'month';
  readonly used: string;
  readonly dollars: number;
}

export interface CostEstimate {
  readonly asOf: string;
  readonly region: string;
  readonly ordersPerMonth: number;
  readonly providerMs: number;
  readonly cache: CacheChoice;
  readonly batch: number;
  readonly lines: readonly CostLine[];
  readonly dollarsPerMonth: number;
  readonly dollarsPerMillionOrders: number;
}

const DAYS = 30;
const DAY_SECONDS = 86_400;
/** A mapping asks each shard of a stream so often a second; what came in between makes a batch. */
const POLLS_PER_SECOND = 4;
const MILLION = 1_000_000;
/** An order with a finished charge, its receipt's item, and its mail. */
const STORED_BYTES = 1_800;
const CACHE_KEYS = 4;
const GB_BYTES = 1_000_000_000;

/** What a month of so many orders costs: each is accepted, paid and confirmed once. */
export function estimateCost({ ordersPerDay, providerMs, cache, batch: wanted }: CostQuestion): CostEstimate {
  const orders = ordersPerDay * DAYS;
  const batch = wanted ?? batchAt(ordersPerDay / DAY_SECONDS);
  const conditions = { batch, providerMs };
  const lines = [
    ...entranceLines(orders),
    ...jobLines('charge', orders, jobBill(COUNTS.paid, conditions)),
    ...jobLines('receipt', orders, jobBill(COUNTS.receipt, conditions)),
    ...cacheLines(cache, orders, conditions),
    storageLine(orders),
    ...fixedCosts(),
  ];
  const dollarsPerMonth = lines.reduce((sum, { dollars }) => sum + dollars, 0);
  const perMillion = orders === 0 ? 0 : (dollarsPerMonth / orders) * MILLION;
  return {
    asOf: PRICES.asOf,
    region: PRICES.region,
    ordersPerMonth: orders,
    providerMs,
    cache,
    batch,
    lines,
    dollarsPerMonth,
    dollarsPerMillionOrders: perMillion,
  };
}

const batchAt = (perSecond: number): number => Math.min(10, Math.max(1, perSecond / POLLS_PER_SECOND));

const PARTS = { database: 'DynamoDB', queues: 'SQS', functions: 'Lambda', logs: 'logs', objects: 'S3' } as const;

function jobLines(job: string, orders: number, bill: Bill): CostLine[] {
  return Object.entries(priceBill(bill)).flatMap(([part, dollars]): CostLine[] =>
    dollars === 0
      ? []
      : [
          {
            what: `${job}: ${PARTS[part as keyof typeof PARTS]}`,
            per: 'order',
            used: usedOf(part as keyof typeof PARTS, bill),
            dollars: dollars * orders,
          },
        ],
  );
}

function usedOf(part: keyof typeof PARTS, bill: Bill): string {
  const { read, write } = Object.values(bill.tables).reduce((sum, one) => ({ read: sum.read + one.read, write: sum.write + one.write }), {
    read: 0,
    write: 0,
  });
  const words = {
    database: `${round(write)} writes, ${round(read)} reads`,
    queues: `${round(bill.queueRequests + bill.fifoRequests)} requests`,
    functions: `${round(bill.invocations)} runs, ${round(bill.functionMs)} ms`,
    logs: `${Math.round(bill.logBytes)} bytes`,
    objects: `${round(bill.objectWrites)} writes, ${round(bill.objectReads)} reads`,
  };
  return words[part];
}

const round = (value: number): number => Math.round(value * 100) / 100;

function entranceLines(orders: number): CostLine[] {
  const api: CostLine = { what: 'entrance: API Gateway', per: 'order', used: '1 request', dollars: orders * PRICES.apiRequest };
  return [api, ...jobLines('entrance', orders, COUNTS.paid.entrance)];
}

/** The cheapest serverless cache holds a tenth of a gigabyte, and is paid for by the hour. */
const CACHE_GB = 0.1;
const MONTH_HOURS = DAYS * 24;

function cacheLines(cache: CacheChoice, orders: number, conditions: Conditions): CostLine[] {
  const ofInvalidation = jobBill(COUNTS.cache, { ...conditions, providerMs: 0 });
  if (cache === 'dynamodb') return jobLines('cache', orders, ofInvalidation);
  const withoutTable = addUp([{ ...NOTHING, ...ofInvalidation, tables: {} }]);
  return [
    ...jobLines('cache', orders, withoutTable),
    { what: 'cache: Valkey requests', per: 'order', used: `${CACHE_KEYS} requests`, dollars: orders * CACHE_KEYS * PRICES.cacheRequest },
    { what: 'cache: Valkey memory', per: 'month', used: `${CACHE_GB} GB`, dollars: CACHE_GB * MONTH_HOURS * PRICES.cacheGbHour },
  ];
}

/** Orders stay, so this line grows by itself every month. */
const storageLine = (orders: number): CostLine => ({
  what: 'stored after a month, with backups',
  per: 'order',
  used: `${STORED_BYTES.toLocaleString('en-GB')} bytes`,
  dollars: ((orders * STORED_BYTES) / GB_BYTES) * (PRICES.storedGbMonth + PRICES.backupGbMonth),
});

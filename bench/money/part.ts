import { PRICES } from '#shared/contract/prices.ts';
import { addUp, type Bill, NOTHING } from '../../cli/cost/bill.ts';
import { jobBill } from '../../cli/cost/job-bill.ts';
import { FUNCTION_GB, priceBill, total } from '../../cli/cost/price-bill.ts';
import type { OutcomeRecord } from '../../cli/cost/recorded-counts.ts';
import { countAll, FULL_BATCH } from '../counts/record.ts';
import type { Part } from '../report/part.ts';
import { PEER_PRICES, peerCosts } from './peers.ts';

const PROVIDER_MS = 200;
const MOST_DOLLARS = 2.7;
const MILLION = 1_000_000;
const dollars = (amount: number): string => amount.toFixed(2);

export const money: Part = {
  title: 'What a million orders cost',
  timed: false,
  async run() {
    const counts = await countAll();
    const ofOutcome = (name: string): OutcomeRecord => {
      const record = counts[name];
      if (record === undefined) throw new Error(`the outcome ${name} was not counted`);
      return record;
    };
    const paid = withoutIngress(ofOutcome('paid'), FULL_BATCH);
    const receipt = jobBill(ofOutcome('receipt'), { batch: FULL_BATCH, providerMs: 0 });
    const cache = jobBill(ofOutcome('cache'), { batch: FULL_BATCH, providerMs: 0 });
    const ours: readonly (readonly [string, Bill])[] = [
      [`paid, ${FULL_BATCH} messages in a batch`, paid],
      ['the same, one message in a batch', withoutIngress(ofOutcome('paid'), 1)],
      ['paid, and its receipt', addUp([paid, receipt])],
      ['paid, its receipt, its cache keys in DynamoDB', addUp([paid, receipt, cache])],
    ];
    const million = total(priceBill(paid)) * MILLION;
    const peers = peerCosts(PROVIDER_MS);
    const cheapest = Math.min(...peers.map(({ dollarsPerMillion }) => dollarsPerMillion));
    return {
      budgets: [
        {
          what: `a million orders paid, ${FULL_BATCH} in a batch, a provider of ${PROVIDER_MS} ms, ingress apart`,
          budget: `≤ $${dollars(MOST_DOLLARS)}`,
          measured: `$${dollars(million)}`,
          kept: million <= MOST_DOLLARS,
        },
        {
          what: `cheaper than every peer, ${FULL_BATCH} in a batch`,
          budget: `< $${dollars(cheapest)}`,
          measured: `$${dollars(million)}`,
          kept: million < cheapest,
        },
      ],
      tables: [
        {
          title: 'Ours, USD a million',
          head: ['What', 'DynamoDB', 'SQS', 'Lambda', 'Logs', 'All'],
          rows: ours.map(([what, bill]) => {
            const { database, queues, functions, logs } = priceBill(bill);
            return [what, ...[database, queues, functions, logs, total(priceBill(bill))].map((part) => dollars(part * MILLION))];
          }),
        },
        {
          title: 'Peers on the same work, USD a million',
          head: ['Who', 'What we count of theirs', 'All'],
          rows: peers.map(({ name, operations, dollarsPerMillion }) => [name, operations, dollars(dollarsPerMillion)]),
        },
        {
          title: `Their list prices, ${PEER_PRICES.asOf}; look again before you quote them`,
          head: ['Source', 'USD'],
          rows: Object.values(PEER_PRICES).flatMap((price) => (typeof price === 'string' ? [] : [[price.source, String(price.dollars)]])),
        },
      ],
      charts: [
        {
          name: 'performance-money',
          title: 'A million orders',
          unit: `USD, a provider of ${PROVIDER_MS} ms`,
          bars: [
            { label: 'Andal', value: million, ours: true },
            ...peers.map(({ name, dollarsPerMillion }) => ({ label: name, value: dollarsPerMillion })),
          ].sort((left, right) => left.value - right.value),
        },
      ],
      notes: [
        `Ours: the counts above at list prices of ${PRICES.region}, ${PRICES.asOf} (\`shared/contract/prices.ts\`), functions of ${FUNCTION_GB * 1_024} MB, 8 ms a call of a table or queue, a batch that waits for its slowest answer (1.5 times the middle one), 3 ms of processor a job. Free tiers are left out, API Gateway and the function at the entrance are apart, its write is in.`,
        'Theirs: their published price times our count of what they bill. Machines that run the code of Temporal, Inngest and Restate are not in it, nor plans with a base fee.',
        "Little traffic makes small batches, and what a batch asks and sends is then one job's alone: a job that is always alone in its batch (second line) costs more than Step Functions Express. For traffic of your own: `npm run andal -- cost --orders-per-day 10000 --provider-ms 200`.",
      ],
    };
  },
};

/** What the entrance writes belongs to the job; the function and the API in front of it do not. */
const withoutIngress = (record: OutcomeRecord, batch: number): Bill =>
  addUp([{ ...NOTHING, tables: record.entrance.tables }, jobBill(record, { batch, providerMs: PROVIDER_MS })]);

import { addUp, type Bill } from '../../cli/cost/bill.ts';
import { priceBill, total } from '../../cli/cost/price-bill.ts';
import { TABLES } from '../../test/simulation/cloud/names.ts';
import { createMeteredAccount, type MeteredAccount } from '../../test/support/metered-account/account.ts';
import { placeOrders } from '../../test/support/metered-account/customers.ts';
import { createStreamCarrier, deliverBatch } from '../../test/support/metered-account/deliver.ts';
import type { Part } from '../report/part.ts';

/** Orders that are under way together. */
const WAVE = 100;
const BATCH = 10;
const MILLION = 1_000_000;
const MOST_GROWTH = 0.05;

interface Grown {
  readonly jobs: number;
  readonly perJob: Bill;
  readonly dollarsPerMillion: number;
  readonly msPerJob: number;
  /** Writes of the key that was written most, and of all. */
  readonly hottest: { readonly key: string; readonly writes: number };
  readonly writes: number;
}

export const growth: Part = {
  title: 'What a job costs when there are many',
  timed: false,
  async run({ sizes, say }) {
    const grown: Grown[] = [];
    for (const jobs of sizes) {
      grown.push(await runJobs(jobs));
      say(`${jobs.toLocaleString('en-GB')} jobs: $${grown.at(-1)?.dollarsPerMillion.toFixed(3)} a million`);
    }
    const costs = grown.map(({ dollarsPerMillion }) => dollarsPerMillion);
    const spread = Math.max(...costs) / Math.min(...costs) - 1;
    const hottest = Math.max(...grown.map((one) => one.hottest.writes));
    const range = sizes.map((jobs) => jobs.toLocaleString('en-GB')).join(', ');
    return {
      budgets: [
        {
          what: `cost of a job at ${range} jobs`,
          budget: 'flat within 5 %',
          measured: `${(spread * 100).toFixed(2)} % apart`,
          kept: spread <= MOST_GROWTH,
        },
        {
          what: 'writes of the hottest key of the State table',
          budget: "≤ its own order's 3",
          measured: String(hottest),
          kept: hottest <= 3,
        },
      ],
      tables: [
        {
          title: 'Growth',
          head: [
            'Jobs',
            'State writes a job',
            'Requests to tables a job',
            'USD a million',
            'Hottest key: writes',
            'its share',
            'Bench time a job, ms',
          ],
          rows: grown.map(({ jobs, perJob, dollarsPerMillion, hottest: { writes }, writes: all, msPerJob }) => [
            jobs,
            (perJob.tables['State']?.write ?? 0).toFixed(3),
            Object.values(perJob.tables)
              .reduce((sum, { requests }) => sum + requests, 0)
              .toFixed(3),
            dollarsPerMillion.toFixed(3),
            writes,
            `${((writes / all) * 100).toFixed(4)} %`,
            msPerJob.toFixed(2),
          ]),
        },
      ],
      charts: [
        {
          name: 'performance-growth',
          title: 'A million jobs',
          unit: 'USD, the provider answers at once',
          bars: grown.map(({ jobs, dollarsPerMillion }) => ({
            label: `after ${jobs.toLocaleString('en-GB')} jobs`,
            value: dollarsPerMillion,
            ours: true,
          })),
        },
      ],
      notes: [
        `Orders of different customers, ${WAVE} under way together, from the entrance to paid. Tables are state machines: that DynamoDB itself stays flat is its promise. One row of Control, the rate limit's, is written by every batch: at ten jobs a batch and 1,000 writes a second to one key it is the limit at 10,000 charges a second, far above any provider's.`,
      ],
    };
  },
};

async function runJobs(jobs: number): Promise<Grown> {
  const account = createMeteredAccount();
  const carry = createStreamCarrier(account, { forgets: true });
  const writes = countWrites(account);
  const bills: Bill[] = [];
  const startedAtMs = performance.now();
  for (let first = 1; first <= jobs; first += WAVE) {
    const wave = Math.min(WAVE, jobs - first + 1);
    await placeOrders(account, wave, 4_999, first);
    writes.look();
    await carry('dispatch-outbox');
    for (let batch = 0; batch < Math.ceil(wave / BATCH); batch++) await deliverBatch(account, 'capture-payment');
    bills.push(account.meter.take());
  }
  writes.look();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const all = addUp(bills);
  return {
    jobs,
    perJob: addUp([all], 1 / jobs),
    dollarsPerMillion: (total(priceBill(all)) / jobs) * MILLION,
    msPerJob: (seconds / jobs) * 1_000,
    ...writes.result(),
  };
}

/** Every write leaves a record in the stream; looked at before the stream is carried on, and forgotten. */
function countWrites({ dynamodb }: MeteredAccount) {
  const writesOf = new Map<string, number>();
  return {
    look(): void {
      for (const { dynamodb: record } of dynamodb.stream(TABLES.state)) {
        const key = JSON.stringify(record.Keys);
        writesOf.set(key, (writesOf.get(key) ?? 0) + 1);
      }
    },
    result(): Pick<Grown, 'hottest' | 'writes'> {
      let [hottest, writes] = [{ key: '', writes: 0 }, 0];
      for (const [key, count] of writesOf) {
        writes += count;
        if (count > hottest.writes) hottest = { key, writes: count };
      }
      return { hottest, writes };
    },
  };
}

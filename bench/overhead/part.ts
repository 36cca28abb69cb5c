import { systemClock } from '#shared/runtime/clock.ts';
import { createMeteredAccount } from '../../test/support/metered-account/account.ts';
import { placeOrders } from '../../test/support/metered-account/customers.ts';
import { createStreamCarrier, deliverBatch } from '../../test/support/metered-account/deliver.ts';
import type { Part } from '../report/part.ts';
import { formatSpread, spreadOf } from '../report/spread.ts';

const TABLE_MS = 8;
const JOBS = 200;
const MOST_MS = 20;

export const overhead: Part = {
  title: 'What a job takes besides its provider',
  timed: true,
  async run({ runs, say }) {
    const medians: number[] = [];
    const all: number[] = [];
    for (let run = 0; run < runs; run++) {
      const times = await jobTimes();
      all.push(...times);
      medians.push(spreadOf(times).median);
      say(`p50 ${medians.at(-1)?.toFixed(1)} ms`);
    }
    const spread = spreadOf(medians);
    const sorted = all.sort((left, right) => left - right);
    const percentile = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    return {
      budgets: [
        {
          what: `a job without its provider, ${TABLE_MS} ms a call of a table, p50`,
          budget: `≤ ${MOST_MS} ms`,
          measured: `${formatSpread(spread, 1)} ms`,
          kept: spread.median <= MOST_MS,
        },
      ],
      tables: [
        {
          title: 'One message at a time',
          head: ['Jobs', 'p50, ms', 'p90', 'p99'],
          rows: [[all.length, percentile(0.5), percentile(0.9), percentile(0.99)]],
        },
      ],
      charts: [],
      notes: [
        `The deployed worker, one charge a run, ${JOBS} jobs in each of ${runs} runs; a provider that answers at once. Two writes of ${TABLE_MS} ms are in it, so ${2 * TABLE_MS} ms is the floor; the rate limit's token is fetched beside the claim, and pause, circuit and rate limit are read once a second.`,
      ],
    };
  },
};

async function jobTimes(): Promise<number[]> {
  const account = createMeteredAccount({ clock: systemClock, latencies: { tableMs: TABLE_MS } });
  const carry = createStreamCarrier(account);
  await placeOrders(account, JOBS);
  await carry('dispatch-outbox');
  const times: number[] = [];
  for (let number = 0; number < JOBS; number++) {
    const startedAtMs = performance.now();
    const { bodies, handedBack } = await deliverBatch(account, 'capture-payment', 1);
    if (bodies.length !== 1 || handedBack > 0) throw new Error('a job did not end');
    times.push(performance.now() - startedAtMs);
  }
  // The first ones load what later ones find loaded.
  return times.slice(20);
}

import { orderItemKey } from '#shared/contract/item-keys.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { job } from '#shared/worker/define-job.ts';
import { executeBatch } from '#shared/worker/execute-batch.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { openGate } from '#shared/worker/gate.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import type { Ports } from '#shared/worker/ports.ts';
import type { Delivery, Worker } from '#shared/worker/worker.ts';
import type { Part } from '../report/part.ts';
import { formatSpread, spreadOf } from '../report/spread.ts';
import { createMemoryStore } from './memory-store.ts';

const JOBS = 30_000;
/** Prepared together: a worker holds no more than its batch, and what lies around costs the garbage collector. */
const ROUND = 1_000;
const BATCH = 10;
const LEAST_PER_SECOND = 30_000;

export const core: Part = {
  title: 'Jobs a second through the worker itself',
  timed: true,
  async run({ runs, say }) {
    await jobsPerSecond();
    const rates: number[] = [];
    for (let run = 0; run < runs; run++) {
      rates.push(await jobsPerSecond());
      say(`${Math.round(rates.at(-1) ?? 0)} jobs a second`);
    }
    const spread = spreadOf(rates);
    return {
      budgets: [
        {
          what: 'worker core through Powertools, adapters in memory, one core',
          budget: `≥ ${LEAST_PER_SECOND.toLocaleString('en-GB')} jobs/s`,
          measured: `${formatSpread(spread)} jobs/s`,
          kept: spread.median >= LEAST_PER_SECOND,
        },
      ],
      tables: [],
      charts: [],
      notes: [
        `${JOBS.toLocaleString('en-GB')} charges in batches of ${BATCH}, ${runs} runs after one to warm up: parsing, claim, run, commit and Powertools around them; a map for the table, a provider that has answered already.`,
      ],
    };
  },
};

async function jobsPerSecond(): Promise<number> {
  let spentMs = 0;
  for (let done = 0; done < JOBS; done += ROUND) {
    const { worker, deliveries } = prepare();
    const startedAtMs = performance.now();
    for (let first = 0; first < ROUND; first += BATCH) {
      const ended = await executeBatch(
        deliveries.slice(first, first + BATCH),
        (delivery) => executeJob(delivery, worker, 25_000),
        Math.random,
      );
      const odd = ended.find(({ ending }) => ending.outcome !== 'committed');
      if (odd !== undefined) throw new Error(`a job ended as ${odd.ending.outcome}`);
    }
    spentMs += performance.now() - startedAtMs;
  }
  return JOBS / (spentMs / 1_000);
}

function prepare(): { readonly worker: Worker; readonly deliveries: readonly Delivery[] } {
  const store = createMemoryStore();
  const nowMs = Date.now();
  const deliveries = Array.from({ length: ROUND }, (_, number): Delivery => {
    const [userId, orderId] = [`user-${number}`, `order-${number}`];
    const order = newOrder(userId, orderId, { amountMinor: 4_999, currency: 'EUR' }, nowMs);
    store.put(orderItemKey(userId, orderId), { ...order, fence: 0, lease: 'free' });
    const body = JSON.stringify(outboxMessage(job(capturePayment, { userId, orderId, attempt: 1 }), nowMs));
    return { messageId: `m-${number}`, receiptHandle: `r-${number}`, body, receiveCount: 1, firstReceivedAtMs: nowMs };
  });
  const payments = { capture: async () => ({ status: 'captured', captureId: 'cap', amountMinor: 4_999, currency: 'EUR' }) };
  const worker: Worker = {
    definition: capturePayment,
    timing: deriveTiming(capturePayment.timing),
    timeScale: 1,
    store,
    gate: openGate({ payments } as unknown as Ports),
    extendVisibility: async () => undefined,
    keyHorizonMs: 24 * 3_600_000,
    unresolvedAfterMs: 48 * 3_600_000,
    deadLetters: { send: async () => undefined },
    clock: systemClock,
    random: systemRandom,
  };
  return { worker, deliveries };
}

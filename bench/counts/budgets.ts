import { TABLES } from '../../test/simulation/cloud/names.ts';
import type { OutcomeCount } from './outcomes.ts';

/** What one number of an outcome may be at most, in a batch of ten. */
export interface CountBudget {
  readonly outcome: string;
  readonly of: string;
  readonly most: number;
  readonly measured: (count: OutcomeCount) => number;
}

const NO_USE = { read: 0, write: 0, requests: 0 };
const stateOf = (bill: OutcomeCount['entrance']) => bill.tables[TABLES.state] ?? NO_USE;

const writes = ({ entrance, pipeline }: OutcomeCount): number => stateOf(entrance).write + stateOf(pipeline).write;
const reads = ({ entrance, pipeline }: OutcomeCount): number => stateOf(entrance).read + stateOf(pipeline).read;
const workerWrites = ({ worker }: OutcomeCount): number => stateOf(worker).write;
const workerTrips = ({ worker }: OutcomeCount): number => stateOf(worker).requests;
const calls = ({ providerCalls }: OutcomeCount): number => providerCalls;
const queueRequests = ({ pipeline }: OutcomeCount): number => pipeline.queueRequests + pipeline.fifoRequests;
const cacheWrites = ({ pipeline }: OutcomeCount): number => pipeline.tables[TABLES.cache]?.write ?? 0;

const STATE_WRITES = 'write units of the State table';
const STATE_READS = 'read units of the State table';
const WORKER_TRIPS = 'State requests of the worker';
const PROVIDER_CALLS = 'calls of the provider';
const QUEUE_REQUESTS = 'SQS requests a job';

const budget = (outcome: string, of: string, most: number, measured: CountBudget['measured']): CountBudget => ({
  outcome,
  of,
  most,
  measured,
});

export const COUNT_BUDGETS: readonly CountBudget[] = [
  budget('paid', STATE_WRITES, 3, writes),
  budget('paid', STATE_READS, 0, reads),
  budget('paid', WORKER_TRIPS, 2, workerTrips),
  budget('paid', PROVIDER_CALLS, 1, calls),
  budget('paid', QUEUE_REQUESTS, 0.3, queueRequests),
  // One a key that is invalidated: two keys, twice.
  budget('cache', 'write units of the Cache table', 4, cacheWrites),
  budget('duplicate', STATE_WRITES, 1, workerWrites),
  budget('duplicate', STATE_READS, 0, reads),
  budget('duplicate', PROVIDER_CALLS, 0, calls),
  // Claim and settle, and the first entry of the overdue index; later the entry is moved.
  budget('failure', STATE_WRITES, 3, workerWrites),
  budget('later-failure', STATE_WRITES, 4, workerWrites),
  budget('declined', STATE_WRITES, 3, writes),
  budget('declined', PROVIDER_CALLS, 1, calls),
];

export interface JudgedBudget extends CountBudget {
  readonly is: number;
  readonly kept: boolean;
}

export const judgeCounts = (counts: readonly OutcomeCount[]): JudgedBudget[] =>
  COUNT_BUDGETS.map((one) => {
    const count = counts.find(({ outcome }) => outcome === one.outcome);
    if (count === undefined) throw new Error(`the outcome ${one.outcome} was not counted`);
    const is = Math.round(one.measured(count) * 1_000) / 1_000;
    return { ...one, is, kept: is <= one.most };
  });

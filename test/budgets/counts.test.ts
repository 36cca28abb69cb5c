import { describe, expect, it } from 'vitest';
import { judgeCounts } from '../../bench/counts/budgets.ts';
import { claimsDelivered, MOST_ITEM_BYTES, measureOrderItems } from '../../bench/counts/order-item.ts';
import { countOutcomes } from '../../bench/counts/outcomes.ts';
import { countAll, FULL_BATCH, readRecord } from '../../bench/counts/record.ts';
import type { Bill } from '../../cli/cost/bill.ts';
import type { OutcomeRecord } from '../../cli/cost/recorded-counts.ts';

// The real handlers over state machines; units from item bytes. No times: those are measured, not tested.

/** Times and lengths of log lines are no counts: they move with words and with the order of turns. */
const countsOf = ({ tables, refusedWrites, queueRequests, fifoRequests, emptyReceives, objectWrites, objectReads, invocations }: Bill) => ({
  tables,
  refusedWrites,
  queueRequests,
  fifoRequests,
  emptyReceives,
  objectWrites,
  objectReads,
  invocations,
});
const comparable = ({ entrance, alone, full, workerTables, providerCalls }: OutcomeRecord) => ({
  entrance: countsOf(entrance),
  alone: countsOf(alone),
  full: countsOf(full),
  workerTables,
  providerCalls,
});

const recorded = readRecord() as Readonly<Record<string, OutcomeRecord>>;
const counted = await countAll();

it('every outcome that is recorded is counted, and no other', () => {
  expect(Object.keys(counted)).toEqual(Object.keys(recorded));
});

describe.each(Object.entries(recorded))('a job with the outcome %s', (outcome, record) => {
  it('writes, reads, asks and sends exactly as often as it did when it was recorded (npm run bench -- counts --record)', () => {
    expect(comparable(counted[outcome] as OutcomeRecord)).toEqual(comparable(record));
  });
});

it.each(judgeCounts(await countOutcomes({ batch: FULL_BATCH })).map((one) => [`${one.outcome}: ${one.of}`, one] as const))(
  'the budget of %s is kept',
  (_what, { is, most }) => expect(is).toBeLessThanOrEqual(most),
);

it('an order fits into one write unit with three finished operations', async () => {
  const items = await measureOrderItems();
  expect(Math.max(...items.map(({ operations }) => operations))).toBe(3);
  expect(Math.max(...items.map(({ bytes }) => bytes))).toBeLessThanOrEqual(MOST_ITEM_BYTES);
});

it('a claim sets no function off', async () => {
  expect(await claimsDelivered()).toBe(0);
});

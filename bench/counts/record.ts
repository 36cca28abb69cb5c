import { readFileSync, writeFileSync } from 'node:fs';
import type { Bill } from '../../cli/cost/bill.ts';
import { COUNTED_AT, type OutcomeRecord } from '../../cli/cost/recorded-counts.ts';
import { countOutcomes, type OutcomeCount } from './outcomes.ts';

const FILE = new URL('../../cli/cost/outcome-counts.json', import.meta.url);

export const FULL_BATCH = 10;

/** Every outcome alone and in a full batch, at the latencies the cost estimate assumes. */
export async function countAll(): Promise<Record<string, OutcomeRecord>> {
  const [alone, full] = [
    await countOutcomes({ batch: 1, latencies: COUNTED_AT }),
    await countOutcomes({ batch: FULL_BATCH, latencies: COUNTED_AT }),
  ];
  return Object.fromEntries(full.map((one, index) => [one.outcome, recordOf(alone[index] as OutcomeCount, one)]));
}

const recordOf = (alone: OutcomeCount, full: OutcomeCount): OutcomeRecord => ({
  what: full.what,
  entrance: rounded(full.entrance),
  alone: rounded(alone.pipeline),
  full: rounded(full.pipeline),
  workerTables: rounded(full.worker).tables,
  providerCalls: full.providerCalls,
});

/** A tenth is no tenth in binary, and no count is finer than a thousandth. */
const rounded = (bill: Bill): Bill =>
  JSON.parse(JSON.stringify(bill, (_, value) => (typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value)));

export const readRecord = (): unknown => JSON.parse(readFileSync(FILE, 'utf8'));

export const writeRecord = (counts: Readonly<Record<string, OutcomeRecord>>): void =>
  writeFileSync(FILE, `${JSON.stringify(counts, null, 2)}\n`);

import type { Bill } from './bill.ts';
import counts from './outcome-counts.json' with { type: 'json' };

/** What one job of an outcome uses, counted by running it (`npm run bench -- counts --record`). */
export interface OutcomeRecord {
  readonly what: string;
  /** Asking for it, at the entrance. */
  readonly entrance: Bill;
  /** All the rest of it, in a batch of its own. */
  readonly alone: Bill;
  /** In a batch of ten. */
  readonly full: Bill;
  /** The worker's part of the tables, in a batch of ten. */
  readonly workerTables: Bill['tables'];
  readonly providerCalls: number;
}

/** Milliseconds that a call took while it was counted: medians seen on AWS; the provider answered at once. */
export const COUNTED_AT = { tableMs: 8, queueMs: 8, objectMs: 20, providerMs: 0 } as const;

export type Outcome = keyof typeof counts;

export const COUNTS: Readonly<Record<Outcome, OutcomeRecord>> = counts;

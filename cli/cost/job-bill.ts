import { addUp, type Bill } from './bill.ts';
import type { OutcomeRecord } from './recorded-counts.ts';

export interface Conditions {
  /** Messages in a batch, between one and ten. */
  readonly batch: number;
  /** One answer of the provider. */
  readonly providerMs: number;
}

const FULL_BATCH = 10;
/** A batch waits for its slowest answer, which takes longer than the middle one. */
const SLOWEST_OF_MANY = 1.5;
/** Processor time of the worker for one job, at the share of a processor that its memory brings. */
const COMPUTE_MS = 3;

/**
 * What one job uses in a batch of this size. Part of it comes with the batch and is shared, part with the job: the two sizes that were
 * counted tell them apart.
 */
export function jobBill({ alone, full, providerCalls }: OutcomeRecord, { batch, providerMs }: Conditions): Bill {
  // alone = ofJob + ofBatch, full = ofJob + ofBatch / 10
  const ofBatch = (1 / batch - 1 / FULL_BATCH) / (1 - 1 / FULL_BATCH);
  const between = addUp([addUp([alone], ofBatch), addUp([full], 1 - ofBatch)]);
  const waitMs = Math.min(1, providerCalls) * (batch > 1 ? SLOWEST_OF_MANY : 1) * (providerMs / batch);
  return { ...between, functionMs: between.functionMs + waitMs + COMPUTE_MS };
}

import * as z from 'zod';
import { adjustmentId, sku } from '#shared/contract/identifiers.ts';
import { stockItemKey } from '#shared/contract/item-keys.ts';
import { defineJob } from '#shared/worker/define-job.ts';
import { done, PermanentError } from '#shared/worker/outcome.ts';

const MAX_DELTA = 1_000_000;
export const stockDelta = z
  .int()
  .min(-MAX_DELTA)
  .max(MAX_DELTA)
  .refine((delta) => delta !== 0, 'must not be 0');

/**
 * Adds to an article's stock, or takes from it, in the order the adjustments of that article reached the queue. The stock item
 * is shared by all of them and keeps no record of any: each has its own item, and both change together or not at all.
 *
 * Does not protect against an adjustment that ended as a dead letter: the ones behind it went on without it, and replayed it
 * takes its place at the end.
 */
export const adjustStock = defineJob({
  kind: 'adjust-stock',
  version: 1,
  payload: z.strictObject({ sku, adjustmentId, delta: stockDelta }).meta({ examples: [{ sku: 'bolt', adjustmentId: 'adj-1', delta: -2 }] }),
  key: ({ sku, adjustmentId }) => `adjust:${sku}/${adjustmentId}`,
  intent: ({ delta }) => ({ delta }),
  timing: { p99Ms: 500, dependencyTimeoutMs: 3_000, marginMs: 3_000 },
  queue: { batchSize: 10, maxConcurrency: 10, fifoGroup: ({ sku }) => sku },
  result: z.strictObject({ delta: z.int() }),
  async run({ payload: { sku, delta }, ports }) {
    const stock = { key: stockItemKey(sku), add: { quantity: delta } };
    if (delta > 0) return done({ delta }, undefined, { also: [stock] });
    // Read to tell a shortage, which is for a person, from another adjustment that came between; the commit's condition decides.
    if ((await ports.stock.quantityOf(sku)) + delta < 0) throw new PermanentError('stock-insufficient');
    return done({ delta }, undefined, { also: [{ ...stock, atLeast: { attribute: 'quantity', value: -delta } }] });
  },
});

import * as z from 'zod';
import { exportId, orderId, positiveInteger, userId } from '#shared/contract/identifiers.ts';
import { exportedOrdersKey, exportPartKey } from '#shared/contract/object-keys.ts';
import { exportKey } from '#shared/domain/order-export.ts';
import type { ExportedOrder } from '#shared/exports/order-page-port.ts';
import { defineJob, type JobDefinition, job, type RunInput } from '#shared/worker/define-job.ts';
import { done, PermanentError } from '#shared/worker/outcome.ts';

const payload = z.strictObject({ userId, exportId, step: positiveInteger, cursor: orderId.optional() }).meta({
  examples: [
    { userId: 'u-1', exportId: 'exp-1', step: 1 },
    { userId: 'u-1', exportId: 'exp-1', step: 2, cursor: 'ord-1' },
  ],
});
const result = z.strictObject({ orders: z.int() });
type Step = z.infer<typeof payload>;
type Input = RunInput<Step>;

/** A step that finds fewer is the last one. Changing this number changes the kind's version: the parts of an export under way were cut by the old one. */
export const ORDERS_PER_STEP = 500;
/** Progress is reported at least this often. */
const ORDERS_PER_PAGE = 100;

/**
 * Writes all orders of a user to one object, a step at a time: each step writes a part, and its commit enqueues the next. A part
 * is written once and never changed, and the next step starts where the part ends; so whatever dies or wakes up late, the parts
 * follow each other without a gap and without an overlap. Each order is exported as it was when its page was read.
 *
 * Does not protect against an order created meanwhile whose id comes before the cursor: it is in the next export.
 */
export const exportOrders: JobDefinition<Step, z.infer<typeof result>> = defineJob({
  kind: 'export-orders',
  version: 1,
  payload,
  key: ({ userId, exportId, step }: Step) => exportKey(userId, exportId, step),
  intent: ({ cursor }: Step) => ({ cursor: cursor ?? null }),
  timing: { p99Ms: 60_000, dependencyTimeoutMs: 15_000, marginMs: 5_000, heartbeatMs: 10_000 },
  queue: { batchSize: 1, maxConcurrency: 2 },
  result,
  async run(input: Input) {
    const { userId, exportId, step } = input.payload;
    const part = await writePart(input);
    if (part.length >= ORDERS_PER_STEP) {
      const next = job(exportOrders, { userId, exportId, step: step + 1, cursor: lastOrderId(part) });
      return done({ orders: part.length }, undefined, { enqueue: [next] });
    }
    await input.ports.objects.put(exportedOrdersKey(userId, exportId), partsOf(input));
    return done({ orders: (step - 1) * ORDERS_PER_STEP + part.length });
  },
});

/** The lines of this step's part: written now, or by an earlier run of the step, whose part then counts. */
async function writePart(input: Input): Promise<readonly string[]> {
  const { userId, exportId, step } = input.payload;
  const key = exportPartKey(userId, exportId, step);
  const lines = (await readOrders(input)).map((order) => `${JSON.stringify(order)}\n`);
  if (await input.ports.objects.putOnce(key, lines.join(''))) return lines;
  return (await readPart(input, step)).split(/(?<=\n)/).filter((line) => line !== '');
}

async function readOrders({ payload, progress, signal, ports }: Input): Promise<readonly ExportedOrder[]> {
  const found: ExportedOrder[] = [];
  for (let more = true; more && found.length < ORDERS_PER_STEP; ) {
    signal.throwIfAborted();
    const after = found.at(-1)?.orderId ?? payload.cursor;
    const page = await ports.orderPages.page(payload.userId, { after, limit: Math.min(ORDERS_PER_PAGE, ORDERS_PER_STEP - found.length) });
    found.push(...page.orders);
    more = page.more;
    await progress();
  }
  return found;
}

/** All parts in order, one in memory at a time. */
async function* partsOf(input: Input): AsyncGenerator<string> {
  for (let step = 1; step <= input.payload.step; step++) {
    input.signal.throwIfAborted();
    yield await readPart(input, step);
    await input.progress();
  }
}

async function readPart({ payload: { userId, exportId }, ports }: Input, step: number): Promise<string> {
  const text = await ports.objects.get(exportPartKey(userId, exportId, step));
  // Only expired parts are missing; an export without them would look whole.
  if (text === undefined) throw new PermanentError('export-part-missing');
  return text;
}

const lastOrderId = (lines: readonly string[]): string =>
  orderId.parse((JSON.parse(lines.at(-1) ?? '{}') as { orderId?: unknown }).orderId);

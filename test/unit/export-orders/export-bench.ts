import type { DynamoDBRecord } from 'aws-lambda';
import { readItemChange } from '#shared/aws/stream-record.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { exportedOrdersKey, exportPartKey } from '#shared/contract/object-keys.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { exportOrders } from '#shared/jobs/export-orders.ts';
import { collectOutbox } from '#shared/outbox/collect.ts';
import type { Ending } from '#shared/worker/worker.ts';
import { createHandler } from '../../../functions/accept-export/handler.ts';
import { createWorkerBench, USER, type WorkerBench } from '../../support/worker-bench.ts';

/** The real timing: a step has this long. */
const FUNCTION_MS = 95_000;
/** A killed worker's lease is over, and its message visible again. */
const LATER_MS = 600_000;

export interface ExportBench extends WorkerBench {
  addOrders(...orderIds: string[]): void;
  /** What POST /users/{userId}/exports answers. */
  request(idempotencyKey: string, body?: string): Promise<{ status: number | undefined; body: Record<string, string> }>;
  /** Messages that new stream records carry out. */
  newMessages(): string[];
  run(body: string): Promise<Ending>;
  /**
   * Runs what is waiting and what follows from it, each message until it is acknowledged. `attempt` counts from 1 for each message.
   *
   * @returns how many workers were killed on the way
   */
  runAll(bodies: readonly string[], before?: (body: string, attempt: number) => void): Promise<number>;
  /** Begins an export; the returned message is its first step. */
  begin(exportId: string): Promise<string>;
  exported(exportId: string): string[] | undefined;
  part(exportId: string, step: number): string | undefined;
}

export const orderIds = (count: number): string[] => Array.from({ length: count }, (_, index) => `o-${String(index).padStart(5, '0')}`);

/** Kills a worker: it never gets further, and nobody hears of it again. */
export class Killed extends Error {}

export function createExportBench(): ExportBench {
  const bench = createWorkerBench();
  const { random } = bench.worker();
  const accept = createHandler({ store: bench.store, clock: bench.clock, random, log: () => undefined, logFailure: () => undefined });
  let seen = 0;
  const own: Omit<ExportBench, keyof WorkerBench> = {
    addOrders(...ids) {
      for (const orderId of ids)
        bench.putItem({
          ...orderItemKey(USER, orderId),
          ...newOrder(USER, orderId, { amountMinor: 4999, currency: 'EUR' }, 0),
          lease: 'free',
          fence: 0,
        });
      seen = bench.aws.dynamodb.stream('State').length;
    },
    async request(idempotencyKey, body) {
      const request = {
        pathParameters: { userId: USER },
        headers: { 'idempotency-key': idempotencyKey },
        isBase64Encoded: false,
        requestContext: { requestId: 'r' },
      };
      const answer = await accept({ ...request, ...(body === undefined ? {} : { body }) });
      return { status: answer.statusCode, body: JSON.parse(answer.body ?? '{}') as Record<string, string> };
    },
    newMessages() {
      const records = bench.aws.dynamodb.stream('State').slice(seen);
      seen += records.length;
      return collectOutbox(records as unknown as DynamoDBRecord[], readItemChange).outgoing.map(({ message }) => JSON.stringify(message));
    },
    run: (body) => bench.deliver(body, { definition: exportOrders, remainingMs: FUNCTION_MS }),
    async runAll(bodies, before) {
      const waiting = [...bodies];
      let kills = 0;
      for (let body = waiting.shift(); body !== undefined; body = waiting.shift()) {
        for (let attempt = 1; ; attempt++) {
          before?.(body, attempt);
          const killed = dyingOf(bench);
          const ending = await Promise.race([own.run(body), killed]);
          bench.objects.before = bench.objects.after = bench.aws.fault = undefined;
          if (ending === 'killed') kills++;
          else if (ending.action === 'ack') break;
          if (attempt > 10) throw new Error('this message never comes to an end');
          bench.clock.advance(LATER_MS);
        }
        waiting.push(...own.newMessages());
      }
      return kills;
    },
    async begin(exportId) {
      const { body } = await own.request(exportId);
      names.set(exportId, body['exportId'] ?? '');
      return own.newMessages()[0] ?? '';
    },
    exported: (exportId) =>
      bench.objects.stored
        .get(exportedOrdersKey(USER, names.get(exportId) ?? ''))
        ?.split('\n')
        .slice(0, -1),
    part: (exportId, step) => bench.objects.stored.get(exportPartKey(USER, names.get(exportId) ?? '', step)),
  };
  const names = new Map<string, string>();
  return Object.assign(bench, own);
}

/** Hooks that throw Killed kill: the execution hangs from there on. */
function dyingOf(bench: WorkerBench): Promise<'killed'> {
  const { promise, resolve } = Promise.withResolvers<'killed'>();
  const dying = <Hook extends (...args: never[]) => unknown>(hook: Hook | undefined): Hook | undefined =>
    hook === undefined
      ? undefined
      : ((async (...args: never[]) => {
          try {
            return await hook(...args);
          } catch (error) {
            if (!(error instanceof Killed)) throw error;
            resolve('killed');
            return new Promise(() => undefined);
          }
        }) as unknown as Hook);
  bench.objects.before = dying(bench.objects.before);
  bench.objects.after = dying(bench.objects.after);
  bench.aws.fault = dying(bench.aws.fault);
  return promise;
}

export const idsOf = (lines: readonly string[] | undefined): string[] =>
  (lines ?? []).map((line) => (JSON.parse(line) as { orderId: string }).orderId);

import { messageSchema } from '#shared/contract/message.ts';
import { captureOperation, refundOperation } from '#shared/domain/order.ts';
import { attemptsSent, attemptsSpent, operationRecord } from '#shared/item/attributes.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { readPayload } from '#shared/worker/payload-versions.ts';
import type { Item } from '../aws/items.ts';

/** How many there are, and since when the oldest of them; null when there is none. */
export interface Waiting {
  readonly count: number;
  readonly oldestAtMs: number | null;
}

/** What the State table itself says of work that is not done. */
export interface WaitingWork {
  /** Orders whose payment or refund was asked for and has not ended, since it was asked for: the pipeline's lag as a customer feels it. */
  readonly lag: Waiting;
  /** An attempt may have reached the provider and nobody knows its end yet. */
  readonly unknownOutcomes: Waiting;
  /** Jobs handed to the outbox a minute ago and longer that no worker has begun, while their queue holds nothing: the stream did not carry them. */
  readonly outboxOverdue: Waiting;
}

/** Between a write and its message lies the stream. */
const STREAM_TAKES_MS = 60_000;

/** @param isQueueEmpty whether nothing waits, is in flight or is delayed in the queue of a kind */
export function waitingWork(orders: readonly Item[], nowMs: number, isQueueEmpty: (kind: string) => boolean): WaitingWork {
  return {
    lag: summed(orders.map(waitsSinceMs)),
    unknownOutcomes: summed(orders.filter((order) => isUnknown(order, nowMs)).map(waitsSinceMs)),
    outboxOverdue: summed(orders.map((order) => outboxOverdueSinceMs(order, nowMs, isQueueEmpty))),
  };
}

function summed(instants: readonly (number | undefined)[]): Waiting {
  const known = instants.filter((instant) => instant !== undefined);
  // Not Math.min(...): a whole table of them is too many arguments.
  return { count: known.length, oldestAtMs: known.length === 0 ? null : known.reduce((oldest, next) => Math.min(oldest, next)) };
}

function waitsSinceMs({ status, createdAtMs, intentAtMs, refundAtMs }: Item): number | undefined {
  if (status === 'pending_payment') return Number(intentAtMs ?? createdAtMs);
  return status === 'refund_pending' ? Number(refundAtMs ?? intentAtMs ?? createdAtMs) : undefined;
}

const operationOf = ({ status, attempt = 1, refundAttempt = 1 }: Item): string =>
  status === 'refund_pending' ? refundOperation(Number(refundAttempt)) : captureOperation(Number(attempt));

function isUnknown(order: Item, nowMs: number): boolean {
  const operation = operationOf(order);
  const isRunning = order['lease'] === 'held' && Number(order['leaseUntilMs']) >= nowMs;
  return (
    waitsSinceMs(order) !== undefined && !isRunning && attemptsSent(order, operation) > 0 && operationRecord(order, operation) === undefined
  );
}

/** Jobs with items of their own are left to `sweep --whole-table`: whether they began, only those items tell. */
function outboxOverdueSinceMs(order: Item, nowMs: number, isQueueEmpty: (kind: string) => boolean): number | undefined {
  const { outbox, outboxAtMs } = order;
  if (!Array.isArray(outbox) || typeof outboxAtMs !== 'number' || outboxAtMs > nowMs - STREAM_TAKES_MS) return undefined;
  return outbox.some((entry) => isNotBegun(entry, order, isQueueEmpty)) ? outboxAtMs : undefined;
}

function isNotBegun(entry: unknown, order: Item, isQueueEmpty: (kind: string) => boolean): boolean {
  const message = messageSchema.safeParse(entry).data;
  const definition = message && jobOfKind(message.kind);
  const reading = message && definition && readPayload(message, definition);
  if (definition === undefined || reading?.kind !== 'read' || !isQueueEmpty(definition.kind)) return false;
  const { own, operation } = targetOf(definition, reading.payload);
  return !own && attemptsSpent(order, operation) + attemptsSent(order, operation) === 0 && operationRecord(order, operation) === undefined;
}

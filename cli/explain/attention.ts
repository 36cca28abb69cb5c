import { JOB_PREFIX } from '#shared/contract/item-keys.ts';
import type { OrderStatus } from '#shared/domain/order.ts';
import type { OperationRecord } from '#shared/item/attributes.ts';
import type { Item } from '../aws/items.ts';

/**
 * Why nobody may call the work done:
 * `discarded` an operation was given up · `overdue` it should have run again by now · `no-message` it waits and no
 * queue holds anything · `retrying` it failed and will run again.
 */
export type Trouble = 'discarded' | 'overdue' | 'no-message' | 'retrying';

/** As a person reads it. On an item a worker's giving up and a person's discard are both written `discarded`. */
export const TROUBLE_WORDS: Readonly<Record<Trouble, string>> = {
  discarded: 'given up',
  overdue: 'overdue',
  'no-message': 'no message',
  retrying: 'retrying',
};

export interface Finding {
  /** `<userId>/<orderId>`, or the key of a job that has an item of its own. */
  readonly name: string;
  /** The order to explain, if the name tells it. */
  readonly order: string | null;
  readonly trouble: Trouble;
  /** Operations with their reasons, or the code of the last failure. */
  readonly detail: string;
}

const WAITING: readonly OrderStatus[] = ['pending_payment', 'refund_pending'];

/** Between a write and its message lies the stream; a younger order is on its way. */
const STREAM_TAKES_MS = 60_000;

interface Moment {
  readonly nowMs: number;
  /** Nothing waits, is in flight or is delayed in any queue of the pipeline. */
  readonly queuesAreEmpty: boolean;
}

/** What is wrong with an order, or with a job's own item; the worst that applies. */
export function findTrouble(item: Item, moment: Moment): Finding | undefined {
  const lastError = item['lastError'] === undefined ? '' : `last error: ${String(item['lastError'])}`;
  const found = (trouble: Trouble, detail = lastError): Finding => ({ ...nameOf(item), trouble, detail });
  const discarded = discardedOperations(item);
  if (discarded.length > 0) return found('discarded', discarded.join(', '));
  const isMarked = item['overdueShard'] !== undefined;
  if (isMarked && !(Number(item['overdueAtMs']) > moment.nowMs)) return found('overdue');
  if (item['lease'] === 'held') return undefined;
  if (moment.queuesAreEmpty && (isMarked || isWaitingLong(item, moment.nowMs))) return found('no-message');
  return isMarked ? found('retrying') : undefined;
}

export const isWaiting = ({ status }: Item): boolean => WAITING.includes(status as OrderStatus);

const isWaitingLong = (item: Item, nowMs: number): boolean =>
  isWaiting(item) && !(Number(item['intentAtMs'] ?? item['createdAtMs']) > nowMs - STREAM_TAKES_MS);

const discardedOperations = (item: Item): string[] =>
  Object.entries(item)
    .filter(([name, record]) => name.startsWith('op:') && (record as Partial<OperationRecord> | null)?.status === 'discarded')
    .map(([name, record]) => `${name.slice('op:'.length)} (${(record as OperationRecord).reason ?? 'no reason kept'})`);

export function nameOf({ pk, userId, orderId }: Item): Pick<Finding, 'name' | 'order'> {
  if (userId !== undefined && orderId !== undefined) return { name: `${userId}/${orderId}`, order: `${userId}/${orderId}` };
  const name = String(pk).slice(JOB_PREFIX.length).replace('#', ' ');
  return { name, order: /[A-Za-z0-9_-]+\/[A-Za-z0-9_-]+/.exec(name)?.[0] ?? null };
}

import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import { ORDER_PREFIX, USER_PREFIX } from '#shared/contract/item-keys.ts';
import type { ItemWritten } from '../observer.ts';
import type { Image } from './item-views.ts';

/** One state of the table as one cache key shows it. */
export interface Committed {
  readonly version: number;
  readonly atMs: number;
  readonly value: Readonly<Record<string, unknown>>;
}

/** What a reader of each cache key could have been told, and since when. Made from the table's writes alone. */
export interface CommittedVersions {
  /** To be told of every write. */
  written(written: ItemWritten): void;
  /** The version in force at an instant; 0 when there was none yet. A restored table goes back to an earlier one. */
  inForce(key: string, atMs: number): number;
  /** Everything that was ever committed under this version; more than one only after a restore. */
  under(key: string, version: number): readonly Committed[];
  /** When the table went on from this version for the last time. */
  leftAtMs(key: string, version: number): number | undefined;
}

const ORDER_ID = new RegExp(`^${USER_PREFIX}(.+)\\|${ORDER_PREFIX}(.+)$`);

export function createCommittedVersions(): CommittedVersions {
  const states = new Map<string, Committed[]>();
  const ordersOfUser = new Map<string, Map<string, Image>>();
  const push = (key: string, state: Committed): void => {
    const known = states.get(key);
    if (known === undefined) states.set(key, [state]);
    else known.push(state);
  };
  return {
    written({ table, id, old, next, atMs }) {
      if (table !== 'State' || next?.['version'] === old?.['version']) return;
      const [, userId, orderId] = ORDER_ID.exec(id) ?? [];
      // What no code of ours wrote is no version of an order.
      if (userId === undefined || orderId === undefined || (next !== undefined && typeof next['version'] !== 'number')) return;
      const orders = ordersOfUser.get(userId) ?? new Map<string, Image>();
      ordersOfUser.set(userId, orders);
      if (next === undefined) orders.delete(orderId);
      else orders.set(orderId, next);
      push(orderCacheKey(userId, orderId), {
        version: Number(next?.['version'] ?? 0),
        atMs,
        value: next === undefined ? {} : orderOf(next),
      });
      push(orderSummaryCacheKey(userId), { ...summaryOf([...orders.values()]), atMs });
    },
    inForce: (key, atMs) => states.get(key)?.findLast((state) => state.atMs <= atMs)?.version ?? 0,
    under: (key, version) => states.get(key)?.filter((state) => state.version === version) ?? [],
    leftAtMs(key, version) {
      const known = states.get(key) ?? [];
      return known[known.findLastIndex((state) => state.version <= version) + 1]?.atMs;
    },
  };
}

/** What the API shows of an order, told here once more: the product's own way of telling it is what is judged. */
export const orderOf = (image: Image): Record<string, unknown> => ({
  userId: image['userId'],
  orderId: image['orderId'],
  status: image['status'],
  version: image['version'],
  paymentAttempt: image['attempt'],
  amountMinor: image['amountMinor'],
  currency: image['currency'],
  note: image['note'],
  createdAt: new Date(Number(image['createdAtMs'])).toISOString(),
  captureId: image['captureId'],
  declineReason: image['declineReason'],
  refundId: image['refundId'],
  refundDeclineReason: image['refundDeclineReason'],
});

function summaryOf(orders: readonly Image[]): Pick<Committed, 'version' | 'value'> {
  const byStatus: Record<string, number> = {};
  const paidMinorByCurrency: Record<string, number> = {};
  let version = 0;
  for (const order of orders) {
    const [status, currency] = [String(order['status']), String(order['currency'])];
    version += Number(order['version']);
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    if (status === 'paid') paidMinorByCurrency[currency] = (paidMinorByCurrency[currency] ?? 0) + Number(order['amountMinor']);
  }
  return { version, value: { orders: orders.length, byStatus, paidMinorByCurrency, truncated: false } };
}

/** Whether an answer says exactly this, in whatever order. */
export const saysTheSame = (answer: unknown, committed: Pick<Committed, 'value'>): boolean => sorted(answer) === sorted(committed.value);

const sorted = (value: unknown): string => JSON.stringify(value, (_, member) => (isRecord(member) ? byName(member) : member));
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const byName = (record: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));

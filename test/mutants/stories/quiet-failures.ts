import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { TABLES } from '../../simulation/cloud/names.ts';
import { adjustStock, askFor, exportOrders, keepAsking, readOrder } from '../../simulation/scenario/api.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { correctByHand, pauseUntil } from './by-hand.ts';
import { HOUR_MS, MINUTE_MS, place, SECOND_MS } from './customers.ts';
import { type Directed, directed, strikes } from './directed.ts';

/** In the quiet hour before a key is forgotten. */
const QUIET_MS = 23.4 * HOUR_MS;
/** More than one step of an export holds. */
const MANY_ORDERS = 520;

/** What nobody would miss at once: an answer not listened to, a step left out, a wait cut short. */
export const quietFailures = {
  /** Nothing on the order says that it was charged, so nobody asks before its intent is closed. */
  'a charge that the order has forgotten': directed('a charge that the order has forgotten', {
    stormMs: 24 * HOUR_MS,
    begin(simulation) {
      simulation.faults.plan = strikes(({ label, atMs }) =>
        label === 'execute-job/capture-payment capture at the provider' && atMs < startedMs + MINUTE_MS ? 'answer-lost' : undefined,
      );
      const startedMs = simulation.world.nowMs;
      place(simulation, { number: 1 }, (order) => {
        simulation.world.after(3 * SECOND_MS, () => {
          pauseUntil(simulation, 'capture-payment', QUIET_MS);
          correctByHand(simulation, order, { 'try:capture:1': 0, 'sent:capture:1': 0 });
        });
      });
    },
  }),
  /** The first look at the refund comes in its quiet hour. */
  'refunds paused for a day': directed('refunds paused for a day', {
    stormMs: 26 * HOUR_MS,
    begin(simulation) {
      pauseUntil(simulation, 'refund-payment', QUIET_MS);
      place(simulation, { number: 1 }, ({ userId, orderId }) => {
        simulation.world.after(20 * SECOND_MS, () => keepAsking(simulation, askFor('accept-refund', userId, orderId, 'refund-1')));
      });
    },
  }),
  'more than there is in stock': directed('more than there is in stock', {
    stormMs: 5 * MINUTE_MS,
    begin(simulation) {
      keepAsking(simulation, adjustStock('sku-1', 'adjustment-1', 3));
      simulation.world.after(5 * SECOND_MS, () => keepAsking(simulation, adjustStock('sku-1', 'adjustment-2', -5)));
    },
  }),
  'an export of many orders': directed('an export of many orders', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      bringOrders(simulation, 'u-1', MANY_ORDERS);
      keepAsking(simulation, exportOrders('u-1', 'export-1'));
    },
  }),
  /** It serves the order as it was, and what would take that out of it fails, and fails again. */
  'a cache that cannot be cleared': directed('a cache that cannot be cleared', {
    stormMs: 10 * MINUTE_MS,
    begin(simulation) {
      const { world } = simulation;
      const endsMs = world.nowMs + 3 * MINUTE_MS;
      simulation.faults.plan = strikes(({ label, atMs }) =>
        atMs < endsMs && /^(?:invalidate-cache|retry-invalidation) DeleteItem Cache$/.test(label) ? 'throttled' : undefined,
      );
      place(simulation, { number: 1 }, ({ userId, orderId }) => {
        world.after(20 * SECOND_MS, () => keepAsking(simulation, readOrder(userId, orderId)));
        world.after(30 * SECOND_MS, () => keepAsking(simulation, askFor('accept-refund', userId, orderId, 'refund-1')));
      });
    },
  }),
  /** The job is given up, and for minutes its letter is not taken. */
  'a letter that cannot be sent': directed('a letter that cannot be sent', {
    stormMs: 20 * MINUTE_MS,
    begin(simulation) {
      const endsMs = simulation.world.nowMs + 2 * MINUTE_MS;
      simulation.faults.plan = strikes(({ label, atMs }) =>
        atMs < endsMs && label === 'execute-job/capture-payment SendMessage capture-payment-dlq' ? 'refused' : undefined,
      );
      place(simulation, { number: 1, amountMinor: MAGIC_AMOUNTS.wrongAmount.amountMinor });
    },
  }),
  'a declined order tried again': directed('a declined order tried again', {
    stormMs: 26 * HOUR_MS,
    begin: (simulation) => place(simulation, { number: 1, amountMinor: MAGIC_AMOUNTS.decline.amountMinor, retryDeclined: true }),
  }),
} satisfies Readonly<Record<string, Directed>>;

/** Orders of long ago: declined, with nothing left to do. They come as a restore brings items, written by nobody. */
function bringOrders({ dynamodb, services, world }: Simulation, userId: string, count: number): void {
  const atMs = Math.floor(world.nowMs) - 30 * 24 * HOUR_MS;
  for (let number = 1; number <= count; number++) {
    const orderId = `old-${String(number).padStart(4, '0')}`;
    const order = newOrder(userId, orderId, { amountMinor: 1_000 + number, currency: 'EUR' }, atMs);
    const declined = { status: 'payment_declined', declineReason: 'insufficient_funds', version: 2, fence: 1, lease: 'free' };
    const result = { declineReason: 'insufficient_funds' };
    const record = { status: 'completed', result, hash: 'hash', atMs, by: 'long ago', fence: 1, tries: 1 };
    const item = { ...order, ...declined, 'try:capture:1': 1, 'op:capture:1': record, ...orderItemKey(userId, orderId) };
    dynamodb.handle('PutItem', { TableName: TABLES.state, Item: toAttributeValues(item) });
  }
  services.announceWrites(undefined, undefined, true);
}

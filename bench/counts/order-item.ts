import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { TABLES } from '../../test/simulation/cloud/names.ts';
import { acceptedBy } from '../../test/simulation/cloud/stream-filter.ts';
import { STREAM_CONSUMERS } from '../../test/simulation/cloud/streams.ts';
import { itemBytes } from '../../test/support/fake-aws/dynamodb/item-size.ts';
import { createMeteredAccount, type MeteredAccount } from '../../test/support/metered-account/account.ts';
import { ask, type OrderName, placeOrders } from '../../test/support/metered-account/customers.ts';
import { createStreamCarrier, deliverBatch } from '../../test/support/metered-account/deliver.ts';

export interface OrderItem {
  readonly what: string;
  readonly bytes: number;
  readonly operations: number;
}

/** One write unit. */
export const MOST_ITEM_BYTES = 1_024;

interface Walk {
  readonly account: MeteredAccount;
  readonly order: OrderName;
  /** Stream to queue to worker. */
  readonly work: (kind: string) => Promise<void>;
  readonly now: (what: string) => OrderItem;
}

async function walk(amountMinor?: number): Promise<Walk> {
  const account = createMeteredAccount();
  const carry = createStreamCarrier(account);
  const [order] = (await placeOrders(account, 1, amountMinor)) as [OrderName];
  return {
    account,
    order,
    async work(kind) {
      await carry('dispatch-outbox');
      await deliverBatch(account, kind);
    },
    now(what) {
      const item = account.dynamodb.items(TABLES.state).find(({ sk }) => sk?.S?.startsWith('ORDER#')) ?? {};
      return { what, bytes: itemBytes(item), operations: Object.keys(item).filter((name) => name.startsWith('op:')).length };
    },
  };
}

/** How large an order is along its way, with ids as long as real ones. */
export async function measureOrderItems(): Promise<OrderItem[]> {
  const { account, order, work, now } = await walk();
  const items = [now('accepted')];
  await work('capture-payment');
  items.push(now('paid'));
  await ask(account, 'accept-refund', { path: { ...order }, key: 'refund' });
  items.push(now('refund asked for'));
  await work('refund-payment');
  return [...items, now('refunded'), await declinedThrice()];
}

async function declinedThrice(): Promise<OrderItem> {
  const { account, order, work, now } = await walk(MAGIC_AMOUNTS.decline.amountMinor);
  for (const attempt of [1, 2, 3]) {
    if (attempt > 1) await ask(account, 'accept-payment-attempt', { path: { ...order }, key: `attempt-${attempt}` });
    await work('capture-payment');
  }
  return now('declined three times');
}

/** Stream records of claims that a mapping's filter lets through to a function. */
export async function claimsDelivered(): Promise<number> {
  const { account, work } = await walk();
  await work('capture-payment');
  const claims = account.dynamodb.stream(TABLES.state).filter(({ dynamodb }) => dynamodb.NewImage?.['lease']?.S === 'held');
  if (claims.length !== 1) throw new Error(`${claims.length} claims were written instead of one`);
  return STREAM_CONSUMERS.reduce((sum, { filters }) => sum + claims.filter(acceptedBy(filters)).length, 0);
}

import { orderCacheKey } from '#shared/cache/cache-keys.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { attemptsSpent, operationRecord } from '#shared/item/attributes.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { type Item, readItems } from '../aws/items.ts';
import { receiptsOf } from '../aws/receipts.ts';
import type { Session } from '../session.ts';
import { HANDS, withHands } from './patience.ts';
import { type DemoOrder, type DemoWorld, nameOf } from './world.ts';

/** What every place says about one order when all is quiet. */
export interface OrderFacts extends DemoOrder {
  readonly state: string;
  readonly version: number;
  readonly attempts: number;
  readonly captures: number;
  readonly receipts: number;
  /** `none`: no entry, the next read loads the table. */
  readonly cache: 'current' | 'stale' | 'none';
  /** What a reader gets over HTTP. */
  readonly readState: string;
}

/** Reads table, provider, mail and API about every order, and the cache before and after the API was asked, which fills it. */
export async function auditOrders(world: DemoWorld, orders: readonly DemoOrder[] = world.orders): Promise<OrderFacts[]> {
  const { session, provider, api } = world;
  const [items, before, captures] = await Promise.all([
    readOrders(session, orders),
    readCache(session, orders),
    provider.captureCounts(world.runId),
  ]);
  const asked = await withHands(HANDS, orders, async (order) => {
    const [receipts, read] = await Promise.all([
      receiptsOf(session.clients.dynamoDb, session.output(STACK_OUTPUTS.mailTable), order),
      api.get(order.userId, order.orderId),
    ]);
    return { receipts: receipts.length, readState: read.body.status };
  });
  const after = await readCache(session, orders);
  return orders.map((order, index) => {
    const name = nameOf(order);
    const item = items.get(name) ?? {};
    const states = [before, after].map((entries) => cacheState(entries.get(name), item));
    const cache = states.includes('stale') ? 'stale' : (states[1] ?? 'none');
    const { receipts = 0, readState = 'unread' } = asked[index] ?? {};
    return { ...order, ...stateOf(item), captures: captures.get(name) ?? 0, receipts, cache, readState };
  });
}

async function readOrders({ clients, output }: Session, orders: readonly DemoOrder[]): Promise<Map<string, Item>> {
  const keys = orders.map(({ userId, orderId }) => ({ ...orderItemKey(userId, orderId) }));
  const items = await readItems(clients.dynamoDb, output(STACK_OUTPUTS.stateTable), keys);
  return new Map(items.map((item) => [`${item['userId']}/${item['orderId']}`, item]));
}

async function readCache({ clients, output }: Session, orders: readonly DemoOrder[]): Promise<Map<string, Item>> {
  const nameOfKey = new Map(orders.map((order) => [orderCacheKey(order.userId, order.orderId), nameOf(order)]));
  const keys = [...nameOfKey.keys()].map((key) => ({ key }));
  const entries = await readItems(clients.dynamoDb, output(STACK_OUTPUTS.cacheTable), keys);
  return new Map(entries.map((entry) => [nameOfKey.get(String(entry['key'])) ?? '', entry]));
}

function stateOf(item: Item): Pick<OrderFacts, 'state' | 'version' | 'attempts'> {
  const operation = capturePayment.operation?.({ userId: '', orderId: '', attempt: 1 }) ?? '';
  const attempts = operationRecord(item, operation)?.tries ?? attemptsSpent(item, operation);
  return { state: String(item['status'] ?? 'missing'), version: Number(item['version'] ?? 0), attempts };
}

function cacheState(entry: Item | undefined, item: Item): OrderFacts['cache'] {
  if (entry?.['value'] === undefined) return 'none';
  return entry['version'] === item['version'] ? 'current' : 'stale';
}

import { setTimeout as sleep } from 'node:timers/promises';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { attemptsSpent } from '#shared/item/attributes.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { readItems } from '../../aws/items.ts';
import type { Progress } from '../../output/steps.ts';
import { HANDS, withHands } from '../patience.ts';
import { type DemoWorld, order } from '../world.ts';
import type { Outage } from './judge.ts';

const ORDERS_PER_USER = 50;
const ARRIVES_EVERY_MS = 2_000;
/** What they show: they are paid before the outage and wait for nothing. */
export const BEFORE = 'before the outage';

export async function takeOrders(world: DemoWorld, count: number, tell: Progress): Promise<void> {
  let taken = 0;
  await withHands(HANDS, Array.from({ length: count }), async (_, index) => {
    await order(world, { userId: `${world.runId}-${Math.floor(index / ORDERS_PER_USER)}`, key: String(index), shows: 'waiting' });
    tell(`${++taken} of ${count} taken`);
  });
}

export async function keepOrdering(world: DemoWorld, durationMs: number, tell: Progress): Promise<void> {
  const endsAtMs = Date.now() + durationMs;
  for (let arrived = 0; Date.now() < endsAtMs; arrived++) {
    await order(world, { userId: `${world.runId}-late`, key: `late-${arrived}`, shows: 'arriving' });
    tell(`${Math.max(0, Math.ceil((endsAtMs - Date.now()) / 1000))} s left, ${arrived + 1} more orders`);
    await sleep(Math.max(0, Math.min(ARRIVES_EVERY_MS, endsAtMs - Date.now())));
  }
}

/** An order that a worker holds at this moment is being tried or handed back; its attempt is not spent yet. */
export async function whatWaits({ session, orders }: DemoWorld): Promise<Outage['waiting']> {
  const waiting = orders.filter(({ shows }) => shows !== BEFORE);
  const keys = waiting.map(({ userId, orderId }) => ({ ...orderItemKey(userId, orderId) }));
  const items = await readItems(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable), keys);
  const operation = capturePayment.operation?.({ userId: '', orderId: '', attempt: 1 }) ?? '';
  const attempts = items.filter(({ lease }) => lease !== 'held').reduce((sum, item) => sum + attemptsSpent(item, operation), 0);
  return { orders: items.length, ended: items.filter(({ status }) => status !== 'pending_payment').length, attempts };
}

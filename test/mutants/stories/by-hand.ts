import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { pauseRow } from '#shared/control/rows.ts';
import { TABLES } from '../../simulation/cloud/names.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import type { Item } from '../../support/fake-aws/fake-dynamodb.ts';
import type { Placed } from './customers.ts';

/** Somebody corrects an order in the console, past every rule: lease, fence and version stay as they are. */
export function correctByHand(
  { dynamodb, services }: Simulation,
  { userId, orderId }: Placed,
  set: Readonly<Record<string, unknown>>,
): void {
  const item = itemOf(dynamodb, { userId, orderId });
  dynamodb.handle('PutItem', { TableName: TABLES.state, Item: { ...item, ...toAttributeValues({ ...set }) } });
  services.announceWrites(undefined, undefined);
}

export const isHeld = ({ dynamodb }: Simulation, placed: Placed): boolean => itemOf(dynamodb, placed)['lease']?.S === 'held';

function itemOf(dynamodb: Simulation['dynamodb'], { userId, orderId }: Placed): Item {
  const item = dynamodb.item(TABLES.state, toAttributeValues({ ...orderItemKey(userId, orderId) }) as Item);
  if (item === undefined) throw new Error(`there is no order ${orderId}`);
  return item;
}

/** Nobody works on these jobs until then. */
export function pauseUntil(simulation: Simulation, kind: string, afterMs: number): void {
  const act = (operation: string, input: object): void =>
    void simulation.services.apply({ service: 'dynamodb', operation, input: { TableName: TABLES.control, ...input } }, 0, 'operator');
  const row = { id: pauseRow(kind) };
  const pause = { ...row, pausedAtMs: simulation.world.nowMs, by: 'operator', reason: 'maintenance' };
  act('PutItem', { Item: toAttributeValues(pause) });
  simulation.world.after(afterMs, () => act('DeleteItem', { Key: toAttributeValues(row) }));
}

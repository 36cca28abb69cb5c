import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { type Item, readOrderItem } from '../aws/items.ts';
import { waitFor } from './patience.ts';
import { type DemoOrder, type DemoWorld, nameOf } from './world.ts';

/** Waits until the order's payment has an answer. @throws TooLate */
export const orderEnds = ({ session, patienceMs }: DemoWorld, order: DemoOrder): Promise<Item> =>
  waitFor(
    `the end of ${nameOf(order)}`,
    async () => {
      const item = await readOrderItem(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable), order.userId, order.orderId);
      return item === undefined || item['status'] === 'pending_payment' ? undefined : item;
    },
    { limitMs: patienceMs },
  );

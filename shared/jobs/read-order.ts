import { type Order, orderSchema } from '#shared/domain/order.ts';
import { PermanentError } from '#shared/worker/outcome.ts';

/** @throws PermanentError when the item is no order: no repetition makes it one */
export function readOrder(item: Readonly<Record<string, unknown>>): Order {
  const parsed = orderSchema.safeParse(item);
  if (!parsed.success) throw new PermanentError('order-unreadable');
  return parsed.data;
}

import type { OrderView } from '#shared/domain/order.ts';

/** One exported order. An order whose stored form cannot be read is named with the fields that do not fit, so that none is missing unsaid. */
export type ExportedOrder = OrderView | { readonly orderId: string; readonly unreadable: readonly string[] };

export interface OrderPage {
  readonly orders: readonly ExportedOrder[];
  /** There may be more after the last of these. */
  readonly more: boolean;
}

/** A user's orders in the order of their ids, a page at a time. Strongly consistent. */
export interface OrderPagePort {
  /**
   * @param after the order id to go on from; left out, from the first
   * @param limit most orders of one page
   */
  page(userId: string, { after, limit }: { after?: string | undefined; limit: number }): Promise<OrderPage>;
}

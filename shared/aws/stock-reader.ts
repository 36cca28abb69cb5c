import { stockItemKey } from '#shared/contract/item-keys.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { StockPort } from '#shared/stock/stock-port.ts';

/** Stock as the State table holds it. */
export const createStockReader = (store: Pick<ItemStore, 'read'>): StockPort => ({
  async quantityOf(sku) {
    const { quantity = 0 } = (await store.read(stockItemKey(sku))) ?? {};
    if (typeof quantity !== 'number') throw new Error(`the stock of ${sku} is no number; correct its item in the State table`);
    return quantity;
  },
});

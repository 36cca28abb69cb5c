import type { OrderScan } from '../aws/items.ts';

/** Orders of about one page of a scan. */
const SMALL_TABLE = 1_000;
const LARGE_TABLE_EVERY_MS = 30_000;

/** Scans a small table each time and a large one twice a minute, however often it is asked: a scan costs what it reads. */
export function createRescan(scan: () => Promise<OrderScan>, nowMs: () => number): () => Promise<OrderScan> {
  let last: { readonly atMs: number; readonly scan: OrderScan } | undefined;
  return async () => {
    const isFresh = last !== undefined && last.scan.orders.length > SMALL_TABLE && nowMs() - last.atMs < LARGE_TABLE_EVERY_MS;
    if (last === undefined || !isFresh) last = { atMs: nowMs(), scan: await scan() };
    return last.scan;
  };
}

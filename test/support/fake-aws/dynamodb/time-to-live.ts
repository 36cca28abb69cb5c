import { TIME_TO_LIVE_IDENTITY } from './stream.ts';
import { store, type Table } from './table.ts';

const FIVE_YEARS_SECONDS = 5 * 365 * 24 * 3600;

/** Deletes what expired, with the identity the service puts on such records. Anything but a number of seconds never expires. */
export function expireItems(tables: Iterable<Table>, nowMs: number): void {
  const nowSeconds = Math.floor(nowMs / 1000);
  for (const table of tables) {
    const name = table.definition.timeToLiveAttribute;
    if (name === undefined) continue;
    for (const { id, item } of [...table.items.all()]) {
      const expiry = item[name]?.N;
      if (expiry === undefined || Number(expiry) > nowSeconds || Number(expiry) < nowSeconds - FIVE_YEARS_SECONDS) continue;
      store(table, id, item, undefined, TIME_TO_LIVE_IDENTITY);
    }
  }
}

import { TABLES } from '../cloud/names.ts';
import type { ItemWritten } from '../observer.ts';

/** Receipts as their service has them: one row for each, whoever sent it and however often. */
export interface SentReceipts {
  /** @returns what is wrong with a receipt that was sent just now */
  itemWritten(written: ItemWritten): string | undefined;
  isSent(deliveryKey: string): boolean;
}

interface Act {
  readonly by: string;
  readonly atMs: number;
}

/**
 * The service that sends them knows no keys, so a worker that stands still between its question and its call may send a second one,
 * and so may a call that arrives after its caller has given up. Nobody else may: a claim that is younger than the first receipt is one
 * whose worker has to ask, and would be told. Each claim sends one receipt, so a process has sent no more than it had claims by then.
 *
 * @param itemIdOf the item whose claims lead to this receipt, as `pk|sk`
 */
export function trackReceipts(itemIdOf: (deliveryKey: string) => string | undefined): SentReceipts {
  const claims = new Map<string, Act[]>();
  const sent = new Map<string, Act[]>();
  return {
    isSent: (deliveryKey) => sent.has(deliveryKey),
    itemWritten({ table, id, old, next, by, atMs }) {
      if (by === undefined || next === undefined) return undefined;
      if (table === TABLES.state && next['lease'] === 'held' && next['fence'] !== old?.['fence'])
        claims.set(id, [...(claims.get(id) ?? []), { by, atMs }]);
      // A row that is there already is the SDK's repetition of one call.
      if (table !== TABLES.mail || old !== undefined) return undefined;
      const key = String(next['deliveryKey']);
      const rows = [...(sent.get(key) ?? []), { by, atMs }];
      sent.set(key, rows);
      const firstAtMs = rows[0]?.atMs ?? atMs;
      const ofSender = ({ by: other }: Act): boolean => other === by;
      const unknowing = (claims.get(itemIdOf(key) ?? '') ?? []).filter((claim) => ofSender(claim) && claim.atMs <= firstAtMs).length;
      if (rows.length === 1 || rows.filter(ofSender).length <= unknowing) return undefined;
      return `${by} sends ${key} again, ${Math.round(atMs - firstAtMs)} ms after it was sent, and need only have asked`;
    },
  };
}

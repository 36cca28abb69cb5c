import type { ApiExchange, ItemWritten } from '../observer.ts';
import { numberOf, referenceOf } from './item-views.ts';

/** What each request on an order opens there. */
const OPENS: Readonly<Record<string, string>> = { 'accept-refund': 'refundAttempt', 'accept-payment-attempt': 'attempt' };

export interface WishesTaken {
  itemWritten(written: ItemWritten): void;
  /** @returns what is wrong with an answer */
  judge(exchange: ApiExchange): string | undefined;
}

/**
 * Whoever is told that a wish is taken has had an attempt opened for it: by this request, or by an earlier one of the same wish and
 * key. So under no more keys than there were attempts has anybody been told so.
 */
export function trackWishes(): WishesTaken {
  const opened = new Map<string, number>();
  const told = new Map<string, Set<string>>();
  return {
    itemWritten({ table, id, old, next, by = '' }) {
      const [functionName = ''] = by.split('#');
      const attribute = OPENS[functionName];
      const reference = table === 'State' ? referenceOf(id) : undefined;
      if (attribute === undefined || reference === undefined || numberOf(next, attribute) <= numberOf(old, attribute)) return;
      const name = `${functionName} ${reference}`;
      opened.set(name, (opened.get(name) ?? 0) + 1);
    },
    judge({ functionName, idempotencyKey = '', request, answer: { statusCode } }) {
      if (OPENS[functionName] === undefined || statusCode >= 300) return undefined;
      const name = `${functionName} ${request['userId']}/${request['orderId']}`;
      const keys = (told.get(name) ?? new Set()).add(idempotencyKey);
      told.set(name, keys);
      const attempts = opened.get(name) ?? 0;
      return keys.size > attempts ? `was told that it is taken, and ${attempts} of ${keys.size} wishes opened an attempt` : undefined;
    },
  };
}

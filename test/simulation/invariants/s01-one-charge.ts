import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { referenceOf } from './item-views.ts';

/**
 * Counted at the provider, whose word is the only one that counts, and by the order a payment intent was made for: what the order is
 * called in the provider's books is what the code under test calls it. An intent of no order counts under its name there.
 */
export const oneCharge: Invariant = {
  id: 'S1',
  promise: 'at most one settled capture per order at the provider, under whatever name, refunded ones apart',
  watch({ ledger }, violate) {
    const orders = new Map<string, string>();
    return {
      itemWritten({ table, id, next }) {
        const reference = table === TABLES.state ? referenceOf(id) : undefined;
        if (reference !== undefined && next !== undefined) orders.set(String(next['paymentIntentId']), reference);
      },
      providerMoved({ effect }) {
        if (effect.kind !== 'charge') return;
        const order = orders.get(effect.paymentIntentId) ?? effect.reference;
        const accounts = [...ledger.accounts.values()];
        const captures = accounts.flatMap(({ reference, captures }) =>
          captures.filter(({ paymentIntentId }) => (orders.get(paymentIntentId) ?? reference) === order),
        );
        const refunds = accounts.flatMap(({ reference, refunds }) =>
          refunds.filter(({ paymentIntentId }) => (orders.get(paymentIntentId) ?? reference) === order),
        );
        // The movement is told after it is booked. An order is paid once in its life: its refund ends it.
        if (captures.length > 1) violate(`${order} was captured ${captures.length} times, ${refunds.length} of them refunded`);
      },
    };
  },
};

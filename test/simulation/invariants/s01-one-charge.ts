import type { Invariant } from '../invariant.ts';

/** Counted at the provider, whose word is the only one that counts. */
export const oneCharge: Invariant = {
  id: 'S1',
  promise: 'at most one settled capture per order at the provider, refunded ones apart',
  watch({ ledger }, violate) {
    return {
      providerMoved({ effect }) {
        if (effect.kind !== 'charge') return;
        const { captures = [], refunds = [] } = ledger.accounts.get(effect.reference) ?? {};
        // The movement is told after it is booked. An order is paid once in its life: its refund ends it.
        if (captures.length > 1) violate(`${effect.reference} was captured ${captures.length} times, ${refunds.length} of them refunded`);
      },
    };
  },
};

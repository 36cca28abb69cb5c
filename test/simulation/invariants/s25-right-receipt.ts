import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';

/**
 * Judged by the provider's books: they say what was charged, whatever the order says.
 *
 * Does not protect against a second copy of the same receipt, nor against one that never comes; that is S18's and L1's.
 */
export const rightReceipt: Invariant = {
  id: 'S25',
  promise: 'a receipt tells of a capture that the provider has booked for that order and payment attempt, with its amount and currency',
  watch({ ledger }, violate) {
    return {
      itemWritten({ table, next, by }) {
        if (table !== TABLES.mail || next === undefined) return;
        const { deliveryKey, userId, orderId, captureId, amountMinor, currency } = next;
        const reference = `${userId}/${orderId}`;
        const told = `${by} tells ${reference} of ${captureId}, ${amountMinor} ${currency}`;
        const capture = ledger.accounts.get(reference)?.captures.find((one) => one.captureId === captureId);
        if (capture === undefined) return violate(`${told}, which the provider has not booked`);
        if (capture.amountMinor !== amountMinor || capture.currency !== currency)
          violate(`${told} instead of ${capture.amountMinor} ${capture.currency}`);
        if (deliveryKey !== receiptOf(reference, capture)) violate(`${told}, as ${deliveryKey}`);
      },
    };
  },
};

/** An intent's name ends with the payment attempt it was made for. */
const receiptOf = (reference: string, { paymentIntentId }: { readonly paymentIntentId: string }): string =>
  `receipt:${reference}:${/-(\d+)$/.exec(paymentIntentId)?.[1]}`;

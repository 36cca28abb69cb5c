import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { isOurs, referenceOf } from './item-views.ts';

/** Asked of the provider's books at the instant an order becomes paid, or is paid again because a refund was refused. */
export const paidNeedsCharge: Invariant = {
  id: 'S3',
  promise: 'a paid order has exactly one capture at the provider, of its amount, and its id is on the order',
  watch({ ledger }, violate) {
    return {
      itemWritten(written) {
        const reference = written.table === TABLES.state ? referenceOf(written.id) : undefined;
        // What a restore brings back was judged when it was first written.
        if (reference === undefined || !isOurs(written.by)) return;
        const { old, next } = written;
        const becomesPaid = next?.['status'] === 'paid' && (old?.['status'] !== 'paid' || old['captureId'] !== next['captureId']);
        if (!becomesPaid) return;
        const { captures = [], refunds = [] } = ledger.accounts.get(reference) ?? {};
        if (captures.length !== 1) return violate(`${reference} is paid with ${captures.length} captures`);
        if (captures[0]?.captureId !== next['captureId'])
          violate(`${reference} is paid by ${next['captureId']}, the provider knows ${captures[0]?.captureId}`);
        if (captures[0]?.amountMinor !== next['amountMinor'])
          violate(`${reference} is paid with ${captures[0]?.amountMinor}, and costs ${next['amountMinor']}`);
        if (refunds.length > 0) violate(`${reference} is paid, and its money was given back`);
      },
    };
  },
};

import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { isOurs, numberOf, referenceOf } from './item-views.ts';

/** Written down here once more, so that a wrong edge in the product is not its own excuse. `new` is an order that was not there. */
const EDGES = new Set([
  'new → pending_payment',
  'pending_payment → paid',
  'pending_payment → payment_declined',
  'payment_declined → pending_payment',
  'paid → refund_pending',
  'refund_pending → refunded',
  'refund_pending → paid',
]);

export const legalEdges: Invariant = {
  id: 'S8',
  promise: 'an order moves only along its graph, and each move raises its version by one',
  watch(_, violate) {
    return {
      itemWritten(written) {
        const reference = written.table === TABLES.state ? referenceOf(written.id) : undefined;
        if (reference === undefined || !isOurs(written.by)) return;
        const { old, next, by } = written;
        if (next === undefined) return violate(`${reference} was deleted by ${by}`);
        const [before, after] = [numberOf(old, 'version'), numberOf(next, 'version')];
        if (after !== before && after !== before + 1) violate(`${reference} goes from version ${before} to ${after}`);
        const [from, to] = [old?.['status'] ?? 'new', next['status']];
        if (from === to) return;
        if (!EDGES.has(`${from} → ${to}`)) violate(`${reference} moves ${from} → ${to}`);
        if (after !== before + 1) violate(`${reference} moves ${from} → ${to} and stays at version ${after}`);
      },
    };
  },
};

import { scriptOf } from '#shared/payments/magic-amounts.ts';
import type { Money } from '#shared/payments/sandbox-ledger.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { referenceOf } from './item-views.ts';

/** Judged by what was asked of the provider and by what it booked: neither alone tells who made a mistake. */
export const rightCharge: Invariant = {
  id: 'S2',
  promise: "what is charged or given back is the order's amount in the order's currency",
  watch(_, violate) {
    const orders = new Map<string, Money>();
    const referenceOfIntent = new Map<string, string>();
    return {
      itemWritten(written) {
        const reference = written.table === TABLES.state ? referenceOf(written.id) : undefined;
        if (reference === undefined || written.next === undefined) return;
        const { old, next } = written;
        const money = { amountMinor: Number(next['amountMinor']), currency: String(next['currency']) };
        if (old !== undefined && old['amountMinor'] !== next['amountMinor'])
          violate(`the amount of ${reference} changed after it was accepted`);
        orders.set(reference, money);
        referenceOfIntent.set(String(next['paymentIntentId']), reference);
      },
      providerCalled({ operation, paymentIntentId, body }) {
        if (operation !== 'capture' && operation !== 'refund') return;
        const reference = referenceOfIntent.get(paymentIntentId);
        if (reference === undefined) return violate(`${operation} of ${paymentIntentId}, which belongs to no order`);
        const asked = JSON.parse(body) as Money & { readonly reference?: string };
        if (asked.reference !== undefined && asked.reference !== reference)
          violate(`${paymentIntentId} of ${reference} is captured for ${asked.reference}`);
        const wrong = difference(asked, orders.get(reference));
        if (wrong !== undefined) violate(`${operation} of ${reference} asks for ${wrong}`);
      },
      providerMoved({ effect }) {
        if (effect.kind === 'void') return;
        const order = orders.get(effect.reference);
        const wrong = difference(effect.money, effect.kind === 'charge' ? bookedFor(order) : order);
        if (wrong !== undefined) violate(`${effect.kind} of ${effect.reference} booked ${wrong}`);
      },
    };
  },
};

/** One magic amount makes the provider itself book half of what it is asked for; the worker has to notice. */
function bookedFor(order: Money | undefined): Money | undefined {
  if (order === undefined || scriptOf(order.amountMinor).decides !== 'capture-half') return order;
  return { ...order, amountMinor: Math.floor(order.amountMinor / 2) };
}

function difference({ amountMinor, currency }: Money, order: Money | undefined): string | undefined {
  if (order === undefined) return `${amountMinor} ${currency} for no order`;
  const isRight = order.amountMinor === amountMinor && order.currency === currency;
  return isRight ? undefined : `${amountMinor} ${currency} instead of ${order.amountMinor} ${order.currency}`;
}

import type { Money } from '#shared/payments/sandbox-ledger.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { isOurs, referenceOf } from './item-views.ts';

/** Asked of the provider's books at the instant an order becomes paid, or is paid again because a refund was refused. */
export const paidNeedsCharge: Invariant = {
  id: 'S3',
  promise:
    'a paid order has exactly one capture at the provider, of its amount and currency, and its id is on the order; no answer that tells of other money makes an order paid',
  watch({ ledger }, violate) {
    /** What each process was last told about an intent. */
    const told = new Map<string, Money>();
    return {
      providerAnswered({ from, paymentIntentId }, { status, body }) {
        const money = status === 200 ? capturedIn(body) : undefined;
        if (money !== undefined) told.set(`${from} ${paymentIntentId}`, money);
      },
      itemWritten(written) {
        for (const wrong of judge(written, ledger, told)) violate(wrong);
      },
    };
  },
};

function judge({ table, id, old, next, by }: ItemWritten, ledger: Simulation['ledger'], told: ReadonlyMap<string, Money>): string[] {
  const reference = table === TABLES.state ? referenceOf(id) : undefined;
  // What a restore brings back was judged when it was first written.
  if (reference === undefined || !isOurs(by)) return [];
  const becomesPaid = next?.['status'] === 'paid' && (old?.['status'] !== 'paid' || old['captureId'] !== next['captureId']);
  if (!becomesPaid) return [];
  const { captures = [], refunds = [] } = ledger.accounts.get(reference) ?? {};
  const [capture] = captures;
  if (capture === undefined || captures.length > 1) return [`${reference} is paid with ${captures.length} captures`];
  const wrong: string[] = [];
  if (capture.captureId !== next['captureId'])
    wrong.push(`${reference} is paid by ${next['captureId']}, the provider knows ${capture.captureId}`);
  const costs = { amountMinor: Number(next['amountMinor']), currency: String(next['currency']) };
  if (differ(capture, costs)) wrong.push(`${reference} is paid with ${inWords(capture)}, and costs ${inWords(costs)}`);
  const answer = old?.['status'] === 'pending_payment' ? told.get(`${by} ${next['paymentIntentId']}`) : undefined;
  if (answer !== undefined && differ(answer, costs))
    wrong.push(`${reference} is paid on an answer that tells of ${inWords(answer)}, and costs ${inWords(costs)}`);
  if (refunds.length > 0) wrong.push(`${reference} is paid, and its money was given back`);
  return wrong;
}

const differ = (left: Money, right: Money): boolean => left.amountMinor !== right.amountMinor || left.currency !== right.currency;
const inWords = ({ amountMinor, currency }: Money): string => `${amountMinor} ${currency}`;

/** Undefined for an answer that tells of no capture, or of nothing at all: it may be cut off. */
function capturedIn(body = ''): Money | undefined {
  try {
    const { status, amountMinor, currency } = JSON.parse(body) as Partial<Money> & { readonly status?: string };
    return status === 'captured' && amountMinor !== undefined && currency !== undefined ? { amountMinor, currency } : undefined;
  } catch {
    return undefined;
  }
}

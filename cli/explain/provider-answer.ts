import { type FindAnswer, type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import type { Account } from '#shared/payments/sandbox-ledger.ts';

/** What the provider says of the order's present payment intent. */
export interface ProviderAnswer {
  readonly paymentIntentId: string;
  /** `unanswered`: it was asked and gave no usable answer; `not-captured`: it knows of no charge. */
  readonly status: FindAnswer['status'] | 'unanswered';
  readonly captureId: string | null;
  readonly refundId: string | null;
}

const ANSWER_WITHIN_MS = 10_000;

/**
 * @param account the example provider's books, where it is the one: they answer for it, as being asked would be one more request on the
 *   list this order is explained by
 */
export async function providerAnswer(
  paymentIntentId: string,
  account: Account | undefined,
  payments: Pick<PaymentPort, 'find'>,
): Promise<ProviderAnswer> {
  if (account !== undefined) return { paymentIntentId, ...inBooks(account, paymentIntentId) };
  try {
    const found = await payments.find({ paymentIntentId }, { timeoutMs: ANSWER_WITHIN_MS });
    const captureId = 'captureId' in found ? found.captureId : null;
    return { paymentIntentId, status: found.status, captureId, refundId: found.status === 'refunded' ? found.refundId : null };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { paymentIntentId, status: 'unanswered', captureId: null, refundId: null };
  }
}

function inBooks({ captures, refunds }: Account, paymentIntentId: string): Omit<ProviderAnswer, 'paymentIntentId'> {
  const refund = refunds.find((one) => one.paymentIntentId === paymentIntentId);
  if (refund !== undefined) return { status: 'refunded', captureId: refund.captureId, refundId: refund.refundId };
  const capture = captures.find((one) => one.paymentIntentId === paymentIntentId);
  return { status: capture === undefined ? 'not-captured' : 'captured', captureId: capture?.captureId ?? null, refundId: null };
}

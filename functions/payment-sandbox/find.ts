import { scriptOf } from '#shared/payments/magic-amounts.ts';
import type { FindAnswer } from '#shared/payments/payment-port.ts';
import type { PaymentIntent } from '#shared/payments/sandbox-ledger.ts';
import { type Answer, json, problem } from './answer.ts';
import type { SandboxWorld } from './world.ts';

export async function find({ paymentIntentId }: { paymentIntentId: string }, { ledger }: SandboxWorld): Promise<Answer> {
  const intent = await ledger.findIntent(paymentIntentId);
  if (intent !== undefined && intent.status !== 'voided' && scriptOf(intent.amountMinor).findUnavailable) {
    return problem(503, 'unavailable', 'This payment intent cannot be looked up.');
  }
  return json(200, findAnswer(intent));
}

/** An intent nobody captured is not known here at all, and that is what `not-captured` says. */
export function findAnswer(intent: PaymentIntent | undefined): FindAnswer {
  if (intent === undefined) return { status: 'not-captured' };
  if (intent.status === 'voided') return { status: 'voided' };
  const { captureId, amountMinor, currency } = intent;
  if (intent.status === 'refunded') return { status: 'refunded', captureId, refundId: intent.refundId };
  return { status: 'captured', captureId, amountMinor, currency };
}

import type { RefundAnswer } from '#shared/payments/payment-port.ts';
import { type Answer, json } from './answer.ts';
import type { RefundCall } from './read-call.ts';
import { type Decided, underKey } from './under-key.ts';
import type { SandboxWorld } from './world.ts';

/** Like captures, refunds are told apart by their keys only: two keys give the money back twice, and both are listed. */
export async function refund(call: RefundCall, world: SandboxWorld): Promise<Answer> {
  const { answer } = await underKey(call, world, () => decide(call, world));
  return answer;
}

async function decide({ paymentIntentId, body }: RefundCall, { ledger, random }: SandboxWorld): Promise<Decided> {
  const intent = await ledger.findIntent(paymentIntentId);
  if (intent === undefined || intent.status === 'voided') return declined('not-captured');
  if (body.currency !== intent.currency) return declined('currency-differs');
  if (body.amountMinor > intent.amountMinor) return declined('amount-exceeds-capture');
  const { captureId, reference } = intent;
  const refundId = `ref-${random.token()}`;
  const answer: RefundAnswer = { status: 'refunded', refundId };
  return { answer: json(200, answer), effect: { kind: 'refund', paymentIntentId, reference, captureId, refundId, money: body } };
}

const declined = (reason: string): Decided => {
  const answer: RefundAnswer = { status: 'declined', reason };
  return { answer: json(200, answer) };
};

import type { FindAnswer } from '#shared/payments/payment-port.ts';
import { type Answer, json } from './answer.ts';
import { findAnswer } from './find.ts';
import type { VoidCall } from './read-call.ts';
import { type Decided, underKey } from './under-key.ts';
import type { SandboxWorld } from './world.ts';

/** Final: a voided intent declines every later capture. A captured one is left as it is, and the answer says so. */
export async function voidIntent(call: VoidCall, world: SandboxWorld): Promise<Answer> {
  const { answer } = await underKey(call, world, () => decide(call.paymentIntentId, world));
  return answer;
}

async function decide(paymentIntentId: string, { ledger }: SandboxWorld): Promise<Decided> {
  const intent = await ledger.findIntent(paymentIntentId);
  if (intent !== undefined) return { answer: json(200, findAnswer(intent)) };
  const answer: FindAnswer = { status: 'voided' };
  return { answer: json(200, answer), effect: { kind: 'void', paymentIntentId } };
}

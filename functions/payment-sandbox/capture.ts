import { type Script, scriptOf } from '#shared/payments/magic-amounts.ts';
import type { Captured } from '#shared/payments/payment-port.ts';
import { type Answer, json, problem } from './answer.ts';
import type { CaptureCall } from './read-call.ts';
import { type Decided, KEY_MEMORY_MS, underKey } from './under-key.ts';
import { spoil, unanswered } from './withheld.ts';
import type { SandboxWorld } from './world.ts';

/** The client waits for less than a withheld answer takes; a third of that is about half of the client's patience. */
const SLOW_PART = 3;

export async function capture(call: CaptureCall, world: SandboxWorld): Promise<Answer> {
  const script = scriptOf(call.body.amountMinor);
  const { first } = script;
  if (first !== undefined && (await callNumber(call, world)) <= first.calls) return unanswered(first.answer, world);
  const { answer, how } = await underKey(call, world, () => decide(call, script, world));
  const isSpoiled = how === 'decided' || (how === 'replayed' && script.always === true);
  return isSpoiled && script.answer !== undefined && answer.status === 200 ? spoil(answer, script.answer, world) : answer;
}

const callNumber = ({ key }: CaptureCall, { ledger, clock }: SandboxWorld): Promise<number> =>
  ledger.countCall({ key, forgetAtMs: clock.nowMs() + KEY_MEMORY_MS });

async function decide(call: CaptureCall, script: Script, world: SandboxWorld): Promise<Decided> {
  if (script.slow) await world.clock.sleep(Math.ceil(world.slowAnswerMs / SLOW_PART));
  const { paymentIntentId, body } = call;
  const intent = await world.ledger.findIntent(paymentIntentId);
  if (intent?.status === 'voided') return { answer: json(200, { status: 'declined', reason: 'intent-voided' }) };
  if (script.decides === 'decline') return { answer: json(200, { status: 'declined', reason: 'card-declined' }) };
  if (script.decides === 'stored-500')
    return { answer: problem(500, 'internal-error', 'Stored under the Idempotency-Key; sending it again gets this answer again.') };
  const captureId = `cap-${world.random.token()}`;
  const amountMinor = script.decides === 'capture-half' ? Math.floor(body.amountMinor / 2) : body.amountMinor;
  const money = { amountMinor, currency: body.currency };
  const answer: Captured = { status: 'captured', captureId, ...money };
  return { answer: json(200, answer), effect: { kind: 'charge', paymentIntentId, reference: body.reference, captureId, money } };
}

import { type CaptureAnswer, type CaptureRequest, type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';

/** One capture call's fate: charged or not, answered or not. `hold` waits before the charge, `holdAnswer` after it. */
export interface Script {
  readonly charge?: boolean;
  readonly throws?: unknown;
  readonly answer?: CaptureAnswer;
  readonly hold?: Promise<void>;
  readonly holdAnswer?: Promise<void>;
}

/** A provider that deduplicates by idempotency key only, so a second key for one order shows as a second charge. */
export interface ScriptedPayments extends PaymentPort {
  /** Consumed one per capture call; then every call is charged and answered. */
  readonly scripts: Script[];
  readonly captureCalls: CaptureRequest[];
  readonly findCalls: string[];
  settledCaptures(reference: string): number;
  findThrows: unknown;
}

export function createScriptedPayments(): ScriptedPayments {
  const charges = new Map<string, { request: CaptureRequest; captureId: string }>();
  const payments: ScriptedPayments = {
    scripts: [],
    captureCalls: [],
    findCalls: [],
    findThrows: undefined,
    settledCaptures: (reference) => [...charges.values()].filter(({ request }) => request.reference === reference).length,
    async capture(request) {
      payments.captureCalls.push(request);
      const script = payments.scripts.shift() ?? {};
      await script.hold;
      if (script.charge !== false && !charges.has(request.idempotencyKey)) charges.set(request.idempotencyKey, { request, captureId: `cap-${charges.size + 1}` });
      await script.holdAnswer;
      if ('throws' in script) throw script.throws;
      return script.answer ?? capturedAnswer(charges.get(request.idempotencyKey));
    },
    async find({ paymentIntentId }) {
      payments.findCalls.push(paymentIntentId);
      if (payments.findThrows !== undefined) throw payments.findThrows;
      const charge = [...charges.values()].find(({ request }) => request.paymentIntentId === paymentIntentId);
      return charge === undefined ? { status: 'not-captured' } : capturedAnswer(charge);
    },
    void: async () => ({ status: 'voided' }),
    refund: async () => ({ status: 'refunded', refundId: 'refund-1' }),
  };
  return payments;
}

function capturedAnswer(charge: { request: CaptureRequest; captureId: string } | undefined) {
  if (charge === undefined) throw new ProviderError('provider-500', { sent: 'maybe' });
  const { request, captureId } = charge;
  return { status: 'captured' as const, captureId, amountMinor: request.amountMinor, currency: request.currency };
}

import {
  type CaptureAnswer,
  type CaptureRequest,
  type FindAnswer,
  type PaymentPort,
  ProviderError,
  type RefundAnswer,
  type RefundRequest,
} from '#shared/payments/payment-port.ts';

/** One capture call's fate: charged or not, answered or not. `hold` waits before the charge, `holdAnswer` after it. */
export interface Script {
  readonly charge?: boolean;
  readonly throws?: unknown;
  readonly answer?: CaptureAnswer;
  readonly hold?: Promise<void>;
  readonly holdAnswer?: Promise<void>;
  /** The key keeps what is thrown and throws it again, as some providers do with a 500. */
  readonly stored?: boolean;
  /** `false`: the key keeps nothing of a decline, so the next call under it is tried anew. */
  readonly kept?: boolean;
}

/** One refund call's fate; `refund: false` gives nothing back. */
export interface RefundScript {
  readonly refund?: boolean;
  readonly throws?: unknown;
  readonly answer?: RefundAnswer;
}

/** What the provider did, in order; the only account of it that a test should trust. */
export interface ProviderEvent {
  readonly what: 'captured' | 'refunded' | 'voided';
  readonly paymentIntentId: string;
  readonly reference: string;
}

/** A provider that deduplicates by idempotency key only, so a second key for one order shows as a second charge. */
export interface ScriptedPayments extends PaymentPort {
  /** Consumed one per capture call; then every call is charged and answered. */
  readonly scripts: Script[];
  /** Consumed one per refund call; then every call gives back and answers. */
  readonly refundScripts: RefundScript[];
  readonly captureCalls: CaptureRequest[];
  readonly findCalls: string[];
  readonly voidCalls: string[];
  readonly refundCalls: RefundRequest[];
  readonly events: ProviderEvent[];
  settledCaptures(reference: string): number;
  settledRefunds(reference: string): number;
  findThrows: unknown;
  voidThrows: unknown;
}

interface Charge {
  readonly request: CaptureRequest;
  readonly captureId: string;
  readonly refundId?: string;
}

export interface ScriptedPaymentsOptions {
  readonly nowMs?: () => number;
  /** Keys and their answers are forgotten after this; charges never. */
  readonly keyMemoryMs?: number;
}

export function createScriptedPayments({
  nowMs = () => 0,
  keyMemoryMs = Number.POSITIVE_INFINITY,
}: ScriptedPaymentsOptions = {}): ScriptedPayments {
  const charges: Charge[] = [];
  const voided = new Set<string>();
  const keys = createKeyMemory(nowMs, keyMemoryMs);
  const chargeOf = (paymentIntentId: string): Charge | undefined =>
    charges.find(({ request }) => request.paymentIntentId === paymentIntentId);
  const log = (what: ProviderEvent['what'], paymentIntentId: string, reference: string): void =>
    void payments.events.push({ what, paymentIntentId, reference });
  const count = (what: ProviderEvent['what'], reference: string): number =>
    payments.events.filter((event) => event.what === what && event.reference === reference).length;

  const charge = (request: CaptureRequest): Charge => {
    const made = { request, captureId: `cap-${charges.length + 1}` };
    charges.push(made);
    log('captured', request.paymentIntentId, request.reference);
    return made;
  };
  const found = (paymentIntentId: string): FindAnswer => {
    const known = chargeOf(paymentIntentId);
    if (known?.refundId !== undefined) return { status: 'refunded', captureId: known.captureId, refundId: known.refundId };
    if (known !== undefined) return capturedAnswer(known);
    return { status: voided.has(paymentIntentId) ? 'voided' : 'not-captured' };
  };

  const payments: ScriptedPayments = {
    scripts: [],
    refundScripts: [],
    captureCalls: [],
    findCalls: [],
    voidCalls: [],
    refundCalls: [],
    events: [],
    findThrows: undefined,
    voidThrows: undefined,
    settledCaptures: (reference) => count('captured', reference),
    settledRefunds: (reference) => count('refunded', reference),
    async capture(request) {
      payments.captureCalls.push(request);
      const script = payments.scripts.shift() ?? {};
      await script.hold;
      const { idempotencyKey, paymentIntentId } = request;
      const replayed = keys.read(idempotencyKey);
      const declined =
        script.answer?.status === 'declined'
          ? script.answer
          : voided.has(paymentIntentId)
            ? ({ status: 'declined', reason: 'intent-voided' } as const)
            : undefined;
      if (replayed === undefined && declined === undefined && script.charge !== false)
        keys.write(idempotencyKey, { answer: capturedAnswer(charge(request)) });
      if (replayed === undefined && declined !== undefined && script.kept !== false) keys.write(idempotencyKey, { answer: declined });
      if (replayed === undefined && script.stored === true) keys.write(idempotencyKey, { throws: script.throws });
      await script.holdAnswer;
      if ('throws' in script) throw script.throws;
      return script.answer ?? answerUnder(keys.read(idempotencyKey));
    },
    async find({ paymentIntentId }) {
      payments.findCalls.push(paymentIntentId);
      if (payments.findThrows !== undefined) throw payments.findThrows;
      return found(paymentIntentId);
    },
    async void({ paymentIntentId }) {
      payments.voidCalls.push(paymentIntentId);
      if (payments.voidThrows !== undefined) throw payments.voidThrows;
      if (chargeOf(paymentIntentId) === undefined && !voided.has(paymentIntentId)) {
        voided.add(paymentIntentId);
        log('voided', paymentIntentId, '');
      }
      return found(paymentIntentId);
    },
    async refund(request) {
      payments.refundCalls.push(request);
      const script = payments.refundScripts.shift() ?? {};
      const index = charges.findIndex((known) => known.request.paymentIntentId === request.paymentIntentId);
      const known = charges[index];
      if (known === undefined) throw new ProviderError('provider-rejected-request', { sent: 'no', permanent: true });
      const replayed = keys.read(request.idempotencyKey);
      if (replayed === undefined && script.refund !== false && script.answer?.status !== 'declined') {
        const refundId = `refund-${count('refunded', known.request.reference) + 1}`;
        charges[index] = { ...known, refundId };
        log('refunded', request.paymentIntentId, known.request.reference);
        keys.write(request.idempotencyKey, { answer: { status: 'refunded', refundId } });
      }
      if (replayed === undefined && script.answer !== undefined) keys.write(request.idempotencyKey, { answer: script.answer });
      if ('throws' in script) throw script.throws;
      return script.answer ?? answerUnder(keys.read(request.idempotencyKey));
    },
  };
  return payments;
}

/** What a key was answered the first time; forgotten after a while, which is what makes late calls dangerous. */
function createKeyMemory(nowMs: () => number, memoryMs: number) {
  const kept = new Map<string, { answer?: unknown; throws?: unknown; atMs: number }>();
  return {
    read(key: string) {
      const known = kept.get(key);
      return known !== undefined && nowMs() - known.atMs < memoryMs ? known : undefined;
    },
    write(key: string, outcome: { answer?: unknown; throws?: unknown }) {
      kept.set(key, { ...outcome, atMs: nowMs() });
    },
  };
}

function answerUnder<Answer>(kept: { answer?: unknown; throws?: unknown } | undefined): Answer {
  if (kept !== undefined && 'throws' in kept) throw kept.throws;
  if (kept?.answer === undefined) throw new ProviderError('provider-500', { sent: 'maybe' });
  return kept.answer as Answer;
}

function capturedAnswer({ request, captureId }: Charge) {
  return { status: 'captured' as const, captureId, amountMinor: request.amountMinor, currency: request.currency };
}

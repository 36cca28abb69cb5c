import type { CallEnd } from '#shared/breaker/circuit-breaker.ts';
import { type PaymentPort, type ProviderCall, ProviderError } from '#shared/payments/payment-port.ts';
import type { CallGuard } from './call-guard.ts';

/** The payment port behind breaker and rate limit. */
export function guardPayments(payments: PaymentPort, guard: CallGuard): PaymentPort {
  const guarded = <Answer>(acts: boolean, { timeoutMs }: ProviderCall, send: () => Promise<Answer>): Promise<Answer> =>
    guard({ acts, timeoutMs, send, endOf });
  return {
    capture: (request, call) => guarded(true, call, () => payments.capture(request, call)),
    find: (request, call) => guarded(false, call, () => payments.find(request, call)),
    void: (request, call) => guarded(true, call, () => payments.void(request, call)),
    refund: (request, call) => guarded(true, call, () => payments.refund(request, call)),
  };
}

const ENDS: Readonly<Record<string, CallEnd>> = {
  'provider-rate-limited': 'limited',
  // Answers about the request, from a provider that is well.
  'provider-rejected-request': 'answered',
  'idempotency-key-in-use': 'answered',
  'idempotency-key-reused': 'answered',
  // Nothing was asked of it.
  'request-malformed': 'unsaid',
  'call-abandoned': 'unsaid',
};

/** Everything else is a dependency that did not do its work, refused credentials and a wrong address included. */
const endOf = (error: unknown): CallEnd => (error instanceof ProviderError ? (ENDS[error.code] ?? 'failed') : 'failed');

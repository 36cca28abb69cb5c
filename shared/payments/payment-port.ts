/** The payment provider as the pipeline needs it. Adapters: the sandbox (shared/payments/sandbox-client.ts). */
export interface PaymentPort {
  /** Charges one payment intent. The same key gets the first answer again. */
  capture(request: CaptureRequest, call: ProviderCall): Promise<CaptureAnswer>;
  /** What happened to a payment intent, strongly consistent. Never charges. */
  find(request: { paymentIntentId: string }, call: ProviderCall): Promise<FindAnswer>;
  /** Closes a payment intent that was not captured, so that no late call can capture it. */
  void(request: { paymentIntentId: string; idempotencyKey: string }, call: ProviderCall): Promise<FindAnswer>;
  /** Gives back a captured amount. */
  refund(request: RefundRequest, call: ProviderCall): Promise<RefundAnswer>;
}

export interface ProviderCall {
  /** Longest wait for the answer. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface CaptureRequest {
  readonly idempotencyKey: string;
  readonly paymentIntentId: string;
  /** Names the business object at the provider: `<userId>/<orderId>`. */
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: string;
}

export interface RefundRequest {
  readonly idempotencyKey: string;
  readonly paymentIntentId: string;
  readonly amountMinor: number;
  readonly currency: string;
}

export type Captured = { readonly status: 'captured'; readonly captureId: string; readonly amountMinor: number; readonly currency: string };
export type CaptureAnswer = Captured | { readonly status: 'declined'; readonly reason: string };
export type FindAnswer =
  | Captured
  | { readonly status: 'refunded'; readonly captureId: string; readonly refundId: string }
  | { readonly status: 'not-captured' }
  | { readonly status: 'voided' };
export type RefundAnswer =
  | { readonly status: 'refunded'; readonly refundId: string }
  | { readonly status: 'declined'; readonly reason: string };

/**
 * No usable answer. `sent` says whether the request can have reached the provider: only a refused connection, a failed
 * look-up or handshake, a 429 and a refusal of the request itself (most 4xx) are known not to have been acted on; everything else
 * may have charged.
 * `permanent` marks answers that no repetition can change (a malformed request, a key used with another body).
 */
export class ProviderError extends Error {
  readonly code: string;
  readonly sent: 'no' | 'maybe';
  readonly permanent: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, options: { sent: 'no' | 'maybe'; permanent?: boolean; retryAfterMs?: number; cause?: unknown }) {
    super(code, { cause: options.cause });
    this.name = 'ProviderError';
    this.code = code;
    this.sent = options.sent;
    this.permanent = options.permanent ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

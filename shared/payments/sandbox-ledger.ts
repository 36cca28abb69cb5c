/**
 * What the sandbox provider remembers: keys and their answers, payment intents, settled captures and refunds per reference,
 * every request, and a fault switched on from outside. Adapter: shared/aws/sandbox-table.ts.
 *
 * Does not protect against two keys for one order: both settle and both are listed. Like a real provider it knows
 * idempotency keys only, so that a pipeline charging twice is seen to charge twice.
 */
export interface SandboxLedger {
  /** Takes a key for one call. A key is free when it is new, forgotten (past `expiresAtMs`), or its holder died (past `lockedUntilMs`) and the body is the same. */
  claimKey(claim: KeyClaim): Promise<KeyClaimed>;
  /** Stores the key's answer together with its effect on the payment intent: both or neither. */
  settle(settlement: Settlement): Promise<Settled>;
  /** Strongly consistent. */
  findIntent(paymentIntentId: string): Promise<PaymentIntent | undefined>;
  /** Counts the calls of a key whose magic amount spoils only the first ones; returns the count with this one. */
  countCall(call: { readonly key: string; readonly forgetAtMs: number }): Promise<number>;
  recordRequest(request: LoggedRequest): Promise<void>;
  /** Requests of one payment intent, oldest first. */
  listRequests(paymentIntentId: string, after?: string): Promise<Page<LoggedRequest>>;
  /** Settled captures and refunds of one reference, strongly consistent. */
  findAccount(reference: string): Promise<Account | undefined>;
  /** Accounts whose reference begins with `prefix`, in the order of their references. */
  listAccounts(prefix: string, after?: string): Promise<Page<Account>>;
  readFault(): Promise<Fault | undefined>;
  writeFault(fault: Fault): Promise<void>;
}

export interface KeyClaim {
  readonly key: string;
  /** Names this call; nobody else has it. */
  readonly owner: string;
  readonly bodyHash: string;
  readonly nowMs: number;
  readonly lockedUntilMs: number;
  readonly expiresAtMs: number;
}
export type KeyClaimed =
  | { readonly outcome: 'claimed' | 'in-use' | 'other-body' }
  | { readonly outcome: 'answered'; readonly status: number; readonly body: string };

export interface Settlement {
  readonly key: string;
  readonly owner: string;
  readonly nowMs: number;
  readonly status: number;
  readonly body: string;
  readonly effect?: Effect;
}
/** `key-lost`: another call took the key over. `intent-changed`: look at the intent again and decide anew. Neither wrote anything. */
export type Settled = 'settled' | 'key-lost' | 'intent-changed';

/** Charge: unless the intent is void. Void: unless it is captured. Refund: while it is captured by `captureId`. */
export type Effect =
  | {
      readonly kind: 'charge';
      readonly paymentIntentId: string;
      readonly reference: string;
      readonly captureId: string;
      readonly money: Money;
    }
  | { readonly kind: 'void'; readonly paymentIntentId: string }
  | {
      readonly kind: 'refund';
      readonly paymentIntentId: string;
      readonly reference: string;
      readonly captureId: string;
      readonly refundId: string;
      readonly money: Money;
    };

export interface Money {
  readonly amountMinor: number;
  readonly currency: string;
}

interface Charged extends Money {
  readonly captureId: string;
  readonly reference: string;
}
export type PaymentIntent =
  | { readonly status: 'voided' }
  | ({ readonly status: 'captured' } & Charged)
  | ({ readonly status: 'refunded'; readonly refundId: string } & Charged);

export interface SettledCapture extends Money {
  readonly captureId: string;
  readonly paymentIntentId: string;
  readonly key: string;
  readonly atMs: number;
}
export interface SettledRefund extends SettledCapture {
  readonly refundId: string;
}
export interface Account {
  readonly reference: string;
  readonly captures: readonly SettledCapture[];
  readonly refunds: readonly SettledRefund[];
}

export interface LoggedRequest {
  readonly paymentIntentId: string;
  readonly requestId: string;
  readonly atMs: number;
  readonly operation: string;
  readonly key?: string;
  readonly bodyHash?: string;
}

/** `after` of the next call; absent on the last page. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next?: string;
}

export interface Fault {
  readonly mode: 'refuse' | 'hang' | '503' | 'none';
  readonly untilMs: number;
}

import type {
  Account,
  Effect,
  KeyClaim,
  LoggedRequest,
  PaymentIntent,
  SandboxLedger,
  Settlement,
} from '#shared/payments/sandbox-ledger.ts';

/** Money that moved, or a payment intent that was closed, at the instant it happened. */
export interface ProviderMovement {
  readonly effect: Effect;
  readonly key: string;
  readonly atMs: number;
}

interface KeyEntry extends KeyClaim {
  readonly answer?: { readonly status: number; readonly body: string };
}

export interface MemoryLedger extends SandboxLedger {
  intent(paymentIntentId: string): PaymentIntent | undefined;
  /** Settled captures and refunds by reference. */
  readonly accounts: ReadonlyMap<string, Account>;
}

/** The sandbox provider's memory, with the rules of its table adapter (shared/aws/sandbox-table.ts) and none of its requests. */
export function createMemoryLedger(onMovement: (movement: ProviderMovement) => void): MemoryLedger {
  const keys = new Map<string, KeyEntry>();
  const intents = new Map<string, PaymentIntent>();
  const accounts = new Map<string, Account>();
  const calls = new Map<string, number>();
  const requests: LoggedRequest[] = [];
  return {
    accounts,
    intent: (paymentIntentId) => intents.get(paymentIntentId),
    async claimKey(claim) {
      const holder = keys.get(claim.key);
      const isFree = holder === undefined || holder.expiresAtMs <= claim.nowMs;
      const isAbandoned =
        !isFree && holder.answer === undefined && holder.lockedUntilMs <= claim.nowMs && holder.bodyHash === claim.bodyHash;
      if (isFree || isAbandoned) {
        keys.set(claim.key, claim);
        return { outcome: 'claimed' };
      }
      if (holder.bodyHash !== claim.bodyHash) return { outcome: 'other-body' };
      return holder.answer === undefined ? { outcome: 'in-use' } : { outcome: 'answered', ...holder.answer };
    },
    async settle(settlement) {
      const holder = keys.get(settlement.key);
      if (holder === undefined || holder.owner !== settlement.owner || holder.answer !== undefined) return 'key-lost';
      if (settlement.effect !== undefined) {
        if (!isPossible(settlement.effect, intents.get(settlement.effect.paymentIntentId))) return 'intent-changed';
        carryOut(settlement.effect, settlement, { intents, accounts });
        onMovement({ effect: settlement.effect, key: settlement.key, atMs: settlement.nowMs });
      }
      keys.set(settlement.key, { ...holder, answer: { status: settlement.status, body: settlement.body } });
      return 'settled';
    },
    findIntent: async (paymentIntentId) => intents.get(paymentIntentId),
    async countCall({ key }) {
      calls.set(key, (calls.get(key) ?? 0) + 1);
      return calls.get(key) ?? 0;
    },
    recordRequest: async (request) => void requests.push(request),
    listRequests: async (paymentIntentId) => ({ items: requests.filter((request) => request.paymentIntentId === paymentIntentId) }),
    findAccount: async (reference) => accounts.get(reference),
    listAccounts: async (prefix) => ({ items: [...accounts.values()].filter(({ reference }) => reference.startsWith(prefix)) }),
    readFault: async () => undefined,
    writeFault: async () => undefined,
  };
}

function isPossible(effect: Effect, intent: PaymentIntent | undefined): boolean {
  switch (effect.kind) {
    case 'charge':
      return intent?.status !== 'voided';
    case 'void':
      return intent === undefined;
    case 'refund':
      return intent !== undefined && intent.status !== 'voided' && intent.captureId === effect.captureId;
  }
}

interface Books {
  readonly intents: Map<string, PaymentIntent>;
  readonly accounts: Map<string, Account>;
}

function carryOut(effect: Effect, { key, nowMs: atMs }: Settlement, { intents, accounts }: Books): void {
  const { paymentIntentId } = effect;
  if (effect.kind === 'void') return void intents.set(paymentIntentId, { status: 'voided' });
  const { reference, captureId, money } = effect;
  const account = accounts.get(reference) ?? { reference, captures: [], refunds: [] };
  const entry = { ...money, captureId, paymentIntentId, key, atMs };
  if (effect.kind === 'charge') {
    intents.set(paymentIntentId, { status: 'captured', captureId, reference, ...money });
    accounts.set(reference, { ...account, captures: [...account.captures, entry] });
    return;
  }
  const intent = intents.get(paymentIntentId) as Extract<PaymentIntent, { status: 'captured' }>;
  intents.set(paymentIntentId, { ...intent, status: 'refunded', refundId: effect.refundId });
  accounts.set(reference, { ...account, refunds: [...account.refunds, { ...entry, refundId: effect.refundId }] });
}

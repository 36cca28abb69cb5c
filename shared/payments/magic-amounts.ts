/**
 * Amounts that make the sandbox misbehave. They lie in 90_000_001 … 90_000_099 minor units; every other amount is simply
 * captured. This table is the whole list, for demos and tests as much as for the service.
 */
export interface Script {
  readonly amountMinor: number;
  readonly what: string;
  /** What the call that gets the key decides, and the key remembers. */
  readonly decides: 'capture' | 'capture-half' | 'decline' | 'stored-500';
  /** The first so many calls of a key get this instead: nothing is charged, nothing remembered. */
  readonly first?: { readonly calls: number; readonly answer: Unanswered };
  /** Works for about half of the client's timeout, the key in use meanwhile. */
  readonly slow?: true;
  /** What becomes of the answer of the call that charged. */
  readonly answer?: Spoiled;
  /** Replays are spoiled in the same way. */
  readonly always?: true;
  /** Asking what happened is answered 503, always. */
  readonly findUnavailable?: true;
}
export type Unanswered = 'withheld' | 'rate-limited' | 'unavailable' | 'key-in-use';
export type Spoiled = 'withheld' | 'gateway-timeout' | 'bad-gateway-html' | 'cut-off';

export const MAGIC_AMOUNTS = {
  decline: { amountMinor: 90_000_001, what: 'declined, card-declined', decides: 'decline' },
  chargedButTimeout: {
    amountMinor: 90_000_002,
    what: 'the first call of a key charges and withholds its answer; later calls replay it',
    decides: 'capture',
    answer: 'withheld',
  },
  chargedButTimeoutAlways: {
    amountMinor: 90_000_003,
    what: 'charges once; every call of the key withholds its answer',
    decides: 'capture',
    answer: 'withheld',
    always: true,
  },
  notChargedTimeout: {
    amountMinor: 90_000_004,
    what: 'the first call of a key neither charges nor remembers and withholds its answer; the next one captures',
    decides: 'capture',
    first: { calls: 1, answer: 'withheld' },
  },
  stored500: { amountMinor: 90_000_005, what: 'stores a 500 under the key and replays it; nothing is charged', decides: 'stored-500' },
  slow: {
    amountMinor: 90_000_006,
    what: 'captured after about half of the client’s timeout, the key in use meanwhile',
    decides: 'capture',
    slow: true,
  },
  rateLimitedOnce: {
    amountMinor: 90_000_007,
    what: 'the first call of a key is answered 429 with Retry-After: 7; the next one captures',
    decides: 'capture',
    first: { calls: 1, answer: 'rate-limited' },
  },
  unavailableOnce: {
    amountMinor: 90_000_008,
    what: 'the first call of a key is answered 503 with Retry-After: 2; the next one captures',
    decides: 'capture',
    first: { calls: 1, answer: 'unavailable' },
  },
  keyInUseOnce: {
    amountMinor: 90_000_009,
    what: 'the first call of a key is answered 409 idempotency-key-in-use; the next one captures',
    decides: 'capture',
    first: { calls: 1, answer: 'key-in-use' },
  },
  gatewayTimeoutAfterCharge: {
    amountMinor: 90_000_010,
    what: 'charges, then the call that charged is answered 504; later calls replay',
    decides: 'capture',
    answer: 'gateway-timeout',
  },
  htmlAfterCharge: {
    amountMinor: 90_000_011,
    what: 'charges, then the call that charged is answered 502 with a web page; later calls replay',
    decides: 'capture',
    answer: 'bad-gateway-html',
  },
  cutOffAfterCharge: {
    amountMinor: 90_000_012,
    what: 'charges, then the call that charged is answered 200 with half of its body; later calls replay',
    decides: 'capture',
    answer: 'cut-off',
  },
  wrongAmount: { amountMinor: 90_000_013, what: 'captures half of the amount and says so', decides: 'capture-half' },
  findUnavailable: {
    amountMinor: 90_000_014,
    what: 'charges, then the call that charged is answered 504; asking what happened is always answered 503',
    decides: 'capture',
    answer: 'gateway-timeout',
    findUnavailable: true,
  },
} as const satisfies Readonly<Record<string, Script>>;

const captured: Omit<Script, 'amountMinor'> = { what: 'captured', decides: 'capture' };
const scripts = new Map<number, Script>(Object.values(MAGIC_AMOUNTS).map((script) => [script.amountMinor, script]));

export const scriptOf = (amountMinor: number): Script => scripts.get(amountMinor) ?? { amountMinor, ...captured };

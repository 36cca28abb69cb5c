import type { CacheEntry, CachePort } from '#shared/cache/cache-port.ts';

const TOKEN_LIFETIME_MS = 5_000;

interface Slot {
  readonly entry?: string;
  readonly token?: string;
  /** End of the value, or of the token. */
  readonly untilMs: number;
}

export interface MemoryCache extends CachePort {
  /** The next token is granted, but the reader never learns of it. */
  loseNextTokenAnswer(): void;
  /** From now on every operation named here fails. */
  fail(...operations: (keyof CachePort)[]): void;
  /** What is cached now, expired or not. */
  peek(key: string): CacheEntry | undefined;
}

/** The cache port in memory: the same answers as the DynamoDB adapter (test/conformance/cache.test.ts), and faults on demand. */
export function createMemoryCache({ nowMs }: { nowMs: () => number }): MemoryCache {
  const slots = new Map<string, Slot>();
  const failing = new Set<keyof CachePort>();
  let granted = 0;
  let answerIsLost = false;

  const takeToken = (key: string): string => {
    const token = `token-${++granted}`;
    slots.set(key, { token, untilMs: nowMs() + TOKEN_LIFETIME_MS });
    if (answerIsLost) {
      answerIsLost = false;
      throw new Error('no answer to the token write');
    }
    return token;
  };
  const refuseIfFailing = (operation: keyof CachePort): void => {
    if (failing.has(operation)) throw new Error(`the cache cannot ${operation}`);
  };

  return {
    loseNextTokenAnswer() {
      answerIsLost = true;
    },
    fail(...operations) {
      for (const operation of operations) failing.add(operation);
    },
    peek: (key) => parse(slots.get(key)?.entry),
    async read(key) {
      refuseIfFailing('read');
      const slot = slots.get(key);
      if (slot === undefined || slot.untilMs <= nowMs()) return { kind: 'miss', token: takeToken(key) };
      const entry = parse(slot.entry);
      return entry === undefined ? { kind: 'miss', token: undefined } : { kind: 'hit', entry };
    },
    async fill(key, token, entry, ttlSeconds) {
      refuseIfFailing('fill');
      if (slots.get(key)?.token !== token) return false;
      slots.set(key, { entry: JSON.stringify(entry), untilMs: nowMs() + ttlSeconds * 1000 });
      return true;
    },
    async invalidate(key) {
      refuseIfFailing('invalidate');
      slots.delete(key);
    },
  };
}

const parse = (entry: string | undefined): CacheEntry | undefined => (entry === undefined ? undefined : (JSON.parse(entry) as CacheEntry));

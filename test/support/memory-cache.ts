import { type CacheEntry, type CachePort, type CacheRead, type ExpectedEntry, isVersion } from '#shared/cache/cache-port.ts';

const TOKEN_LIFETIME_MS = 5_000;

/** What lies under a key; anything may be wrong about it. */
export interface CacheSlot {
  /** JSON text. */
  readonly value?: string;
  readonly version?: unknown;
  readonly expiresAtMs?: unknown;
  readonly token?: string;
  readonly tokenUntilMs?: unknown;
}

export interface MemoryCache extends CachePort {
  /** The next token is granted, but the reader never learns of it; `false` takes that back. */
  loseNextTokenAnswer(isLost?: boolean): void;
  /** From now on every operation named here fails. */
  fail(...operations: (keyof CachePort)[]): void;
  /** What is cached now, expired or not. */
  peek(key: string): CacheEntry | undefined;
  /** Puts something there that no fill would write. */
  overwrite(key: string, slot: CacheSlot): void;
}

/** The cache port in memory: the same answers as the DynamoDB adapter (test/conformance/cache.test.ts), and faults on demand. */
export function createMemoryCache({ nowMs }: { nowMs: () => number }): MemoryCache {
  const slots = new Map<string, CacheSlot>();
  const failing = new Set<keyof CachePort>();
  let granted = 0;
  let answerIsLost = false;

  const takeToken = (key: string): string => {
    const token = `token-${++granted}`;
    slots.set(key, { token, tokenUntilMs: nowMs() + TOKEN_LIFETIME_MS });
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
    loseNextTokenAnswer(isLost = true) {
      answerIsLost = isLost;
    },
    fail(...operations) {
      for (const operation of operations) failing.add(operation);
    },
    peek: (key) => entryIn(slots.get(key) ?? {}),
    overwrite: (key, slot) => void slots.set(key, slot),
    async read(key, expected) {
      refuseIfFailing('read');
      return readSlot(slots.get(key) ?? {}, nowMs(), expected) ?? { kind: 'miss', token: takeToken(key) };
    },
    async fill(key, token, entry, ttlSeconds) {
      refuseIfFailing('fill');
      if (slots.get(key)?.token !== token) return false;
      slots.set(key, { value: JSON.stringify(entry.value), version: entry.version, expiresAtMs: nowMs() + ttlSeconds * 1000 });
      return true;
    },
    async invalidate(key) {
      refuseIfFailing('invalidate');
      slots.delete(key);
    },
  };
}

/** @returns undefined when the next reader may load and fill */
function readSlot(slot: CacheSlot, nowMs: number, expected?: ExpectedEntry): CacheRead | undefined {
  const latestMs = expected === undefined ? Number.MAX_SAFE_INTEGER : nowMs + expected.ttlSeconds * 1000;
  const entry = entryIn(slot);
  if (entry !== undefined && isWithin(slot.expiresAtMs, nowMs, latestMs) && (expected?.accepts(entry) ?? true))
    return { kind: 'hit', entry };
  const isLoading = slot.token !== undefined && isWithin(slot.tokenUntilMs, nowMs, nowMs + 2 * TOKEN_LIFETIME_MS);
  return isLoading ? { kind: 'miss', token: undefined } : undefined;
}

const isWithin = (instantMs: unknown, afterMs: number, latestMs: number): boolean =>
  typeof instantMs === 'number' && instantMs > afterMs && instantMs <= latestMs;

function entryIn({ value, version }: CacheSlot): CacheEntry | undefined {
  if (value === undefined || !isVersion(version)) return undefined;
  try {
    return { version, value: JSON.parse(value) };
  } catch {
    return undefined;
  }
}

import type { CachePort, CacheRead, ExpectedEntry } from '#shared/cache/cache-port.ts';
import { createCautiousCache } from '#shared/cache/cautious-cache.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import type { Random } from '#shared/runtime/random.ts';
import { readCacheRow, TOKEN_LIFETIME_MS } from './cache-row.ts';
import type { ValkeyConnection } from './valkey-connection.ts';
import { fillRow, itemIn, readRow, removeRow, replaceRow, type SeenRow } from './valkey-rows.ts';

/**
 * The cache port on a Valkey server. A row is read, judged here, and replaced by a token only while it is still the row that was judged;
 * value and token lie in one row, so a fill is one step and an invalidation is another.
 *
 * A call that got no answer is never sent again by the client: a late copy of a token write would revive a token that
 * an invalidation had removed. Only an invalidation is repeated, and it fails when none of its tries was acknowledged.
 *
 * Does not protect against clocks that disagree by more than the TTL; the server drops a value by its own clock at the latest.
 */
export interface ValkeyCacheOptions {
  readonly connection: ValkeyConnection;
  readonly clock: Clock;
  readonly random: Random;
  /** A reader that gives its token back waits for one try only. */
  readonly invalidationAttempts?: number;
}

/** The table answers when the cache is slow, so waiting for it is short. */
const READ_LIMIT_MS = 300;
/** Nobody waits for an invalidation, and one that fails is one more retry. */
const INVALIDATION_LIMIT_MS = 1_000;
const INVALIDATION_ATTEMPTS = 3;
/** A token stands until somebody takes its place; a forgotten one need not lie there for ever. */
const TOKEN_KEPT_MS = 12 * TOKEN_LIFETIME_MS;

export function createValkeyCache(options: ValkeyCacheOptions): CachePort {
  const { connection, clock, invalidationAttempts = INVALIDATION_ATTEMPTS } = options;
  const cache: CachePort = {
    read: (key, expected) => readOrTakeToken(options, key, expected),
    async fill(key, token, { version, value }, ttlSeconds) {
      if (token === '') return false;
      const keepMs = ttlSeconds * 1000;
      const item = { value: JSON.stringify(value), version, expiresAtMs: clock.nowMs() + keepMs };
      return connection.ask(READ_LIMIT_MS, (client) => fillRow(client, key, { token, item, keepMs }));
    },
    async invalidate(key) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await connection.ask(INVALIDATION_LIMIT_MS, (client) => removeRow(client, key));
        } catch (error) {
          if (attempt >= invalidationAttempts) throw error;
        }
      }
    },
  };
  return createCautiousCache(cache, clock);
}

async function readOrTakeToken(
  { connection, clock, random }: ValkeyCacheOptions,
  key: string,
  expected: ExpectedEntry | undefined,
): Promise<CacheRead> {
  const judge = (row: SeenRow) => readCacheRow(itemIn(row), clock.nowMs(), expected);
  const row = await connection.ask(READ_LIMIT_MS, (client) => readRow(client, key));
  const found = judge(row);
  if (found.kind === 'answer') return found.read;
  const token = random.token();
  const item = { token, tokenUntilMs: clock.nowMs() + TOKEN_LIFETIME_MS };
  const after = await connection.ask(READ_LIMIT_MS, (client) => replaceRow(client, key, row, { token, item, keepMs: TOKEN_KEPT_MS }));
  if (after.isReplaced) return { kind: 'miss', token };
  const arrived = judge(after);
  return arrived.kind === 'answer' ? arrived.read : { kind: 'miss', token: undefined };
}

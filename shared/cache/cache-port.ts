/**
 * A look-aside cache with fill tokens (DESIGN section 8). On a miss one reader gets a token; its fill is accepted only
 * while that token stands, and an invalidation removes value and token together, so a slow reader cannot put the past back.
 *
 * Does not protect against a reader that answers its own client with what it loaded before the change; only the cache is kept honest.
 */
export interface CachePort {
  read(key: string): Promise<CacheRead>;
  /** @returns whether the value was stored; false when the token no longer stands. */
  fill(key: string, token: string, entry: CacheEntry, ttlSeconds: number): Promise<boolean>;
  invalidate(key: string): Promise<void>;
}

export interface CacheEntry {
  /** Version of the table's state the value was made from; shown to readers and checked by the verifier. */
  readonly version: number;
  readonly value: unknown;
}

export type CacheRead =
  | { readonly kind: 'hit'; readonly entry: CacheEntry }
  | { readonly kind: 'miss'; readonly token: string }
  /** Someone else is loading this key. */
  | { readonly kind: 'miss'; readonly token: undefined };

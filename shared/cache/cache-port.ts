/**
 * A look-aside cache with fill tokens. On a miss one reader gets a token; its fill is accepted only
 * while that token stands, and an invalidation removes value and token together, so a slow reader cannot put the past back.
 *
 * What is read is judged before it is served: an entry that cannot be read, is not what its reader expects, or claims to live
 * longer than any fill allows is a miss like any other, and the reader's fill takes its place.
 *
 * Does not protect against a reader that answers its own client with what it loaded before the change; only the cache is kept honest.
 */
export interface CachePort {
  /** @param expected what the entry has to be to count; left out, any value with a version does. */
  read(key: string, expected?: ExpectedEntry): Promise<CacheRead>;
  /** @returns whether the value was stored; false when the token no longer stands. */
  fill(key: string, token: string, entry: CacheEntry, ttlSeconds: number): Promise<boolean>;
  invalidate(key: string): Promise<void>;
}

export interface CacheEntry {
  /** Version of the table's state the value was made from; shown to readers and checked by the verifier. */
  readonly version: number;
  readonly value: unknown;
}

export interface ExpectedEntry {
  /** Whether the entry has the form its reader knows. */
  accepts(entry: CacheEntry): boolean;
  /** The time to live of a fill; an entry that would end later than this from now was not filled by these rules. */
  readonly ttlSeconds: number;
}

export type CacheRead =
  | { readonly kind: 'hit'; readonly entry: CacheEntry }
  | { readonly kind: 'miss'; readonly token: string }
  /** Someone else is loading this key. */
  | { readonly kind: 'miss'; readonly token: undefined };

/** A version counts upwards from 0; anything else was not written by a fill. */
export const isVersion = (version: unknown): version is number => Number.isSafeInteger(version) && (version as number) >= 0;

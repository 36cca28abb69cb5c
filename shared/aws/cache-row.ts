import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type CacheEntry, type CacheRead, type ExpectedEntry, isVersion } from '#shared/cache/cache-port.ts';

/**
 * What an item of the cache table says to a reader at a given instant. Expiry is judged here, because DynamoDB's TTL may
 * remove an item days after its time; so is everything else an item may get wrong, because one bad row must cost one load
 * and not one load a read.
 *
 * Does not protect against a row that is well-formed, expected and untrue; `version` is there for whoever compares.
 */
export type CacheRow =
  | { readonly kind: 'answer'; readonly read: CacheRead }
  /** Neither a value nor a token that still counts. */
  | { readonly kind: 'over' }
  /** A value or token that is not over and cannot be trusted either. */
  | { readonly kind: 'unreadable' };

export type CacheItem = Record<string, AttributeValue>;

/** How long one reader may keep the others from filling. A token older than this still stands until somebody takes its place. */
export const TOKEN_LIFETIME_MS = 5_000;
/** A token may seem to last longer than its lifetime to a reader whose clock is behind; more than this is no clock's fault. */
const TRUSTED_TOKEN_MS = 2 * TOKEN_LIFETIME_MS;

export function readCacheRow(item: CacheItem | undefined, nowMs: number, expected?: ExpectedEntry): CacheRow {
  const value = readValue(item, nowMs, expected);
  return value.kind === 'over' ? readToken(item, nowMs) : value;
}

function readValue(item: CacheItem | undefined, nowMs: number, expected?: ExpectedEntry): CacheRow {
  if (item?.expiresAtMs === undefined) return { kind: 'over' };
  const expiresAtMs = numberIn(item.expiresAtMs);
  if (expiresAtMs <= nowMs) return { kind: 'over' };
  const latestMs = expected === undefined ? Number.MAX_SAFE_INTEGER : nowMs + expected.ttlSeconds * 1000;
  const entry = entryOf(item);
  const isTrusted = expiresAtMs <= latestMs && entry !== undefined && (expected === undefined || expected.accepts(entry));
  return isTrusted ? { kind: 'answer', read: { kind: 'hit', entry } } : { kind: 'unreadable' };
}

function readToken(item: CacheItem | undefined, nowMs: number): CacheRow {
  if (item?.token === undefined) return { kind: 'over' };
  const untilMs = numberIn(item.tokenUntilMs);
  if (untilMs <= nowMs) return { kind: 'over' };
  return untilMs <= nowMs + TRUSTED_TOKEN_MS ? { kind: 'answer', read: { kind: 'miss', token: undefined } } : { kind: 'unreadable' };
}

function entryOf({ version, value }: CacheItem): CacheEntry | undefined {
  const number = numberIn(version);
  if (!isVersion(number) || value?.S === undefined) return undefined;
  try {
    return { version: number, value: JSON.parse(value.S) };
  } catch {
    return undefined;
  }
}

/** Not a number where there is none; compares as neither over nor trusted. */
const numberIn = (attribute: AttributeValue | undefined): number => Number(attribute?.N);

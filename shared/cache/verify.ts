import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '#shared/runtime/clock.ts';
import type { CacheEntry } from './cache-port.ts';
import { saysTheSame, type TableTruth } from './table-truth.ts';

/** How a cached value differs from what the table says. */
export type Mismatch =
  /** An older version, or an order that is gone. */
  | 'stale'
  /** A version the table has not reached, or another value under the same one: the table was put back, or changed by hand. */
  | 'ahead'
  /** It cannot be read; readers load anew and replace it. */
  | 'unreadable';

export interface FoundMismatch {
  readonly key: string;
  readonly mismatch: Mismatch;
  readonly cachedVersion: number | null;
  /** Null: the table has nothing there. */
  readonly tableVersion: number | null;
}

export interface Verification {
  readonly looked: number;
  readonly equal: number;
  /** Over, or a token of somebody who is loading: nobody is answered from these. */
  readonly noValue: number;
  /** Differed at first and not after the stream's lag: invalidated, filled anew or run out. */
  readonly caughtUp: number;
  readonly mismatches: readonly FoundMismatch[];
}

/** What the cache holds under a key, as it lies there: two looks saw the same entry if both saw the same row. */
export interface CachedKey<Row = unknown> {
  readonly key: string;
  readonly row: Row;
}

/** What a row says to a reader. */
export type CachedValue =
  | { readonly kind: 'value'; readonly entry: CacheEntry }
  /** Nobody is answered from it. */
  | { readonly kind: 'no-value' }
  | { readonly kind: 'unreadable' };

export interface VerifyWorld<Row = unknown> {
  entries(): AsyncIterable<readonly CachedKey<Row>[]>;
  entry(key: string): Promise<CachedKey<Row> | undefined>;
  valueIn(row: Row, nowMs: number): CachedValue;
  readonly truth: TableTruth;
  readonly clock: Clock;
  /** How long a change may take to reach the cache. */
  readonly lagMs: number;
  /** So many values, or all of them. */
  readonly sample: number | 'all';
}

type Judged = { readonly kind: 'equal' | 'no-value' } | { readonly kind: 'differs'; readonly found: FoundMismatch };

const SIDE_BY_SIDE = 10;

/**
 * Compares cached values with strongly consistent reads of the table. The cache is read first: what a correct cache holds can then
 * only be older than the table, and only for as long as the stream takes. So whatever differs is looked at again that much later, and
 * counts if it is still the very same entry.
 *
 * Does not protect against an entry that was put right and went wrong again in between.
 */
export async function verify<Row>(world: VerifyWorld<Row>): Promise<Verification> {
  const counts = { looked: 0, equal: 0, noValue: 0 };
  const suspects: CachedKey<Row>[] = [];
  for await (const page of world.entries()) {
    for (const batch of inBatches(page)) {
      for (const [index, judged] of (await Promise.all(batch.map((cached) => judge(cached, world)))).entries()) {
        counts.looked++;
        if (judged.kind === 'equal') counts.equal++;
        else if (judged.kind === 'no-value') counts.noValue++;
        else suspects.push(batch[index] as CachedKey<Row>);
      }
    }
    if (world.sample !== 'all' && counts.looked - counts.noValue >= world.sample) break;
  }
  const mismatches = suspects.length === 0 ? [] : await stillThere(suspects, world);
  return { ...counts, caughtUp: suspects.length - mismatches.length, mismatches };
}

const inBatches = <Entry>(entries: readonly Entry[]): Entry[][] =>
  Array.from({ length: Math.ceil(entries.length / SIDE_BY_SIDE) }, (_, index) =>
    entries.slice(index * SIDE_BY_SIDE, (index + 1) * SIDE_BY_SIDE),
  );

async function stillThere<Row>(suspects: readonly CachedKey<Row>[], world: VerifyWorld<Row>): Promise<FoundMismatch[]> {
  await world.clock.sleep(world.lagMs);
  const found: FoundMismatch[] = [];
  for (const batch of inBatches(suspects)) {
    const again = await Promise.all(
      batch.map(async (before) => {
        const now = await world.entry(before.key);
        return now === undefined || !isDeepStrictEqual(now.row, before.row) ? undefined : judge(now, world);
      }),
    );
    for (const judged of again) if (judged?.kind === 'differs') found.push(judged.found);
  }
  return found;
}

async function judge<Row>({ key, row }: CachedKey<Row>, { truth, clock, valueIn }: VerifyWorld<Row>): Promise<Judged> {
  const read = valueIn(row, clock.nowMs());
  const differs = (mismatch: Mismatch, cached: CacheEntry | undefined, table?: CacheEntry): Judged => ({
    kind: 'differs',
    found: { key, mismatch, cachedVersion: cached?.version ?? null, tableVersion: table?.version ?? null },
  });
  if (read.kind === 'unreadable') return differs('unreadable', undefined);
  if (read.kind === 'no-value') return { kind: 'no-value' };
  const { entry } = read;
  const table = await truth(key).catch(asUnknown);
  if (table === 'unknown-key') return differs('unreadable', entry);
  if (table === undefined) return differs('stale', entry);
  if (saysTheSame(entry, table)) return { kind: 'equal' };
  return differs(entry.version < table.version ? 'stale' : 'ahead', entry, table);
}

/** Nobody could be answered from such an order anew, so what is cached of it cannot be judged either. */
function asUnknown(error: unknown): 'unknown-key' {
  if ((error as { code?: unknown }).code !== 'order-unreadable') throw error;
  return 'unknown-key';
}

import fc from 'fast-check';
import type { CacheEntry, CacheRead, ExpectedEntry } from '#shared/cache/cache-port.ts';
import type { CacheSlot } from '../support/memory-cache.ts';
import type { CacheBench } from './cache-benches.ts';

/**
 * Random operations of readers and an invalidator on a few keys. Readers are processes of their own: each has the tokens it was
 * given, a clock that is a little wrong, and may fill with a token that is long past.
 */
export type CacheStep =
  | { readonly kind: 'read'; readonly reader: number; readonly key: string; readonly judges: boolean; readonly loses: boolean }
  | { readonly kind: 'fill'; readonly reader: number; readonly key: string; readonly token: number; readonly version: number }
  | { readonly kind: 'invalidate'; readonly key: string }
  | { readonly kind: 'overwrite'; readonly key: string; readonly row: number }
  | { readonly kind: 'pass'; readonly durationMs: number };

export const TTL_SECONDS = 60;
/** How far the clock of each reader is off. */
const SKEW_MS = [0, 1_500, -7_000] as const;
const START_MS = Date.UTC(2026, 10, 30);

const key = fc.constantFrom('a', 'b');
const reader = fc.nat({ max: SKEW_MS.length - 1 });
const only = <Kind extends string>(kind: Kind) => fc.constant(kind);
const often = (chance: number) => fc.nat({ max: 99 }).map((one) => one < chance);
const instants = [1, 1_000, 4_999, 5_000, 5_001, 10_000, 59_999, 60_000, 120_000];

const step: fc.Arbitrary<CacheStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: only('read'), reader, key, judges: fc.boolean(), loses: often(10) }) },
  // Mostly the token that was given last.
  {
    weight: 6,
    arbitrary: fc.record({ kind: only('fill'), reader, key, token: fc.constantFrom(0, 0, 0, 1, 2), version: fc.nat({ max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: only('invalidate'), key }) },
  { weight: 1, arbitrary: fc.record({ kind: only('overwrite'), key, row: fc.nat({ max: 10 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: only('pass'), durationMs: fc.constantFrom(...instants) }) },
);
export const cacheSteps: fc.Arbitrary<CacheStep[]> = fc.array(step, { minLength: 1, maxLength: 40 });

/** What a row may hold that no fill writes. */
export const STRANGE_ROWS: readonly ((nowMs: number) => CacheSlot)[] = [
  (nowMs) => ({ ...row(nowMs), value: '{"status":' }),
  (nowMs) => ({ version: 1, expiresAtMs: nowMs + 1_000 }),
  (nowMs) => ({ ...row(nowMs), version: '1' }),
  (nowMs) => ({ ...row(nowMs), version: 1.5 }),
  (nowMs) => ({ ...row(nowMs), value: '{"state":"paid"}' }),
  (nowMs) => ({ ...row(nowMs), expiresAtMs: 'tomorrow' }),
  (nowMs) => ({ ...row(nowMs), expiresAtMs: nowMs + TTL_SECONDS * 1000 + 1 }),
  () => ({ token: 'for ever' }),
  () => ({ token: 'for ever', tokenUntilMs: 'tomorrow' }),
  (nowMs) => ({ token: 'for a day', tokenUntilMs: nowMs + 86_400_000 }),
  (nowMs) => ({ ...row(nowMs), token: 'beside a value', tokenUntilMs: nowMs + 1_000 }),
];
const row = (nowMs: number): CacheSlot => ({ value: '{"status":"paid"}', version: 1, expiresAtMs: nowMs + 1_000 });

const EXPECTED: ExpectedEntry = { ttlSeconds: TTL_SECONDS, accepts: ({ value }) => 'status' in (value as object) };
const entryOf = (version: number): CacheEntry => ({ version, value: { status: `v${version}` } });

/** All caches of a comparison see one clock, which is the acting reader's. */
export function createSkewedClock() {
  let [nowMs, skewMs] = [START_MS, 0];
  return {
    nowMs: () => nowMs + skewMs,
    async sleep(durationMs: number) {
      nowMs += durationMs;
    },
    actAs(index: number) {
      skewMs = SKEW_MS[index] ?? 0;
    },
  };
}

/** One cache, its keys of one sequence, and the tokens it gave, by reader and key; their texts differ from cache to cache. */
export interface CacheSeat {
  readonly bench: CacheBench;
  readonly run: string;
  readonly given: Map<string, string[]>;
}

/** What a step answers, in words that do not depend on tokens. */
export async function answerOfCache({ bench, run, given }: CacheSeat, step: CacheStep, nowMs: number): Promise<unknown> {
  if (step.kind === 'pass') return 'passed';
  const fullKey = `${run}/${step.key}`;
  if (step.kind === 'invalidate') return (await bench.cache.invalidate(fullKey)) ?? 'invalidated';
  if (step.kind === 'overwrite') {
    await bench.overwrite(fullKey, (STRANGE_ROWS[step.row] as (typeof STRANGE_ROWS)[number])(nowMs));
    return 'overwritten';
  }
  const own = `${step.reader} ${step.key}`;
  const tokens = given.get(own) ?? [];
  if (step.kind === 'fill') {
    const stored = await bench.cache.fill(fullKey, tokens.at(-1 - step.token) ?? 'never given', entryOf(step.version), TTL_SECONDS);
    return stored ? 'stored' : 'refused';
  }
  bench.loseNextTokenAnswer(step.loses);
  const found = await bench.cache.read(fullKey, step.judges ? EXPECTED : undefined).catch(() => undefined);
  bench.loseNextTokenAnswer(false);
  if (found?.kind === 'miss' && found.token !== undefined) given.set(own, [...tokens, found.token]);
  return worded(found);
}

function worded(found: CacheRead | undefined): unknown {
  if (found === undefined) return 'no answer';
  if (found.kind === 'hit') return ['hit', found.entry];
  return found.token === undefined ? 'wait' : 'token';
}

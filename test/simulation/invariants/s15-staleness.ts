import { SETTINGS } from '../cloud/functions.ts';
import type { Invariant } from '../invariant.ts';
import type { ApiExchange } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { createClocks } from './clocks.ts';
import { createCommittedVersions } from './committed-versions.ts';
import { type ReadAnswer, readAnswerOf } from './read-answers.ts';

const TTL_MS = SETTINGS.cacheTtlSeconds * 1000;
/** Clocks are at most this wrong. */
const SKEW_MS = 5 * 60_000;
/** Requests are on their way while clocks run. */
const SLACK_MS = 1_000;
/** In calm weather the stream has carried a change to the cache by then. */
const CALM_LAG_MS = 30_000;
/** A stream lags for ten minutes at worst, and a parked key is tried again for a while. */
const LONGEST_EFFECT_MS = 20 * 60_000;
const WINDOWS = [
  { name: 'stale answer, within 1 s', belowMs: 1_000 },
  { name: 'stale answer, within 10 s', belowMs: 10_000 },
  { name: 'stale answer, within 60 s', belowMs: 60_000 },
  { name: 'stale answer, older than 60 s', belowMs: Number.POSITIVE_INFINITY },
] as const;

/**
 * Age is how long the table had moved on when the request was made. Three bounds: what is not from the cache is not stale at all;
 * once a key was invalidated, or a token taken for it, nobody who asks later is told anything older; what was never invalidated ends
 * with its time to live, by clocks that may disagree. Where nothing has struck stream or invalidation since, it is invalidated at once.
 */
export const staleness: Invariant = {
  id: 'S15',
  promise: 'a read is never older than the stream lags, or than its time to live; answers from the table, and 404s, are never stale',
  watch(simulation, violate) {
    const committed = createCommittedVersions();
    const clocks = createClocks();
    const floors = createTimeline();
    const fills = createTimeline();
    let disturbed = false;
    const judge = (exchange: ApiExchange, { key, version, cached }: ReadAnswer): void => {
      const { startedAtMs } = exchange;
      const inForce = committed.inForce(key, startedAtMs);
      if (version >= inForce) return;
      const ageMs = startedAtMs - (committed.leftAtMs(key, version) ?? startedAtMs);
      const what = `${key} was answered as version ${version} ${Math.round(ageMs)} ms after ${inForce} was committed`;
      if (!cached) return violate(`${what}, and not from the cache`);
      simulation.happened(WINDOWS.find(({ belowMs }) => ageMs < belowMs)?.name ?? '');
      const floor = floors.last(key, ({ atMs }) => atMs <= startedAtMs)?.version ?? 0;
      if (version < Math.min(floor, inForce)) violate(`${what}, although the key had been invalidated for ${floor}`);
      if (ageMs > CALM_LAG_MS && !disturbed && isCalmSince(simulation, startedAtMs - ageMs)) violate(`${what}, in calm weather`);
      const stored = fills.last(key, (fill) => fill.version === version && fill.atMs <= exchange.atMs);
      const servedMs = startedAtMs - (stored?.atMs ?? Number.NEGATIVE_INFINITY);
      if (servedMs > TTL_MS + clocks.apartMs + SLACK_MS) violate(`${what}, ${Math.round(servedMs)} ms after it was stored`);
    };
    return {
      itemWritten(written) {
        committed.written(written);
        const { table, id: key, old, next, atMs } = written;
        if (table !== 'Cache') return;
        if (next === undefined || (next['token'] !== undefined && next['token'] !== old?.['token']))
          floors.add(key, { atMs, version: committed.inForce(key, atMs) });
        if (next?.['value'] === undefined || next['expiresAtMs'] === old?.['expiresAtMs']) return;
        fills.add(key, { atMs, version: Number(next['version']) });
        const endsMs = Number(next['expiresAtMs']) - atMs;
        if (!(endsMs <= TTL_MS + SKEW_MS + SLACK_MS)) violate(`${key} is cached for ${endsMs} ms`);
      },
      invocationEnded: (_functionName, process) => clocks.saw(process),
      disturbed() {
        disturbed = true;
      },
      apiAnswered(exchange) {
        const answer = readAnswerOf(exchange);
        if (answer !== undefined) judge(exchange, answer);
      },
    };
  },
};

/** Nothing has gone wrong with stream or invalidation, nor long enough before to be felt still. */
function isCalmSince({ faults: { injected } }: Simulation, sinceMs: number): boolean {
  const last = injected.findLast(({ label }) => /invalidat|^stream delivers/.test(label));
  return last === undefined || last.atMs < sinceMs - LONGEST_EFFECT_MS;
}

interface Point {
  readonly atMs: number;
  readonly version: number;
}

/** What happened to each key, in the order it happened. */
function createTimeline() {
  const points = new Map<string, Point[]>();
  return {
    add(key: string, point: Point): void {
      const known = points.get(key);
      if (known === undefined) points.set(key, [point]);
      else known.push(point);
    },
    last: (key: string, fits: (point: Point) => boolean): Point | undefined => points.get(key)?.findLast(fits),
  };
}

import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import { formatAmount } from './amount.ts';
import type { Sources } from './sources.ts';
import { type Stage, type TimelineEntry, timelineOf } from './timeline.ts';

export interface Explanation {
  readonly order: Readonly<Record<string, unknown>>;
  readonly timeline: readonly (TimelineEntry & { readonly at: string })[];
  readonly capturesAtProvider: number | null;
  readonly cache: {
    readonly state: 'none' | 'value' | 'being filled' | 'expired';
    readonly version: number | null;
    readonly current: boolean | null;
  };
  readonly held: { readonly owner: string; readonly operation: string; readonly untilMs: number } | null;
}

export function explain(sources: Sources, nowMs: number): Explanation {
  const { order, account } = sources;
  const held = order['lease'] === 'held';
  return {
    order,
    timeline: timelineOf(sources).map((entry) => ({ ...entry, at: new Date(Math.min(entry.atMs, nowMs)).toISOString() })),
    capturesAtProvider: account?.captures.length ?? null,
    cache: cacheOf(sources, nowMs),
    held: held ? { owner: String(order['leaseOwner']), operation: String(order['leaseOp']), untilMs: Number(order['leaseUntilMs']) } : null,
  };
}

function cacheOf({ cacheEntry, order }: Sources, nowMs: number): Explanation['cache'] {
  if (cacheEntry === undefined) return { state: 'none', version: null, current: null };
  if (cacheEntry['value'] === undefined) return { state: 'being filled', version: null, current: null };
  if (Number(cacheEntry['expiresAtMs']) <= nowMs) return { state: 'expired', version: null, current: null };
  const version = Number(cacheEntry['version']);
  return { state: 'value', version, current: version === order['version'] };
}

export function formatExplanation({ order, timeline, capturesAtProvider, cache, held }: Explanation, nowMs: number): string {
  const startMs = timeline[0]?.atMs ?? 0;
  const rows = timeline.map(({ at, atMs, stage, what }) => [
    quiet(at.slice(11, 23)),
    offset(atMs - startMs),
    PAINTED[stage]?.(stage) ?? stage,
    what,
  ]);
  const money = formatAmount(Number(order['amountMinor']), String(order['currency']));
  return [
    `${strong(`${order['userId']}/${order['orderId']}`)}  ${paintState(String(order['status']))}  ${money}  version ${order['version']}, fence ${order['fence']}`,
    '',
    formatTable(['Time (UTC)', 'After', 'Stage', 'What'], rows),
    '',
    `Captures at the provider: ${paintCaptures(capturesAtProvider)}`,
    `Cache: ${describeCache(cache)}`,
    ...(held === null
      ? []
      : [
          doubtful(
            `Held now: ${held.operation} by ${held.owner.slice(0, 8)} for another ${Math.max(0, Math.round((held.untilMs - nowMs) / 1000))} s`,
          ),
        ]),
    ...(order['lastError'] === undefined ? [] : [doubtful(`Last error: ${String(order['lastError'])}`)]),
  ].join('\n');
}

const PAINTED: Partial<Record<Stage, (text: string) => string>> = { capture: good, commit: good, discard: bad, 'dead letter': bad };

const offset = (ms: number): string => (ms > 1e12 ? '' : `+${(ms / 1000).toFixed(3)} s`);

export function paintState(state: string): string {
  if (state === 'paid' || state === 'refunded') return good(state);
  return state === 'payment_declined' ? doubtful(state) : strong(state);
}

function paintCaptures(count: number | null): string {
  if (count === null) return 'not known here (not the sandbox provider)';
  return count > 1 ? bad(`${count}: charged more than once`) : String(count);
}

function describeCache({ state, version, current }: Explanation['cache']): string {
  if (state !== 'value') return state === 'none' ? 'no entry; the next read loads the table' : state;
  return current ? good(`version ${version}, as in the table`) : bad(`version ${version}, older than the table`);
}

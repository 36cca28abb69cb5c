import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import { formatAmount } from './amount.ts';
import { type NextStep, nextSteps } from './next-step.ts';
import type { OrderLetters } from './order-letters.ts';
import type { ProviderAnswer } from './provider-answer.ts';
import type { Sources } from './sources.ts';
import { type Stage, type TimelineEntry, timelineOf, tracesOf } from './timeline.ts';

export interface Explanation extends OrderLetters {
  readonly order: Readonly<Record<string, unknown>>;
  readonly timeline: readonly (TimelineEntry & { readonly at: string })[];
  /** By which its requests and jobs are found in logs and X-Ray; empty where the logs no longer have them. */
  readonly traces: readonly string[];
  readonly capturesAtProvider: number | null;
  readonly provider: ProviderAnswer;
  readonly cache: {
    readonly state: 'none' | 'value' | 'being filled' | 'expired';
    readonly version: number | null;
    readonly current: boolean | null;
  };
  readonly held: { readonly owner: string; readonly operation: string; readonly untilMs: number } | null;
  /** What people did about its jobs, by the audit. */
  readonly acts: Sources['acts'];
  readonly next: readonly NextStep[];
}

export function explain(sources: Sources, nowMs: number): Explanation {
  const { account, provider, letters, lookedThrough, acts, heldBack } = sources;
  const order = covered(sources.order);
  const held = order['lease'] === 'held';
  const known = {
    order,
    timeline: timelineOf(sources).map((entry) => ({ ...entry, at: new Date(Math.min(entry.atMs, nowMs)).toISOString() })),
    traces: tracesOf(sources),
    capturesAtProvider: account?.captures.length ?? null,
    provider,
    cache: cacheOf(sources, nowMs),
    held: held ? { owner: String(order['leaseOwner']), operation: String(order['leaseOp']), untilMs: Number(order['leaseUntilMs']) } : null,
    letters,
    lookedThrough,
    acts,
  };
  return { ...known, next: nextSteps(known, { heldBack, nowMs }) };
}

/** What a customer wrote is nobody's business here. */
const covered = (order: Sources['order']): Sources['order'] => (order['note'] === undefined ? order : { ...order, note: '(covered)' });

function cacheOf({ cacheEntry, order }: Sources, nowMs: number): Explanation['cache'] {
  if (cacheEntry === undefined) return { state: 'none', version: null, current: null };
  if (cacheEntry['value'] === undefined) return { state: 'being filled', version: null, current: null };
  if (Number(cacheEntry['expiresAtMs']) <= nowMs) return { state: 'expired', version: null, current: null };
  const version = Number(cacheEntry['version']);
  return { state: 'value', version, current: version === order['version'] };
}

export function formatExplanation(explanation: Explanation, nowMs: number): string {
  const { order, timeline, capturesAtProvider, cache, held } = explanation;
  const startMs = timeline[0]?.atMs ?? 0;
  const rows = timeline.map(({ at, atMs, stage, what }) => [
    quiet(at.slice(11, 23)),
    offset(atMs - startMs),
    (PAINTED[stage] ?? String)(WORDS[stage] ?? stage),
    what,
  ]);
  const money = formatAmount(Number(order['amountMinor']), String(order['currency']));
  return [
    `${strong(`${order['userId']}/${order['orderId']}`)}  ${paintState(String(order['status']))}  ${money}  version ${order['version']}, fence ${order['fence']}`,
    '',
    formatTable(['Time (UTC)', 'After', 'Stage', 'What'], rows),
    '',
    `Provider: ${describeProvider(explanation.provider)}`,
    `Captures at the provider: ${paintCaptures(capturesAtProvider)}`,
    `Cache: ${describeCache(cache)}`,
    `Dead letters: ${describeLetters(explanation)}`,
    ...(explanation.traces.length === 0 ? [] : [`Trace: ${explanation.traces.join(', ')}`]),
    ...(held === null
      ? []
      : [
          doubtful(
            `Held now: ${held.operation} by ${held.owner.slice(0, 8)} for another ${Math.max(0, Math.round((held.untilMs - nowMs) / 1000))} s`,
          ),
        ]),
    ...(order['lastError'] === undefined ? [] : [doubtful(`Last error: ${String(order['lastError'])}`)]),
    '',
    ...explanation.next.flatMap(({ why, command }) => [`Next: ${why}`, ...(command === null ? [] : [`  ${command}`])]),
  ].join('\n');
}

/** The write is called a discard, whoever gives the job up. */
const WORDS: Partial<Record<Stage, string>> = { discard: 'ended' };
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

function describeProvider({ status, paymentIntentId, captureId, refundId }: ProviderAnswer): string {
  if (status === 'unanswered') return doubtful(`gives no answer about ${paymentIntentId}`);
  const ids = [captureId, refundId].filter((id) => id !== null);
  return `${paymentIntentId} is ${status}${ids.length === 0 ? '' : ` (${ids.join(', ')})`}`;
}

function describeLetters({ letters, lookedThrough }: OrderLetters): string {
  const missing = lookedThrough.filter(({ state }) => state === 'missing').map(({ queue }) => queue);
  const seen = lookedThrough.reduce((sum, { seen }) => sum + seen, 0);
  const where = `${seen} letters in ${lookedThrough.length - missing.length} queues looked through`;
  const unseen = lookedThrough.reduce((sum, { unseen }) => sum + unseen, 0);
  const gone =
    (unseen === 0 ? '' : doubtful(`; about ${unseen} more could not be seen`)) +
    (missing.length === 0 ? '' : bad(`; missing: ${missing.join(', ')}`));
  if (letters.length === 0) return `none (${where})${gone}`;
  return bad(letters.map(({ queue, reason }) => `${queue} (${reason})`).join(', ')) + gone;
}

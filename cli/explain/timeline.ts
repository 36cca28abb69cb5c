import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import { DISCARDED_BY_OPERATOR } from '#shared/dead-letter/end-operation.ts';
import type { OperationRecord } from '#shared/item/attributes.ts';
import { NO_OUTCOME } from '../audit/no-outcome.ts';
import type { LogLine } from '../aws/log-lines.ts';
import { formatAmount } from './amount.ts';
import type { FoundLetter } from './order-letters.ts';
import type { Sources } from './sources.ts';

export type Stage =
  | 'created'
  | 'enqueued'
  | 'claim'
  | 'provider'
  | 'capture'
  | 'refund'
  | 'commit'
  | 'discard'
  | 'invalidation'
  | 'receipt'
  | 'dead letter'
  | 'operator';

export interface TimelineEntry {
  readonly atMs: number;
  readonly stage: Stage;
  readonly what: string;
}

/** One order's life in the order it happened, put together from every place that saw a part of it. */
export function timelineOf(sources: Sources): TimelineEntry[] {
  const entries = [
    created(sources),
    ...sources.lines.flatMap((line) => [...enqueued(line, sources), ...claims(line, sources), ...invalidated(line, sources)]),
    ...sources.requests.map(
      ({ atMs, operation, requestId }): TimelineEntry => ({
        atMs,
        stage: 'provider',
        what: `asked to ${operation} (request ${requestId.slice(0, 8)})`,
      }),
    ),
    ...settled(sources),
    ...operations(sources),
    ...sources.receipts.map(
      (row): TimelineEntry => ({ atMs: Number(row['sentAtMs']), stage: 'receipt', what: `sent for ${String(row['captureId'])}` }),
    ),
    ...sources.letters.map(letter),
    ...sources.acts.map(act),
  ];
  // Equal instants keep the order of the pipeline, which is the order they were listed in.
  return entries.sort((left, right) => left.atMs - right.atMs);
}

function created({ order }: Sources): TimelineEntry {
  const money = formatAmount(Number(order['amountMinor']), String(order['currency']));
  return {
    atMs: Number(order['createdAtMs']),
    stage: 'created',
    what: `order over ${money} accepted, payment intent ${String(order['paymentIntentId'])}`,
  };
}

const strings = (value: unknown): string[] => (Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []);

/** Keys of jobs about this order: `<operation>:<userId>/<orderId>:<attempt>`. */
const isAbout = (key: string, { name }: Sources): boolean => key.includes(`:${name.userId}/${name.orderId}:`);

const enqueued = ({ atMs, fields }: LogLine, sources: Sources): TimelineEntry[] =>
  strings(fields['keys'])
    .filter((key) => isAbout(key, sources))
    .map((key) => ({ atMs, stage: 'enqueued', what: key }));

interface LoggedJob {
  readonly key?: string;
  readonly trace?: string;
  readonly outcome?: string;
  readonly owner?: string;
  readonly fence?: number;
  readonly attempt?: number;
  readonly durationMs?: number;
  readonly code?: string;
}

const ownJobs = ({ fields }: LogLine, sources: Sources): LoggedJob[] =>
  (Array.isArray(fields['jobs']) ? (fields['jobs'] as LoggedJob[]) : []).filter(({ key }) => key !== undefined && isAbout(key, sources));

/** The trace ids of the requests that set off its jobs, in the order they came. */
export const tracesOf = (sources: Sources): string[] => [
  ...new Set(sources.lines.flatMap((line) => ownJobs(line, sources)).flatMap(({ trace }) => trace ?? [])),
];

/** A run is logged when it ends; it is shown where it began. */
function claims(line: LogLine, sources: Sources): TimelineEntry[] {
  const { atMs } = line;
  return ownJobs(line, sources).map((job) => ({ atMs: atMs - (job.durationMs ?? 0), stage: 'claim', what: describeRun(job) }));
}

function describeRun({ key, outcome, owner, fence, attempt, durationMs, code }: LoggedJob): string {
  const holder = owner === undefined ? [] : [`attempt ${attempt}`, `owner ${owner.slice(0, 8)}`, `fence ${fence}`];
  const facts = [...holder, ...(durationMs === undefined ? [] : [`${Math.round(durationMs)} ms`])];
  return `${key} → ${outcome}${code === undefined ? '' : ` (${code})`}${facts.length === 0 ? '' : `, ${facts.join(', ')}`}`;
}

function invalidated({ atMs, fields }: LogLine, { name }: Sources): TimelineEntry[] {
  const own = new Set([orderCacheKey(name.userId, name.orderId), orderSummaryCacheKey(name.userId)]);
  const keys = strings(fields['keys']).filter((key) => own.has(key));
  // A line about the user's summary alone belongs to another order.
  return keys.includes(orderCacheKey(name.userId, name.orderId)) ? [{ atMs, stage: 'invalidation', what: keys.join(', ') }] : [];
}

function settled({ account }: Sources): TimelineEntry[] {
  const captures = (account?.captures ?? []).map(({ atMs, captureId, amountMinor, currency, key }): TimelineEntry => {
    return { atMs, stage: 'capture', what: `provider charged ${formatAmount(amountMinor, currency)}: ${captureId} under key ${key}` };
  });
  const refunds = (account?.refunds ?? []).map(({ atMs, refundId, amountMinor, currency }): TimelineEntry => {
    return { atMs, stage: 'refund', what: `provider gave back ${formatAmount(amountMinor, currency)}: ${refundId}` };
  });
  return [...captures, ...refunds];
}

/** What the item remembers of its finished operations. */
function operations({ order }: Sources): TimelineEntry[] {
  return Object.entries(order)
    .filter(([attribute]) => attribute.startsWith('op:'))
    .map(([attribute, value]) => {
      const { status, result, reason, by, fence, tries, atMs } = value as OperationRecord;
      const end = status === 'completed' ? JSON.stringify(result) : endedWithout(reason);
      const what = `${attribute.slice('op:'.length)} ${end}, by ${by.slice(0, 8)}, fence ${fence}, ${tries} ${tries === 1 ? 'attempt' : 'attempts'}`;
      return { atMs, stage: status === 'completed' ? 'commit' : 'discard', what };
    });
}

/** Both are written `discarded` on the item. */
const endedWithout = (reason: string | undefined): string =>
  reason === DISCARDED_BY_OPERATOR ? 'discarded by a person' : `given up: ${reason}`;

const letter = ({ queue, sentAtMs, messageId, reason }: FoundLetter): TimelineEntry => ({
  atMs: sentAtMs,
  stage: 'dead letter',
  what: `${queue}: ${reason} (message ${messageId.slice(0, 8)})`,
});

const act = ({ atMs, what, who, why, outcome }: Sources['acts'][number]): TimelineEntry => ({
  atMs,
  stage: 'operator',
  what: `${what} by ${who} (${why}): ${outcome ?? NO_OUTCOME}`,
});

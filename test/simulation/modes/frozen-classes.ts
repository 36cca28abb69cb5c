import type { Chance } from '../kernel/chance.ts';
import type { Fault } from '../network/fault.ts';

/** What a pipeline is for; a class of faults may stop some of it while it lasts, and none of it afterwards. */
export const GOALS = ['accepted', 'paid', 'refunded', 'receipt', 'exported', 'stock'] as const;
export type Goal = (typeof GOALS)[number];

/** Something that goes wrong every time, for hours. */
export interface FrozenClass {
  readonly name: string;
  /** What goes wrong at a point of this name; undefined leaves it alone. */
  readonly strikes: (label: string) => Fault | undefined;
  /** Goals it may keep from being reached; all others are reached meanwhile. */
  readonly stops: readonly Goal[];
  /** Goals that may have ended otherwise when all is over: past the horizon of its key the provider is not called any more. */
  readonly expires?: readonly Goal[];
  readonly hours?: number;
  /** How far ahead the clock of each new process is, in milliseconds; left out: not at all. */
  readonly clockAheadMs?: (chance: Chance) => number;
  /** Records of the streams are lost, not late. */
  readonly losesStreams?: boolean;
}

const MONEY: readonly Goal[] = ['paid', 'refunded', 'receipt'];
const JOBS: readonly Goal[] = [...MONEY, 'exported', 'stock'];

const where =
  (pattern: RegExp, fault: Fault): FrozenClass['strikes'] =>
  (label) =>
    pattern.test(label) ? fault : undefined;
const frozen = (name: string, pattern: RegExp, fault: Fault, stops: readonly Goal[] = []): FrozenClass => ({
  name,
  strikes: where(pattern, fault),
  stops,
});
/** Such a class makes more and more deliveries of the same; hours of it only take long. */
const briefly = (one: FrozenClass): FrozenClass => ({ ...one, hours: FLOOD_HOURS });
const FLOOD_HOURS = 0.1;

const PROVIDER = / at the provider$/;
const provider = (
  ['refused', 'dropped', 'slow', 'unavailable', 'server-error', 'server-error-applied', 'answer-lost', 'cut-off', 'rate-limited'] as const
).map((fault) => frozen(`provider:${fault}`, PROVIDER, fault, MONEY));

const ON_STATE = / (?:State|in a transaction)$/;
/** Without an answer about pauses and circuits nothing is called, so a Control table that is down stops all jobs. */
const tables = [
  ...(['throttled', 'conflict', 'server-error', 'dropped', 'refused'] as const).map((fault) =>
    frozen(`table-state:${fault}`, ON_STATE, fault, GOALS),
  ),
  frozen('table-state:server-error-applied', ON_STATE, 'server-error-applied', GOALS),
  frozen('table-state:stale-read', ON_STATE, 'stale-read'),
  ...(['throttled', 'dropped'] as const).map((fault) => frozen(`table-control:${fault}`, / Control$/, fault, JOBS)),
  ...(['throttled', 'dropped', 'refused', 'answer-lost'] as const).map((fault) => frozen(`table-cache:${fault}`, / Cache$/, fault)),
  frozen('table-mail:throttled', / Mail$/, 'throttled', ['receipt']),
];

const queues = [
  frozen('send:refused', / SendMessage(?:Batch)? /, 'refused', JOBS),
  frozen('send:dropped', / SendMessage(?:Batch)? /, 'dropped', JOBS),
  frozen('send:entry-failed', / SendMessage(?:Batch)? /, 'entry-failed', JOBS),
  briefly(frozen('send-to-jobs:entry-failed', /^dispatch-outbox SendMessageBatch (?!outbox-failed)/, 'entry-failed', JOBS)),
  briefly(frozen('send:server-error-applied', / SendMessage(?:Batch)? /, 'server-error-applied', JOBS)),
  frozen('hand-back:refused', / ChangeMessageVisibility/, 'refused'),
  frozen('mapping:not-invoked', /^mapping takes /, 'not-invoked', JOBS),
  ...(['delivered-twice', 'delivered-late', 'delete-lost'] as const).map((fault) => frozen(`mapping:${fault}`, /^mapping takes /, fault)),
];

const streams: FrozenClass[] = [
  frozen('stream:not-invoked', /^stream delivers /, 'not-invoked', JOBS),
  // Each look finds that it is too early.
  frozen('stream:lag', /^stream delivers /, 'lag', JOBS),
  briefly(frozen('stream:replayed', /^stream delivers /, 'replayed')),
  frozen('stream:batch-split', /^stream delivers /, 'batch-split'),
  // Lasts over one daily sweep, which finds what the first records were about; what follows from that waits for the next one.
  { name: 'stream:outage', strikes: () => undefined, stops: ['refunded', 'receipt'], expires: ['refunded'], hours: 26, losesStreams: true },
];

const OBJECT_CALLS = / (?:GetObject|PutObject|CreateMultipartUpload|UploadPart|CompleteMultipartUpload|AbortMultipartUpload) /;
const objects = [frozen('objects:throttled', OBJECT_CALLS, 'throttled', ['exported'])];

/** What stops when one function always dies, or always stands still. */
const STOPPED_BY: Readonly<Record<string, readonly Goal[]>> = {
  'accept-order': GOALS,
  'accept-refund': ['refunded'],
  'accept-export': ['exported'],
  'accept-stock-adjustment': ['stock'],
  'read-order': [],
  'dispatch-outbox': JOBS,
  'retry-outbox': [],
  'invalidate-cache': [],
  'retry-invalidation': [],
  'verify-cache': [],
  'rescue-jobs': [],
  'sweep-state': [],
  'govern-queues': [],
  'execute-job/capture-payment': MONEY,
  'execute-job/refund-payment': ['refunded'],
  'execute-job/send-receipt': ['receipt'],
  'execute-job/export-orders': ['exported'],
  'execute-job/adjust-stock': ['stock'],
};
const functions = Object.entries(STOPPED_BY).flatMap(([name, stops]) =>
  (['crash-before', 'crash-after', 'freeze-after'] as const).map((fault) =>
    frozen(`${name}:${fault}`, new RegExp(`^${name} `), fault, stops),
  ),
);

const MOST_SKEW_MS = 5 * 60_000;
const wrongClocks = (name: string, clockAheadMs: NonNullable<FrozenClass['clockAheadMs']>): FrozenClass => ({
  name: `clocks:${name}`,
  strikes: () => undefined,
  stops: [],
  clockAheadMs,
});

/** Every clock is as wrong as a clock may be. It belongs to a process as long as that lives, so it stays when the class has lifted. */
const clocks = [
  wrongClocks('apart', (chance) => chance.pick([-MOST_SKEW_MS, MOST_SKEW_MS])),
  wrongClocks('ahead', () => MOST_SKEW_MS),
  wrongClocks('behind', () => -MOST_SKEW_MS),
];

/** Every class of faults that is frozen on in turn. */
export const FROZEN_CLASSES: readonly FrozenClass[] = [...provider, ...tables, ...queues, ...streams, ...objects, ...functions, ...clocks];

/** @throws RangeError naming those there are */
export function frozenClassNamed(name: string): FrozenClass {
  const found = FROZEN_CLASSES.find((one) => one.name === name);
  if (found === undefined)
    throw new RangeError(`there is no class "${name}"; there are ${FROZEN_CLASSES.map((one) => one.name).join(', ')}`);
  return found;
}

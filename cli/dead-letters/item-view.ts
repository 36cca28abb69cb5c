import { orderCacheKey } from '#shared/cache/cache-keys.ts';
import type { LetterJob } from '#shared/dead-letter/read-letter.ts';
import { type Standing, standingOf } from '#shared/dead-letter/standing.ts';
import {
  attemptsSent,
  attemptsSpent,
  dueAttribute,
  type ItemImage,
  type OperationRecord,
  operationRecord,
} from '#shared/item/attributes.ts';

/** What the item says of a letter's job. Business fields are named; what a customer wrote is not among them. */
export interface ItemView {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly exists: boolean;
  readonly status: string | null;
  readonly version: number | null;
  readonly fence: number | null;
  readonly attempt: number | null;
  readonly lease: { readonly owner: string; readonly operation: string; readonly untilMs: number } | null;
  readonly lastError: string | null;
  readonly operation: {
    readonly name: string;
    readonly standing: Standing['kind'];
    /** Of the present budget of six. */
    readonly attemptsSpent: number;
    /** Attempts that may have reached the outside. */
    readonly mayHaveBeenSent: number;
    readonly notBeforeMs: number | null;
    readonly record: Pick<OperationRecord, 'status' | 'reason' | 'atMs' | 'by' | 'tries' | 'fence'> | null;
  };
}

export function viewItem(job: LetterJob, image: ItemImage | undefined): ItemView {
  const { key, operation } = job.target;
  const at = image ?? {};
  const held = at['lease'] === 'held';
  return {
    key,
    exists: image !== undefined,
    status: text(at['status']),
    version: number(at['version']),
    fence: number(at['fence']),
    attempt: number(at['attempt']),
    lease: held ? { owner: String(at['leaseOwner']), operation: String(at['leaseOp']), untilMs: Number(at['leaseUntilMs']) } : null,
    lastError: text(at['lastError']),
    operation: {
      name: operation,
      standing: standingOf(job, image).kind,
      attemptsSpent: attemptsSpent(at, operation),
      mayHaveBeenSent: attemptsSent(at, operation),
      notBeforeMs: number(at[dueAttribute(operation)]),
      record: recordOf(operationRecord(at, operation)),
    },
  };
}

function recordOf(record: OperationRecord | undefined): ItemView['operation']['record'] {
  if (record === undefined) return null;
  const { status, reason, atMs, by, tries, fence } = record;
  return { status, ...(reason === undefined ? {} : { reason }), atMs, by, tries, fence };
}

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const number = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** What readers of the API are told at present. */
export interface CacheView {
  readonly key: string;
  readonly state: 'none' | 'value' | 'being-filled' | 'expired';
  readonly version: number | null;
  /** As new as the table; null where there is no value to compare. */
  readonly current: boolean | null;
}

/** The cache's key of the order a job is about; undefined for jobs about anything else. */
export function cacheKeyOf({ payload }: LetterJob): string | undefined {
  const { userId, orderId } = payload as { userId?: unknown; orderId?: unknown };
  return typeof userId === 'string' && typeof orderId === 'string' ? orderCacheKey(userId, orderId) : undefined;
}

export function viewCache(key: string, row: ItemImage | undefined, orderVersion: unknown, nowMs: number): CacheView {
  if (row === undefined) return { key, state: 'none', version: null, current: null };
  if (row['value'] === undefined) return { key, state: 'being-filled', version: null, current: null };
  if (Number(row['expiresAtMs']) <= nowMs) return { key, state: 'expired', version: null, current: null };
  const version = Number(row['version']);
  return { key, state: 'value', version, current: version === orderVersion };
}

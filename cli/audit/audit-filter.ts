import type { AuditEntry } from '#shared/dead-letter/audit.ts';

/** Which entries are meant; what is left out leaves the choice open. */
export interface AuditFilter {
  readonly what?: string | undefined;
  /** An idempotency key, or `<userId>/<orderId>` for every job of an order. */
  readonly key?: string | undefined;
  /** Begun no earlier. */
  readonly fromMs: number;
}

/** Keys are written `<operation>:<subject>:<attempt>`; the subject of an order's jobs is its name. */
export const isAbout = (key: string | undefined, wanted: string): boolean => key === wanted || key?.split(':')[1] === wanted;

export const isMeant = (entry: AuditEntry, { what, key, fromMs }: AuditFilter): boolean =>
  entry.atMs >= fromMs && (what === undefined || entry.what === what) && (key === undefined || isAbout(entry.key, key));

import { TABLES } from '../cloud/names.ts';
import type { ItemWritten } from '../observer.ts';

/** What an operator wrote down before acting on a letter. */
export interface AuditRow {
  readonly what: 'replay' | 'discard';
  /** The dead-letter queue and the letter in it. */
  readonly queue: string;
  readonly messageId: string;
  /** Of the job, where the letter names one. */
  readonly key?: string;
  /** `refused: …` when nothing was done after all; absent until the act has ended. */
  readonly outcome?: string;
}

/** Undefined for every other write, also of the rows that only number the entries. */
export function auditRowIn(written: ItemWritten): AuditRow | undefined {
  if (written.table !== TABLES.control || !written.id.startsWith('audit:')) return undefined;
  const { next } = written;
  return next?.['what'] === 'replay' || next?.['what'] === 'discard' ? (next as unknown as AuditRow) : undefined;
}

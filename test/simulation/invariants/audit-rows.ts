import { type AuditEntry, entriesOf } from '#shared/dead-letter/audit.ts';
import { TABLES } from '../cloud/names.ts';
import type { ItemWritten } from '../observer.ts';

/** What an operator wrote down before acting on a letter; without an outcome until the act has ended. */
export interface AuditRow extends AuditEntry {
  readonly what: 'replay' | 'discard';
  readonly queue: string;
  readonly messageId: string;
}

/** None for every other write, also of the rows that only number the entries. */
export const auditRowsIn = ({ table, id, next }: ItemWritten): AuditRow[] =>
  table === TABLES.control && id.startsWith('audit:') ? entriesOf(next).filter(isOfLetter) : [];

const isOfLetter = (entry: AuditEntry): entry is AuditRow => entry.what === 'replay' || entry.what === 'discard';

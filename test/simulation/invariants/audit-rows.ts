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

/** Read from the row itself, and not as the tool reads it. None for every other write, also of the rows that only number the entries. */
export function auditRowsIn({ table, id, next }: ItemWritten): AuditRow[] {
  if (table !== TABLES.control || !id.startsWith('audit:') || !Array.isArray(next?.['acts'])) return [];
  const acts = next['acts'] as readonly AuditRow[];
  return acts.flatMap((act, index) => {
    const outcome = next[`outcome:${index}`] as string | undefined;
    return act.what === 'replay' || act.what === 'discard' ? [{ ...act, ...(outcome === undefined ? {} : { outcome }) }] : [];
  });
}

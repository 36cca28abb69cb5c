import type { OperationRecord } from '#shared/item/attributes.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { type Image, numberOf, recordedOperations, recordOf } from './item-views.ts';

/**
 * A completed record is final: nothing replaces, changes or removes it. A discarded one may be armed again and only then end in
 * another way. A restore takes records back; what it brought is then what counts.
 */
export const oneEffect: Invariant = {
  id: 'S6',
  promise: 'an operation is finished once, ever, and its record stays as it was written',
  watch(_, violate) {
    const completed = new Set<string>();
    const forget = (id: string, next: Image | undefined): void => {
      for (const name of [...completed]) if (name.startsWith(`${id} `)) completed.delete(name);
      for (const operation of recordedOperations(next))
        if (recordOf(next, operation)?.status === 'completed') completed.add(`${id} ${operation}`);
    };
    return {
      itemWritten(written) {
        if (written.table !== TABLES.state) return;
        const { id, old, next, by, atMs } = written;
        if (by === undefined) return next === undefined && isExpired(old, atMs) ? undefined : forget(id, next);
        for (const operation of recordedOperations(old)) {
          const wrong = judgeChange(recordOf(old, operation), recordOf(next, operation));
          if (wrong !== undefined) violate(`${operation} of ${id} ${wrong}, by ${by}`);
        }
        for (const operation of recordedOperations(next)) {
          const name = `${id} ${operation}`;
          if (recordOf(next, operation)?.status !== 'completed' || recordOf(old, operation)?.status === 'completed') continue;
          if (completed.has(name)) violate(`${operation} of ${id} is finished a second time, by ${by}`);
          completed.add(name);
        }
      },
    };
  },
};

/** What the time-to-live sweep takes is a job's own item, long after its message can exist; what a restore takes has not expired. */
const isExpired = (old: Image | undefined, atMs: number): boolean =>
  numberOf(old, 'expiresAt') > 0 && numberOf(old, 'expiresAt') * 1000 <= atMs;

function judgeChange(before: OperationRecord | undefined, after: OperationRecord | undefined): string | undefined {
  if (before === undefined || sameEnd(before, after)) return undefined;
  if (before.status === 'completed') return `was completed and is ${after === undefined ? 'open again' : `rewritten as ${after.status}`}`;
  // Only when it was opened again in between may it end anew.
  return after === undefined ? undefined : `was discarded as ${before.reason} and becomes ${after.status}`;
}

/** The mark that the letter is out may come later. */
const sameEnd = (before: OperationRecord, after: OperationRecord | undefined): boolean =>
  JSON.stringify({ ...before, buried: undefined }) === JSON.stringify({ ...after, buried: undefined });

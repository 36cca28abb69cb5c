import type { SQSRecord } from 'aws-lambda';
import type { ItemWritten } from '../observer.ts';

/** Cache keys that could not be invalidated, and what the cache holds under them. */
export interface ParkedKeys {
  itemWritten(written: ItemWritten): void;
  /** @returns what is missing for a message to leave the retry queue */
  judge(record: SQSRecord): string | undefined;
}

/** Told by the cache alone: what stood when its key was parked must have been taken out since, by whomever. */
export function trackParkedKeys(): ParkedKeys {
  const standsSinceMs = new Map<string, number>();
  return {
    itemWritten({ table, id, old, next, atMs }) {
      if (table !== 'Cache') return;
      if (next === undefined) standsSinceMs.delete(id);
      else if (old === undefined) standsSinceMs.set(id, atMs);
    },
    judge({ body, attributes }) {
      const [, key] = /^\{"key":"([^"\\]+)"\}$/.exec(body) ?? [];
      if (key === undefined) return 'nobody can read it, and no letter says what it was';
      const sinceMs = standsSinceMs.get(key);
      return sinceMs === undefined || sinceMs >= Number(attributes.SentTimestamp) ? undefined : `${key} still stands in the cache`;
    },
  };
}

import type { ControlRow, ControlStore } from './control-store.ts';

export interface CachedRows {
  /** The row as it was at most `maxAgeMs` ago. */
  read(id: string): Promise<ControlRow | undefined>;
  /** The next read asks the table: this process knows that the row has changed. */
  forget(id: string): void;
}

interface Entry {
  readonly readAtMs: number;
  readonly row: Promise<ControlRow | undefined>;
}

/**
 * Reads each row at most once in `maxAgeMs`, however many jobs ask; those who ask meanwhile share the answer. A failed read is
 * not kept.
 *
 * Does not protect against acting on a row that changed within `maxAgeMs`: whoever must not repeats the condition in its write.
 */
export function createCachedRows({
  control,
  nowMs,
  maxAgeMs,
}: {
  control: ControlStore;
  nowMs: () => number;
  maxAgeMs: number;
}): CachedRows {
  const entries = new Map<string, Entry>();
  return {
    read(id) {
      const known = entries.get(id);
      if (known !== undefined && nowMs() - known.readAtMs < maxAgeMs) return known.row;
      const entry: Entry = { readAtMs: nowMs(), row: control.get(id) };
      entries.set(id, entry);
      entry.row.catch(() => {
        if (entries.get(id) === entry) entries.delete(id);
      });
      return entry.row;
    },
    forget: (id) => void entries.delete(id),
  };
}

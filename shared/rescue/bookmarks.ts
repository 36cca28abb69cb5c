import * as z from 'zod';
import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { ControlStore } from '#shared/control/control-store.ts';
import { expiresAtSeconds } from '#shared/control/rows.ts';

/** How far a segment was swept on a day. */
export interface Bookmark {
  readonly done: boolean;
  /** Where to go on; absent at the start. */
  readonly after?: ItemKey | undefined;
}

export interface Bookmarks {
  read(day: string, segment: number): Promise<Bookmark | undefined>;
  write(day: string, segment: number, bookmark: Bookmark): Promise<void>;
}

const bookmarkSchema = z.object({ done: z.boolean(), after: z.object({ pk: z.string(), sk: z.string() }).optional() });
/** The next day's sweep reads it once more. */
const KEPT_MS = 3 * 86_400_000;

export const sweepRow = (day: string, segment: number): string => `sweep:${day}:${segment}`;

/** Rows of the Control table, one a day and segment. Two sweeps at a time repeat each other and skip nothing. */
export const createBookmarks = (control: ControlStore, { nowMs }: { nowMs(): number }): Bookmarks => ({
  async read(day, segment) {
    return bookmarkSchema.optional().parse(await control.get(sweepRow(day, segment)));
  },
  async write(day, segment, bookmark) {
    await control.put(sweepRow(day, segment), { ...bookmark, expiresAt: expiresAtSeconds(nowMs() + KEPT_MS) });
  },
});

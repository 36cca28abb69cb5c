import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { Bookmark, Bookmarks } from './bookmarks.ts';
import { createPacer, type Pacer } from './pacer.ts';
import { type PageTally, type SweepWorld, sweepPage } from './sweep-page.ts';

/** The whole table in parts that can be read side by side, each in an order of its own. */
export interface StateScan {
  page(
    segment: number,
    segments: number,
    after?: ItemKey,
  ): Promise<{ readonly items: readonly ItemImage[]; readonly next?: ItemKey; readonly readUnits: number }>;
}

export interface Sweep {
  readonly scan: StateScan;
  readonly bookmarks: Bookmarks;
  readonly segments: number;
  readonly readUnitsPerSecond: number;
}

/** With less function time than this left, the rest is left to the next run. */
const TIME_TO_FINISH_MS = 15_000;
const DAY_MS = 86_400_000;

export type SweepTally = PageTally & { readonly doneSegments: number };

/**
 * Goes on with today's sweep over the whole table until it is done or the function's time is. What an earlier run, or
 * yesterday's sweep, left over is taken up where it was left: a table too large for one day is swept in turn, never in part.
 *
 * @param remainingMs function time left
 * @throws when a read, a send or a bookmark got no answer; the next run goes on from the last bookmark
 */
export async function sweep(parts: Sweep, world: SweepWorld, remainingMs: () => number): Promise<SweepTally> {
  const pacer = createPacer(parts.readUnitsPerSecond, world.clock);
  const segments = await Promise.allSettled(
    Array.from({ length: parts.segments }, (_, segment) => sweepSegment(segment, parts, world, { pacer, remainingMs })),
  );
  const failed = segments.find((segment) => segment.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const tallies = segments.flatMap((segment) => (segment.status === 'fulfilled' ? segment.value : []));
  return { ...sum(tallies), doneSegments: tallies.filter(({ done }) => done).length };
}

interface Run {
  readonly pacer: Pacer;
  readonly remainingMs: () => number;
}

async function sweepSegment(
  segment: number,
  { scan, bookmarks, segments }: Sweep,
  world: SweepWorld,
  { pacer, remainingMs }: Run,
): Promise<PageTally & { done: boolean }> {
  const today = dayOf(world.clock.nowMs());
  let bookmark = await startOf(today, segment, bookmarks, world);
  const pages: PageTally[] = [];
  while (!bookmark.done && remainingMs() >= TIME_TO_FINISH_MS) {
    await pacer.ready();
    const { items, next, readUnits } = await scan.page(segment, segments, bookmark.after);
    pacer.spend(readUnits);
    pages.push(await sweepPage(items, world, { pacer, occasion: today }));
    // Only now: what a crash in between leaves out would be left out for a day, what it repeats meets its own claim.
    bookmark = next === undefined ? { done: true } : { done: false, after: next };
    await bookmarks.write(today, segment, bookmark);
  }
  return { ...sum(pages), done: bookmark.done };
}

/** A sweep that yesterday did not finish goes on today from where it stands. */
async function startOf(today: string, segment: number, bookmarks: Bookmarks, { clock }: SweepWorld): Promise<Bookmark> {
  const begun = await bookmarks.read(today, segment);
  if (begun !== undefined) return begun;
  const left = await bookmarks.read(dayOf(clock.nowMs() - DAY_MS), segment);
  return left === undefined || left.done ? { done: false } : left;
}

const dayOf = (nowMs: number): string => new Date(nowMs).toISOString().slice(0, 10);

const sum = (tallies: readonly PageTally[]): PageTally => ({
  looked: total(tallies, 'looked'),
  sent: total(tallies, 'sent'),
  refused: total(tallies, 'refused'),
  heldBack: total(tallies, 'heldBack'),
  attemptsOpened: total(tallies, 'attemptsOpened'),
  unreadable: total(tallies, 'unreadable'),
});

const total = (tallies: readonly PageTally[], name: keyof PageTally): number => tallies.reduce((count, tally) => count + tally[name], 0);

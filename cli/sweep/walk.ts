import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlStore } from '#shared/control/control-store.ts';
import { createBookmarks } from '#shared/rescue/bookmarks.ts';
import { CliError } from '../output/cli-error.ts';

export interface WalkWorld {
  readonly control: ControlStore;
  readonly segments: number;
  nowMs(): number;
  /** One run of sweep-state, which goes on where the bookmarks are. */
  run(): Promise<void>;
  onProgress(doneSegments: number): void;
}

/** Nothing was walked in so many runs: it would never be. */
const IDLE_RUNS = 3;
const LOOK_EVERY_MS = 1_000;

/**
 * Walks today's sweep from the start to its end, by the deployed function and its bookmarks.
 *
 * Does not protect against a run of its schedule that is under way at the start: it moves the bookmark to where it is, and what lies
 * before that was walked earlier today.
 */
export async function walkTable({ control, segments, nowMs, run, onProgress }: WalkWorld): Promise<void> {
  const bookmarks = createBookmarks(control, { nowMs });
  const day = (): string => new Date(nowMs()).toISOString().slice(0, 10);
  const all = Array.from({ length: segments }, (_, segment) => segment);
  for (const segment of all) await bookmarks.write(day(), segment, { done: false });
  const read = () => Promise.all(all.map((segment) => bookmarks.read(day(), segment)));
  let before = '';
  for (let idle = 0; idle < IDLE_RUNS; ) {
    await whileLooking(run(), async () => onProgress((await read()).filter((bookmark) => bookmark?.done === true).length));
    const now = await read();
    onProgress(now.filter((bookmark) => bookmark?.done === true).length);
    if (now.every((bookmark) => bookmark?.done === true)) return;
    idle = JSON.stringify(now) === before ? idle + 1 : 0;
    before = JSON.stringify(now);
  }
  throw new CliError('The walk over the table does not advance: its log (sweep-state) says why. Its schedule goes on with it.');
}

async function whileLooking(run: Promise<void>, look: () => Promise<void>): Promise<void> {
  let isOver = false;
  const over = run.finally(() => {
    isOver = true;
  });
  // Awaited at the end; a failure meanwhile must not go unheard until then.
  over.catch(() => undefined);
  while (!isOver) {
    await Promise.race([sleep(LOOK_EVERY_MS), over.catch(() => undefined)]);
    if (!isOver) await look().catch(() => undefined);
  }
  await over;
}

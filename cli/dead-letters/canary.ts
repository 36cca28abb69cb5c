import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { standingOf } from '#shared/dead-letter/standing.ts';
import type { ItemStore } from '#shared/item/item-store.ts';

/** How the letter that went first ended. */
export type CanaryEnd =
  | { readonly state: 'well' }
  /** Given up again, for this reason. */
  | { readonly state: 'letter-again'; readonly reason: string | null }
  | { readonly state: 'no-end-yet'; readonly lastError: string | null }
  | { readonly state: 'broken-off' };

export interface Canary {
  readonly messageId: string;
  readonly key: string;
  readonly end: CanaryEnd;
}

interface Watching {
  readonly store: Pick<ItemStore, 'read'>;
  readonly withinMs: number;
  readonly signal: AbortSignal;
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
  nowMs(): number;
}

const LOOK_EVERY_MS = 500;

/** Whether a letter can show anything: its operation stands on an item. */
export const canGoFirst = ({ job }: DeadLetter): boolean => job !== undefined;

/** Looks at the item of a replayed letter until its operation has ended, or the time is up. */
export async function watchCanary({ job }: DeadLetter, { store, withinMs, signal, sleep, nowMs }: Watching): Promise<CanaryEnd> {
  if (job === undefined) return { state: 'no-end-yet', lastError: null };
  const deadlineMs = nowMs() + withinMs;
  while (!signal.aborted) {
    const image = await store.read(job.target.key);
    const standing = standingOf(job, image);
    if (standing.kind === 'completed') return { state: 'well' };
    if (standing.kind === 'discarded') return { state: 'letter-again', reason: standing.record.reason ?? null };
    if (nowMs() >= deadlineMs)
      return { state: 'no-end-yet', lastError: typeof image?.['lastError'] === 'string' ? image['lastError'] : null };
    await sleep(LOOK_EVERY_MS, signal);
  }
  return { state: 'broken-off' };
}

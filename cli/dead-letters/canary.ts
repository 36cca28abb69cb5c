import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { standingOf } from '#shared/dead-letter/standing.ts';
import { attemptsSpent, type ItemImage } from '#shared/item/attributes.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { HeldBack } from './held-back.ts';

/** How the letter that went first ended. */
export type CanaryEnd =
  | { readonly state: 'well' }
  /** Given up again, for this reason. */
  | { readonly state: 'letter-again'; readonly reason: string | null }
  /** `lastError`: of an attempt made since; `heldBack`: why none is made, where something holds its kind back. */
  | { readonly state: 'no-end-yet'; readonly lastError: string | null; readonly heldBack: HeldBack | null }
  | { readonly state: 'broken-off' };

export interface Canary {
  readonly messageId: string;
  readonly key: string;
  readonly end: CanaryEnd;
}

interface Watching {
  readonly store: Pick<ItemStore, 'read'>;
  /** Why jobs of a kind are not begun now. */
  heldBack(kind: string): Promise<HeldBack | undefined>;
  readonly withinMs: number;
  readonly signal: AbortSignal;
  sleep(durationMs: number, signal: AbortSignal): Promise<void>;
  nowMs(): number;
}

const LOOK_EVERY_MS = 500;

/** Whether a letter can show anything: its operation stands on an item. */
export const canGoFirst = ({ job }: DeadLetter): boolean => job !== undefined;

/** Looks at the item of a replayed letter until its operation has ended, or the time is up. */
export async function watchCanary({ job }: DeadLetter, { store, heldBack, withinMs, signal, sleep, nowMs }: Watching): Promise<CanaryEnd> {
  if (job === undefined) return { state: 'no-end-yet', lastError: null, heldBack: null };
  const deadlineMs = nowMs() + withinMs;
  while (!signal.aborted) {
    const image = await store.read(job.target.key);
    const standing = standingOf(job, image);
    if (standing.kind === 'completed') return { state: 'well' };
    if (standing.kind === 'discarded') return { state: 'letter-again', reason: standing.record.reason ?? null };
    const held = await heldBack(job.definition.kind);
    // A pause ends when somebody ends it; an open circuit may close within the time.
    if (held?.by === 'pause' || nowMs() >= deadlineMs)
      return { state: 'no-end-yet', lastError: lastErrorOf(image, job.target.operation), heldBack: held ?? null };
    await sleep(LOOK_EVERY_MS, signal);
  }
  return { state: 'broken-off' };
}

/** Opened again, an operation has spent nothing; what is older on the item says nothing about the replay. */
function lastErrorOf(image: ItemImage | undefined, operation: string): string | null {
  const lastError = image?.['lastError'];
  return image !== undefined && attemptsSpent(image, operation) > 0 && typeof lastError === 'string' ? lastError : null;
}

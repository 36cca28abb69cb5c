import type { ItemImage } from '#shared/item/attributes.ts';
import { type DeadLetter, isOfNewerCode, replaysOf } from './read-letter.ts';
import { standingOf } from './standing.ts';

/** Why a letter is not replayed; each of them but the first can be discarded instead. */
export type ReplayRefusal =
  /** Newer code wrote it. Sent unread it would meet its own end on the item and be acknowledged as a duplicate; the tool of the deployed version reads it. */
  | 'unsupported-version'
  /** Its operation is done: nothing is left to do. */
  | 'already-completed'
  /** The order is at a later attempt by now. */
  | 'superseded'
  /** Its key belongs to another payload, which it would arm again in place of its own. */
  | 'payload-mismatch'
  /** The business object is not there; the message would be back as a letter at once. */
  | 'item-not-found'
  /** People have brought it back as often as they wanted to: whatever it fails for is not mended. */
  | 'replayed-too-often';

export type ReplayPlan =
  | { readonly act: 'refuse'; readonly code: ReplayRefusal }
  /** The operation was given up: it is opened again, with a fresh budget of attempts. */
  | { readonly act: 'rearm-and-send'; readonly fence: number }
  | { readonly act: 'send' };

/**
 * What a replay does with a letter, from its item alone. An unknown outcome needs nothing of its own: `sent:` stays on the item,
 * and the worker asks before it calls.
 */
export function planReplay(letter: DeadLetter, image: ItemImage | undefined, mostReplays = Number.POSITIVE_INFINITY): ReplayPlan {
  const plan = planByItem(letter, image);
  return plan.act !== 'refuse' && replaysOf(letter) >= mostReplays ? { act: 'refuse', code: 'replayed-too-often' } : plan;
}

function planByItem(letter: DeadLetter, image: ItemImage | undefined): ReplayPlan {
  const { job } = letter;
  if (isOfNewerCode(letter)) return { act: 'refuse', code: 'unsupported-version' };
  // Nothing on any item knows of it.
  if (job === undefined) return { act: 'send' };
  const standing = standingOf(job, image);
  switch (standing.kind) {
    case 'completed':
      return { act: 'refuse', code: 'already-completed' };
    case 'superseded':
      return { act: 'refuse', code: 'superseded' };
    case 'other-intent':
      return { act: 'refuse', code: 'payload-mismatch' };
    case 'no-item':
      // A job with an item of its own brings it into being by its first claim.
      return job.target.own ? { act: 'send' } : { act: 'refuse', code: 'item-not-found' };
    case 'discarded':
      return { act: 'rearm-and-send', fence: standing.record.fence };
    case 'ahead':
    case 'open':
      return { act: 'send' };
  }
}

import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';

/** A job that an item's state calls for, ready to be sent. */
export interface ImpliedJob {
  readonly message: JobMessage;
  /** The message as text: as its first claim stored it, or made anew. */
  readonly body: string;
}

/** A job whose own item says whether it ever began; sent only while there is none, so that nothing is handed out twice. */
export interface FollowUp {
  readonly job: ImpliedJob;
  readonly ownItem: ItemKey;
  /** When it was set off, milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** A declined order that opens its next payment attempt by itself. */
export interface ScheduledAttempt {
  readonly userId: string;
  readonly orderId: string;
  /** The attempt that was declined. */
  readonly attempt: number;
  readonly atMs: number;
}

/** Everything that is still to happen with an item. All empty: the item is at rest. */
export interface ImpliedWork {
  /** Begun or called for, and not finished. */
  readonly jobs: readonly ImpliedJob[];
  /** Set off by a finished operation, on items of their own. */
  readonly followUps: readonly FollowUp[];
  readonly scheduledAttempt?: ScheduledAttempt | undefined;
}

export const NO_WORK: ImpliedWork = { jobs: [], followUps: [] };

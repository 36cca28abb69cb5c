import type { ItemImage } from '#shared/item/attributes.ts';
import type { LeaseHolder } from '#shared/item/conditions.ts';
import type { ItemWrite } from '#shared/item/expression.ts';
import type { ClaimIdentity } from '#shared/item/refusal.ts';
import type { Verdict } from '#shared/retry/verdict.ts';

/** One execution's writes, as the persistence layer needs them; built in shared/worker/job-execution.ts. */
export interface ItemProtocol {
  readonly operation: string;
  readonly identity: ClaimIdentity;
  claim(): ItemWrite;
  /** The claim stands; `image` is the item as it left it. */
  began(image: ItemImage): void;
  /** Owner and fence of this execution, known once it began. */
  readonly holder: LeaseHolder;
  /** The job's own item first, then what changes with it. */
  commit(): readonly ItemWrite[];
  /** Why the wrapped function threw. */
  readonly verdict: Verdict;
  settlementOf(verdict: Verdict): Settlement;
}

/** How an execution without an answer ends on the item, and what then becomes of its message. */
export interface Settlement {
  readonly kind: 'retry' | 'unknown' | 'deferred' | 'discard';
  readonly code: string;
  /** What stopped the run, where the code is the weightier fact that an outcome stayed open. */
  readonly detail?: string;
  readonly write: ItemWrite;
  /** Until the message comes back. */
  readonly delayMs: number;
}

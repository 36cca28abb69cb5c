import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { ItemImage } from './attributes.ts';
import type { ItemWrite, WriteAnswer } from './expression.ts';

/** The table refused the write itself, not its condition: too large, or an expression that makes no sense there. No repetition helps. */
export class WriteNeverPossible extends Error {
  readonly code = 'write-never-possible';
  override readonly name = 'WriteNeverPossible';
}

/** The State table. Resolves for accepted and for refused; throws only when there is no answer. */
export interface ItemStore {
  /** Sends one conditional write. */
  write(write: ItemWrite): Promise<WriteAnswer>;
  /** Sends several, all or none; the answer is about the first. */
  writeTogether(writes: readonly ItemWrite[]): Promise<WriteAnswer>;
  /** Strongly consistent. */
  read(key: ItemKey): Promise<ItemImage | undefined>;
}

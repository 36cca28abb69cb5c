import type { ItemWrite, WriteAnswer } from './expression.ts';

/** Sends one conditional write. Resolves for accepted and for refused; throws only when there is no answer. */
export interface ItemStore {
  write(write: ItemWrite): Promise<WriteAnswer>;
}

import type { ItemKey } from '#shared/contract/item-keys.ts';
import { type LeaseHolder, leaseIsMine } from './conditions.ts';
import { type ItemWrite, updateWrite } from './expression.ts';

/** Moves the deadline while the run makes progress; sent together with the message's longer visibility. */
export const extendWrite = (key: ItemKey, holder: LeaseHolder, leaseUntilMs: number): ItemWrite =>
  updateWrite(key, { set: { leaseUntilMs } }, leaseIsMine(holder));

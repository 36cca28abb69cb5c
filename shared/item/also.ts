import type { ItemKey } from '#shared/contract/item-keys.ts';
import { refuseProtocolAttributes } from './commit.ts';
import { isAtLeast, leaseIsFree } from './conditions.ts';
import { allOf, type ItemWrite, updateWrite } from './expression.ts';

export interface AlsoChange {
  readonly key: ItemKey;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly add?: Readonly<Record<string, number>>;
  readonly atLeast?: { readonly attribute: string; readonly value: number };
}

/**
 * Another item's part of a transactional commit. It carries a request's conditions and effects: only a free item is written,
 * its fence and version rise, and it stays free, so that no owner is overrun and the stream lets the change through.
 *
 * @throws RangeError when the change names an attribute of the protocol
 */
export function alsoWrite({ key, set = {}, add = {}, atLeast }: AlsoChange, nowMs: number): ItemWrite {
  refuseProtocolAttributes({ set: { ...set, ...add } }, 'a change of another item');
  return updateWrite(
    key,
    { set: { ...set, lease: 'free' }, add: { ...add, version: 1, fence: 1 }, remove: ['outbox', 'outboxAtMs'] },
    allOf(leaseIsFree(nowMs), atLeast !== undefined && isAtLeast(atLeast.attribute, atLeast.value)),
  );
}

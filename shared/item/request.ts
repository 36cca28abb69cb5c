import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { FREED, refuseProtocolAttributes } from './commit.ts';
import { attributeIs, captureIsSettled, leaseIsFree } from './conditions.ts';
import { allOf, type ItemWrite, updateWrite } from './expression.ts';

export interface BusinessRequest {
  readonly key: ItemKey;
  readonly fromStatus: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /** The capture that must not be under way. */
  readonly captureOperation: string;
  readonly outbox: readonly JobMessage[];
  readonly nowMs: number;
}

/**
 * A customer's wish on an item no job holds: pay again, refund. Raising the fence locks out an owner whose lease has passed.
 * A refusal means busy or out of turn, never lost.
 *
 * @throws RangeError when the wish names an attribute of the protocol
 */
export function requestWrite({ key, fromStatus, set, remove = [], captureOperation, outbox, nowMs }: BusinessRequest): ItemWrite {
  refuseProtocolAttributes({ set, remove }, 'a request');
  return updateWrite(
    key,
    { set: { ...set, ...FREED.set, outbox, outboxAtMs: nowMs }, add: { version: 1, fence: 1 }, remove: [...FREED.remove, ...remove] },
    allOf(leaseIsFree(nowMs), attributeIs('status', fromStatus), captureIsSettled(captureOperation)),
  );
}

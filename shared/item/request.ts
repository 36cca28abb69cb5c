import type { ItemKey } from '#shared/contract/item-keys.ts';
import { MAX_OPERATIONS_PER_ORDER } from '#shared/contract/limits.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { attemptsAttribute, dueAttribute, operationAttribute, requestAttribute } from './attributes.ts';
import { FREED, OVERDUE_ATTRIBUTES, refuseProtocolAttributes } from './commit.ts';
import { attributeIs, captureIsSettled, hasRoomForRequests, type ItemNumber, isAt, isNewRequest, leaseIsFree } from './conditions.ts';
import { allOf, type ItemWrite, updateWrite } from './expression.ts';

export interface BusinessRequest {
  readonly key: ItemKey;
  /** Names the wish: hash of the caller's idempotency key. */
  readonly requestId: string;
  /** Who wrote it, so that the SDK's repetition of our own write is told from a second request. */
  readonly token: string;
  readonly fromStatus: string;
  /** A number the wish was decided on, e.g. the payment attempt. */
  readonly at: ItemNumber;
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  /**
   * The operation this wish opens. A table put back to an earlier day may hold it as discarded ("not opened yet"); it starts anew,
   * and `sent:` stays, so that it asks first.
   */
  readonly opens: string;
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
export function requestWrite(request: BusinessRequest): ItemWrite {
  const { key, requestId, token, fromStatus, at, set, remove = [], opens, captureOperation, outbox, nowMs } = request;
  refuseProtocolAttributes({ set, remove }, 'a request');
  return updateWrite(
    key,
    {
      set: { ...set, ...FREED.set, [requestAttribute(requestId)]: token, outbox, outboxAtMs: nowMs },
      add: { version: 1, fence: 1, requests: 1 },
      remove: [...FREED.remove, ...OVERDUE_ATTRIBUTES, operationAttribute(opens), attemptsAttribute(opens), dueAttribute(opens), ...remove],
    },
    allOf(
      leaseIsFree(nowMs),
      attributeIs('status', fromStatus),
      isAt(at),
      captureIsSettled(captureOperation),
      isNewRequest(requestAttribute(requestId)),
      hasRoomForRequests(MAX_OPERATIONS_PER_ORDER - 1),
    ),
  );
}

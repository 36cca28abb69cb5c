import type { ItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import {
  attemptsAttribute,
  dueAttribute,
  intentAttribute,
  isProtocolAttribute,
  type OperationRecord,
  operationAttribute,
  sentAttribute,
} from './attributes.ts';
import { ownItemExpiresAt } from './claim.ts';
import { attributeIs, type LeaseHolder, leaseIsMine } from './conditions.ts';
import { allOf, type Effect, type ItemWrite, updateWrite } from './expression.ts';

/** Freeing an item: the stream's filter lets through what is `free`, and nobody's name stays behind. */
export const FREED = { set: { lease: 'free' }, remove: ['leaseOwner', 'leaseOp', 'leaseUntilMs'] } as const;

/** All overdue items are found under one key; they are few, healthy jobs never enter the index. */
export const OVERDUE_SHARD = '0';

export const OVERDUE_ATTRIBUTES = ['overdueShard', 'overdueAtMs', 'lastError'] as const;

export interface CommitRequest {
  readonly key: ItemKey;
  readonly operation: string;
  readonly holder: LeaseHolder;
  readonly record: OperationRecord;
  readonly change?: { readonly set?: Readonly<Record<string, unknown>>; readonly remove?: readonly string[] } | undefined;
  readonly outbox: readonly JobMessage[];
  readonly guard?: { readonly attribute: string; readonly equals: string } | undefined;
  /** Another operation of the item is unfinished; its overdue mark is not ours to erase. */
  readonly keepOverdue: boolean;
  /** The job's own item: its life is renewed. */
  readonly ownItem: boolean;
  /** Nothing of the business changed (an obsolete job): recorded only. */
  readonly recordOnly: boolean;
  /** When the rescue shall look at the item again by itself. */
  readonly wakeAtMs?: number | undefined;
  readonly nowMs: number;
}

/**
 * State, record of the operation, outbox and release of the lease, together or not at all.
 *
 * @throws RangeError when the change names an attribute of the protocol
 */
export function commitWrite(request: CommitRequest): ItemWrite {
  const { key, operation, holder, record, guard } = request;
  return updateWrite(
    key,
    commitEffect(request),
    allOf(leaseIsMine(holder), guard !== undefined && !request.recordOnly && attributeIs(guard.attribute, guard.equals)),
  );

  function commitEffect({ change = {}, outbox, keepOverdue, ownItem, recordOnly, wakeAtMs, nowMs }: CommitRequest): Effect {
    refuseProtocolAttributes(change, "a job's change");
    return {
      set: {
        ...change.set,
        ...FREED.set,
        [operationAttribute(operation)]: record,
        ...(outbox.length > 0 ? { outbox, outboxAtMs: nowMs } : {}),
        ...(ownItem ? { expiresAt: ownItemExpiresAt(nowMs) } : {}),
        ...(wakeAtMs === undefined ? {} : { overdueShard: OVERDUE_SHARD, overdueAtMs: wakeAtMs }),
      },
      ...(recordOnly ? {} : { add: { version: 1 } }),
      remove: [
        ...FREED.remove,
        ...(change.remove ?? []),
        attemptsAttribute(operation),
        sentAttribute(operation),
        dueAttribute(operation),
        intentAttribute(operation),
        ...(keepOverdue ? [] : wakeAtMs === undefined ? OVERDUE_ATTRIBUTES : ['lastError']),
      ],
    };
  }
}

type DomainChange = { readonly set?: Readonly<Record<string, unknown>>; readonly remove?: readonly string[] };

/** @throws RangeError naming the attributes of the protocol that a change from outside the protocol would touch */
export function refuseProtocolAttributes({ set = {}, remove = [] }: DomainChange, whose: string): void {
  const touched = [...Object.keys(set), ...remove].filter(isProtocolAttribute);
  if (touched.length > 0) throw new RangeError(`${whose} may not touch ${touched.join(', ')}: the protocol writes them`);
}

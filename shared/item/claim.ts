import type { ItemKey } from '#shared/contract/item-keys.ts';
import { OWN_ITEM_RETENTION_DAYS } from '#shared/contract/limits.ts';
import { attemptsAttribute, intentAttribute, sentAttribute } from './attributes.ts';
import { type ItemNumber, isAt, isDue, isSameIntent, itemExists, leaseIsFree, operationIsOpen } from './conditions.ts';
import { allOf, type ItemWrite, updateWrite } from './expression.ts';

export interface ClaimRequest {
  readonly key: ItemKey;
  readonly operation: string;
  readonly owner: string;
  readonly intentHash: string;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  /** What the item must show for the job to be its current one. */
  readonly current?: ItemNumber | undefined;
  /** The job's own item: created by its first claim, keeps the message so that a rescue can send it again. Absent for business objects. */
  readonly ownItemMessage?: string | undefined;
}

export const ownItemExpiresAt = (nowMs: number): number => Math.floor(nowMs / 1000) + OWN_ITEM_RETENTION_DAYS * 86_400;

/**
 * Takes the lease and spends an attempt, in one write and without a read. The outbox of an earlier write goes: its stream
 * record has carried it out, and a claim must not carry it again.
 */
export function claimWrite(request: ClaimRequest): ItemWrite {
  const { key, operation, owner, intentHash, nowMs, leaseUntilMs, current, ownItemMessage } = request;
  const ownItem = ownItemMessage !== undefined;
  return updateWrite(
    key,
    {
      set: {
        lease: 'held',
        leaseOwner: owner,
        leaseOp: operation,
        leaseUntilMs,
        ...(ownItem ? { message: ownItemMessage, expiresAt: ownItemExpiresAt(nowMs) } : {}),
      },
      setIfAbsent: { [intentAttribute(operation)]: intentHash, version: 0 },
      add: { [attemptsAttribute(operation)]: 1, [sentAttribute(operation)]: 1, fence: 1 },
      remove: ['outbox', 'outboxAtMs'],
    },
    allOf(
      !ownItem && itemExists,
      operationIsOpen(operation),
      current !== undefined && isAt(current),
      leaseIsFree(nowMs),
      isDue(operation, nowMs),
      isSameIntent(operation, intentHash),
    ),
  );
}

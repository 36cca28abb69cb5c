import { dueAttribute, fenceOf, type ItemImage, intentAttribute, type OperationRecord, operationRecord } from './attributes.ts';
import type { ItemNumber, LeaseHolder } from './conditions.ts';

/** Why a claim was refused, read from the item that refused it. */
export type ClaimRefusal =
  /** The SDK repeated our own write, which had been applied: go on as the owner. */
  | { readonly kind: 'ours'; readonly image: ItemImage }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'payload-mismatch' }
  | { readonly kind: 'completed'; readonly record: OperationRecord; readonly image: ItemImage }
  | { readonly kind: 'discarded'; readonly record: OperationRecord; readonly image: ItemImage }
  /** The item is not at the number yet that the job was made for: not a word of it may be written there. */
  | { readonly kind: 'ahead' }
  /** The number is none; only a person can say what it was. */
  | { readonly kind: 'unreadable' }
  /** The item has moved on. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'busy'; readonly sameOperation: boolean; readonly leaseUntilMs: number }
  | { readonly kind: 'early'; readonly dueAtMs: number }
  /** Nothing stands in the way any more: freed or due between the two looks. */
  | { readonly kind: 'changed-meanwhile' };

export interface ClaimIdentity {
  readonly operation: string;
  readonly owner: string;
  readonly intentHash: string;
  readonly nowMs: number;
  readonly current?: ItemNumber | undefined;
}

/** Order matters: our own write first, then a changed payload before any stored answer is given out. */
export function readClaimRefusal(
  old: ItemImage | undefined,
  { operation, owner, intentHash, nowMs, current }: ClaimIdentity,
): ClaimRefusal {
  if (old === undefined) return { kind: 'not-found' };
  if (old.lease === 'held' && old.leaseOwner === owner && old.leaseOp === operation) return { kind: 'ours', image: old };
  const record = operationRecord(old, operation);
  const storedHash = record?.hash ?? old[intentAttribute(operation)];
  if (storedHash !== undefined && storedHash !== intentHash) return { kind: 'payload-mismatch' };
  if (record !== undefined) return { kind: record.status, record, image: old };
  if (current !== undefined && old[current.attribute] !== current.value) {
    const stored = old[current.attribute];
    if (stored !== undefined && typeof stored !== 'number') return { kind: 'unreadable' };
    return { kind: stored !== undefined && stored > current.value ? 'superseded' : 'ahead' };
  }
  if (old.lease === 'held' && typeof old.leaseUntilMs === 'number' && old.leaseUntilMs >= nowMs) {
    return { kind: 'busy', sameOperation: old.leaseOp === operation, leaseUntilMs: old.leaseUntilMs };
  }
  const dueAtMs = old[dueAttribute(operation)];
  if (typeof dueAtMs === 'number' && dueAtMs > nowMs) return { kind: 'early', dueAtMs };
  return { kind: 'changed-meanwhile' };
}

/** Why a commit, settle or discard was refused. */
export type LateRefusal =
  /** Our commit stands: the SDK repeated it, or its answer was lost. */
  | 'committed'
  /** Our discard stands, the same way. */
  | 'discarded'
  /** Our release stands, the same way. */
  | 'freed'
  /** Lease and fence are ours, so it was the business guard: free the item, retry. */
  | 'guard-failed'
  /** A successor holds or has finished the item: change nothing. */
  | 'fenced';

export function readLateRefusal(old: ItemImage | undefined, operation: string, holder: LeaseHolder): LateRefusal {
  if (old === undefined) return 'fenced';
  const record = operationRecord(old, operation);
  if (record?.by === holder.owner) return record.status === 'completed' ? 'committed' : 'discarded';
  if (fenceOf(old) !== holder.fence) return 'fenced';
  if (old.leaseOwner === holder.owner) return 'guard-failed';
  // Every claim and every request raises the fence, so at ours nobody but us can have freed the item.
  return old.lease === 'free' && record === undefined ? 'freed' : 'fenced';
}

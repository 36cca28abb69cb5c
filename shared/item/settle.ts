import type { ItemKey } from '#shared/contract/item-keys.ts';
import { attemptsAttribute, dueAttribute, type OperationRecord, operationAttribute, sentAttribute } from './attributes.ts';
import { FREED, OVERDUE_SHARD } from './commit.ts';
import { discardIsBy, type LeaseHolder, leaseIsMine } from './conditions.ts';
import { type ItemWrite, updateWrite } from './expression.ts';

export interface SettleRequest {
  readonly key: ItemKey;
  readonly operation: string;
  readonly holder: LeaseHolder;
  /** Not before this moment may any copy of the job claim again. */
  readonly dueAtMs: number;
  /** The attempt is known not to have reached the provider. */
  readonly notSent: boolean;
  /** The run was put off, not failed: its attempt is given back. */
  readonly deferred: boolean;
  /** Code of the failure; absent for a deferral. */
  readonly lastError?: string | undefined;
  /** When the rescue may conclude that the message itself is gone; absent for a deferral. */
  readonly overdueAtMs?: number | undefined;
}

/** Releases after a run without an answer. */
export const settleWrite = ({ key, operation, holder, dueAtMs, notSent, deferred, lastError, overdueAtMs }: SettleRequest): ItemWrite =>
  updateWrite(
    key,
    {
      set: {
        ...FREED.set,
        [dueAttribute(operation)]: dueAtMs,
        ...(lastError === undefined ? {} : { lastError }),
        ...(overdueAtMs === undefined ? {} : { overdueShard: OVERDUE_SHARD, overdueAtMs }),
      },
      add: { ...(notSent ? { [sentAttribute(operation)]: -1 } : {}), ...(deferred ? { [attemptsAttribute(operation)]: -1 } : {}) },
      remove: FREED.remove,
    },
    leaseIsMine(holder),
  );

export interface DiscardRequest {
  readonly key: ItemKey;
  readonly operation: string;
  readonly holder: LeaseHolder;
  readonly record: OperationRecord;
  readonly notSent: boolean;
  readonly overdueAtMs: number;
}

/**
 * Ends the operation without an answer, before its letter is sent: a crash in between only repeats the letter, and the overdue
 * mark makes up for a letter that was never sent. `sent:` stays, a later replay must know that a charge may be out.
 */
export const discardWrite = ({ key, operation, holder, record, notSent, overdueAtMs }: DiscardRequest): ItemWrite =>
  updateWrite(
    key,
    {
      set: {
        ...FREED.set,
        [operationAttribute(operation)]: record,
        lastError: record.reason ?? 'discarded',
        overdueShard: OVERDUE_SHARD,
        overdueAtMs,
      },
      add: notSent ? { [sentAttribute(operation)]: -1 } : {},
      remove: FREED.remove,
    },
    leaseIsMine(holder),
  );

/**
 * The letter is out; only now may the message be acknowledged. Nested, so the record keeps its other fields. A run that was held up
 * after its letter may come when a replay has opened the operation again and another run has discarded it: that one's letter is not out.
 *
 * @param by whose discard the letter is about
 * @param keepOverdue another operation of the item is unfinished; its overdue mark is not ours to erase
 */
export function buriedWrite(key: ItemKey, operation: string, { by, keepOverdue }: { by: string; keepOverdue: boolean }): ItemWrite {
  const write = updateWrite(key, { remove: keepOverdue ? [] : ['overdueShard', 'overdueAtMs'] }, discardIsBy(operation, by));
  const names = { ...write.names, '#operation': operationAttribute(operation), '#buried': 'buried' };
  return {
    ...write,
    update: `SET #operation.#buried = :buried ${write.update}`.trimEnd(),
    names,
    values: { ...write.values, ':buried': true },
  };
}

import {
  type CancellationReason,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { ItemWrite, WriteAnswer } from '#shared/item/expression.ts';
import { WriteNeverPossible } from '#shared/item/item-store.ts';
import { fromAttributeValues, toAttributeValues } from './attribute-values.ts';
import { conditionOf } from './condition-of.ts';

/** Tries in place when another transaction touched the same item at the same moment. */
const CONFLICT_TRIES = 3;

/** No repetition makes the table take such a write. */
const WRONG_FOR_GOOD = ['ValidationError', 'ItemCollectionSizeLimitExceeded'];

/** Waits before the next try; with some chance in it, or those who met once meet again. */
export type PauseAfterConflict = (tries: number) => Promise<void>;

/**
 * All writes or none. The whole list of cancellation reasons is judged, never one of them alone: a failed condition decides, a
 * conflict is tried again, anything else is no answer and goes to the retry schedule.
 *
 * @throws WriteNeverPossible when the table can never take one of the writes
 * @throws when the table gave no answer
 */
export async function writeTogether(
  client: DynamoDBClient,
  tableName: string,
  writes: readonly ItemWrite[],
  pause: PauseAfterConflict,
): Promise<WriteAnswer> {
  const request = { TransactItems: writes.map((write) => transactItem(tableName, write)) };
  for (let tries = 1; ; tries++) {
    try {
      await client.send(new TransactWriteItemsCommand(request));
      return { accepted: true, image: {} };
    } catch (error) {
      const refusal = refusalIn(error, tries === CONFLICT_TRIES);
      if (refusal !== undefined) return refusal;
      await pause(tries);
    }
  }
}

/**
 * @returns undefined when the same request may well pass in a moment
 * @throws what came, or WriteNeverPossible
 */
function refusalIn(error: unknown, isLastTry: boolean): WriteAnswer | undefined {
  if (!(error instanceof TransactionCanceledException)) throw error;
  const judged = judgeCancellation(error.CancellationReasons ?? []);
  if (judged === 'never')
    throw new WriteNeverPossible('the table can never take this write; look at what the job changes', { cause: error });
  if (judged === 'no-answer') throw error;
  if (judged.conflict && !isLastTry) return undefined;
  if (judged.refusal === undefined) throw error;
  return judged.refusal;
}

/** What a list of reasons says as a whole. */
export type Judgement =
  /** Refused, or met another transaction, or both: then the refusal may be that one's doing, and is believed at the last try only. */
  { readonly refusal: WriteAnswer | undefined; readonly conflict: boolean } | 'never' | 'no-answer';

export function judgeCancellation(reasons: readonly CancellationReason[]): Judgement {
  const codes = new Set(reasons.map(({ Code }) => Code ?? 'None'));
  codes.delete('None');
  const others = [...codes].filter((code) => code !== 'ConditionalCheckFailed' && code !== 'TransactionConflict');
  if (codes.size === 0 || others.some((code) => !WRONG_FOR_GOOD.includes(code))) return 'no-answer';
  // A refusal beside it says more: the write that could never be made is then not ours to make any more.
  if (others.length > 0 && !codes.has('ConditionalCheckFailed')) return 'never';
  return { refusal: codes.has('ConditionalCheckFailed') ? refusalOf(reasons) : undefined, conflict: codes.has('TransactionConflict') };
}

function refusalOf([own]: readonly CancellationReason[]): WriteAnswer {
  if (own?.Code !== 'ConditionalCheckFailed') return { accepted: false, old: undefined, otherRefused: true };
  return { accepted: false, old: own.Item === undefined ? undefined : fromAttributeValues(own.Item) };
}

function transactItem(tableName: string, write: ItemWrite): TransactWriteItem {
  const common = conditionOf(tableName, write);
  if (write.item !== undefined) return { Put: { ...common, Item: toAttributeValues(write.item) } };
  return { Update: { ...common, Key: toAttributeValues({ ...write.key }), UpdateExpression: write.update } };
}

import {
  attemptsSpent,
  fenceOf,
  hasOtherUnfinishedOperation,
  type ItemImage,
  intentAttribute,
  operationAttribute,
} from '#shared/item/attributes.ts';
import { ownItemExpiresAt } from '#shared/item/claim.ts';
import { FREED } from '#shared/item/commit.ts';
import { isAt, itemExists, leaseIsFree, operationIsOpen, orderIsNew } from '#shared/item/conditions.ts';
import { allOf, type ItemWrite, putWrite, updateWrite } from '#shared/item/expression.ts';
import { buriedWrite } from '#shared/item/settle.ts';
import type { LetterJob } from './read-letter.ts';
import { intentOf, type Standing } from './standing.ts';

/** The code that stays on the item of a job a person gave up. */
export const DISCARDED_BY_OPERATOR = 'discarded-by-operator';

export interface Ending {
  /** Names this act among others. */
  readonly by: string;
  readonly nowMs: number;
}

/**
 * What keeps a discarded job discarded. Rescue and sweep derive jobs from an item's state: an order that awaits payment calls for
 * its capture, a completed capture for its receipt, a job's own item for itself. All of them stop at an operation that is
 * discarded and buried, so a letter whose operation is neither (SQS moved it, no code ever ended it; the worker died before it
 * marked the letter as out) gets both before it is deleted.
 *
 * @returns undefined when nothing has to be written: it is ended already, or it is not this letter's to end
 */
export function endWrite(job: LetterJob, standing: Standing, image: ItemImage | undefined, ending: Ending): ItemWrite | undefined {
  const { key, operation, own } = job.target;
  if (standing.kind === 'no-item') return own ? endNeverBegun(job, ending) : undefined;
  if (image === undefined) return undefined;
  const record = standing.kind === 'discarded' || standing.kind === 'superseded' ? standing.record : undefined;
  if (record?.buried === true) return undefined;
  if (record !== undefined)
    return buriedWrite(key, operation, { by: record.by, keepOverdue: hasOtherUnfinishedOperation(image, operation) });
  // An attempt the item has not come to yet may still be opened by a customer, and must not meet a closed door then.
  return standing.kind === 'open' || standing.kind === 'superseded' ? endOpen(job, image, ending) : undefined;
}

/**
 * The fence rises and the lease goes, so that an owner that wakes up late commits nothing over it; the item is as it was looked
 * at, so that a worker which came between is not overrun.
 */
function endOpen(job: LetterJob, image: ItemImage, { by, nowMs }: Ending): ItemWrite {
  const { key, operation, own } = job.target;
  const fence = fenceOf(image);
  return updateWrite(
    key,
    {
      set: {
        ...FREED.set,
        [operationAttribute(operation)]: recordOf(job, { by, nowMs }, fence + 1, attemptsSpent(image, operation)),
        lastError: DISCARDED_BY_OPERATOR,
        ...(own ? { expiresAt: ownItemExpiresAt(nowMs) } : {}),
      },
      add: { fence: 1 },
      remove: [...FREED.remove, ...(hasOtherUnfinishedOperation(image, operation) ? [] : ['overdueShard', 'overdueAtMs'])],
    },
    allOf(itemExists, operationIsOpen(operation), leaseIsFree(nowMs), isAt({ attribute: 'fence', value: fence })),
  );
}

/** A follow-up is sent as long as there is no item to say that it began. */
function endNeverBegun(job: LetterJob, ending: Ending): ItemWrite {
  const { key, operation } = job.target;
  return putWrite(
    key,
    {
      version: 0,
      fence: 1,
      ...FREED.set,
      message: job.body,
      expiresAt: ownItemExpiresAt(ending.nowMs),
      [intentAttribute(operation)]: intentOf(job),
      [operationAttribute(operation)]: recordOf(job, ending, 1, 0),
      lastError: DISCARDED_BY_OPERATOR,
    },
    orderIsNew,
  );
}

const recordOf = (job: LetterJob, { by, nowMs }: Ending, fence: number, tries: number) => ({
  status: 'discarded' as const,
  reason: DISCARDED_BY_OPERATOR,
  hash: intentOf(job),
  atMs: nowMs,
  by,
  fence,
  tries,
  buried: true,
});

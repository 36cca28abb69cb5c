import { dueAttribute, intentAttribute, operationAttribute, sentAttribute } from './attributes.ts';
import type { Condition } from './expression.ts';

/** Each sentence the protocol's writes stand on, with who could come between without it. */

/** A repeated POST meets the order its first one made. */
export const orderIsNew: Condition = (x) => `attribute_not_exists(${x.name('pk')})`;

/** A job of a business object never brings that object into being. */
export const itemExists: Condition = (x) => `attribute_exists(${x.name('pk')})`;

/** A duplicate finds the record of the first run and stops. */
export const operationIsOpen =
  (operation: string): Condition =>
  (x) =>
    `attribute_not_exists(${x.name(operationAttribute(operation))})`;

/** A second worker comes in only after the first freed the item, or after its deadline: a dead owner blocks nobody for good. */
export const leaseIsFree =
  (nowMs: number): Condition =>
  (x) =>
    `(attribute_not_exists(${x.name('lease')}) OR ${x.name('lease')} = ${x.value('free')} OR ${x.name('leaseUntilMs')} < ${x.value(nowMs)})`;

/** The backoff belongs to the job: six copies of one message wait once, they do not burn six attempts. */
export const isDue =
  (operation: string, nowMs: number): Condition =>
  (x) =>
    `(attribute_not_exists(${x.name(dueAttribute(operation))}) OR ${x.name(dueAttribute(operation))} <= ${x.value(nowMs)})`;

/** The same key with another payload is another intent and touches nothing. */
export const isSameIntent =
  (operation: string, hash: string): Condition =>
  (x) =>
    `(attribute_not_exists(${x.name(intentAttribute(operation))}) OR ${x.name(intentAttribute(operation))} = ${x.value(hash)})`;

export interface LeaseHolder {
  readonly owner: string;
  readonly fence: number;
}

/** An owner that woke up after its successor took over holds an older fence and another name: it changes nothing. */
export const leaseIsMine =
  ({ owner, fence }: LeaseHolder): Condition =>
  (x) =>
    `${x.name('leaseOwner')} = ${x.value(owner)} AND ${x.name('fence')} = ${x.value(fence)}`;

/** The business state the decision was made on still stands, e.g. `status = pending_payment`. */
export const attributeIs =
  (attribute: string, expected: string): Condition =>
  (x) =>
    `${x.name(attribute)} = ${x.value(expected)}`;

/** The operation ended without an answer and its letter may be marked as sent. */
export const operationIsDiscarded =
  (operation: string): Condition =>
  (x) =>
    `${x.name(operationAttribute(operation))}.${x.name('status')} = ${x.value('discarded')}`;

/**
 * It is still this discard, not the one that a later run made after a replay: whoever speaks of a letter speaks of the discard that the
 * letter is about.
 */
export const discardIsBy =
  (operation: string, by: string): Condition =>
  (x) =>
    `${operationIsDiscarded(operation)(x)} AND ${x.name(operationAttribute(operation))}.${x.name('by')} = ${x.value(by)}`;

/**
 * No charge can be under way: the capture is finished, or no attempt of it may have gone out. Anything that needs
 * "no charge happened" carries it; a capture frozen between claim and commit may have charged already.
 */
export const captureIsSettled =
  (operation: string): Condition =>
  (x) => {
    const sent = x.name(sentAttribute(operation));
    return `(${x.name(operationAttribute(operation))}.${x.name('status')} = ${x.value('completed')} OR attribute_not_exists(${sent}) OR ${sent} = ${x.value(0)})`;
  };

/** What a withdrawal takes is there. */
export const isAtLeast =
  (attribute: string, value: number): Condition =>
  (x) =>
    `${x.name(attribute)} >= ${x.value(value)}`;

export interface ItemNumber {
  readonly attribute: string;
  readonly value: number;
}

/** The item is at the number (payment attempt, refund) that a job or a request was made for. */
export const isAt =
  ({ attribute, value }: ItemNumber): Condition =>
  (x) =>
    `${x.name(attribute)} = ${x.value(value)}`;

/** A request under this key was not taken before. */
export const isNewRequest =
  (requestAttribute: string): Condition =>
  (x) =>
    `attribute_not_exists(${x.name(requestAttribute)})`;

/** An item that many requests touch would outgrow its write unit. */
export const hasRoomForRequests =
  (limit: number): Condition =>
  (x) =>
    `(attribute_not_exists(${x.name('requests')}) OR ${x.name('requests')} < ${x.value(limit)})`;

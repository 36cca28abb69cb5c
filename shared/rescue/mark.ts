import type { ItemKey } from '#shared/contract/item-keys.ts';
import { fenceOf, type ItemImage } from '#shared/item/attributes.ts';
import { isAt } from '#shared/item/conditions.ts';
import { allOf, type Condition, type ItemWrite, updateWrite } from '#shared/item/expression.ts';

/**
 * The mark is as it was seen and nobody has claimed or changed the item since: of two rescues one goes on, and a mark that a
 * fresh failure has just set is not lost.
 */
const markIsAsSeen = (image: ItemImage, overdueAtMs: number): Condition =>
  allOf(isAt({ attribute: 'overdueAtMs', value: overdueAtMs }), isAt({ attribute: 'fence', value: fenceOf(image) }));

/** Written before the jobs are sent: a crash in between costs one wait, the other way round one message a minute. */
export const moveMarkWrite = (key: ItemKey, image: ItemImage, seenMs: number, overdueAtMs: number): ItemWrite =>
  updateWrite(key, { set: { overdueAtMs } }, markIsAsSeen(image, seenMs));

/** Nothing is left to do here. */
export const removeMarkWrite = (key: ItemKey, image: ItemImage, seenMs: number): ItemWrite =>
  updateWrite(key, { remove: ['overdueShard', 'overdueAtMs'] }, markIsAsSeen(image, seenMs));

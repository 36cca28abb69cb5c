import { attemptsAttribute, type ItemImage, operationRecord, sentAttribute } from '#shared/item/attributes.ts';

/** Operations that begin with one of these marks have been claimed, and no commit has taken the mark away. */
const MARKS = [attemptsAttribute(''), sentAttribute('')];

/** Finished for the rescue: done, or given up with the letter out, which is then a person's. */
export function isFinished(image: ItemImage, operation: string): boolean {
  const record = operationRecord(image, operation);
  return record !== undefined && (record.status === 'completed' || record.buried === true);
}

/** Claimed and without an end: running, crashed, waiting, discarded without a letter, or armed again. */
export const unfinishedOperations = (image: ItemImage): string[] => {
  const marked = Object.keys(image).flatMap((name) => MARKS.filter((mark) => name.startsWith(mark)).map((mark) => name.slice(mark.length)));
  return [...new Set(marked)].filter((operation) => !isFinished(image, operation));
};

import { StatedError } from '#shared/contract/stated-error.ts';

/** `report` where the mapping understands partial batch responses, `throw` where it takes any answer as success (the local emulator). */
export type StreamFailureMode = 'throw' | 'report';

export interface StreamBatchAnswer {
  readonly batchItemFailures: { itemIdentifier: string }[];
}

/**
 * A stream is a log: whatever is reported, Lambda starts again from the lowest sequence number and delivers everything
 * after it once more. So one number is the whole answer, and it is the lowest.
 *
 * Does not protect against a record that fails forever: it holds its shard until the mapping's maximum record age.
 * Park what cannot be done before answering.
 *
 * @param failures records that are neither done nor parked, in any order
 * @throws Error in mode `throw`, or when a failed record carries no sequence number: the whole batch comes again
 */
export function answerStreamBatch(
  failures: readonly { readonly sequenceNumber: string | undefined }[],
  mode: StreamFailureMode,
): StreamBatchAnswer {
  if (failures.length === 0) return { batchItemFailures: [] };
  const numbers = failures.map(({ sequenceNumber }) => sequenceNumber ?? '');
  if (mode === 'throw' || numbers.includes('')) {
    throw new StatedError(`${failures.length} stream record(s) could be neither handled nor parked; the batch is delivered again`);
  }
  return { batchItemFailures: [{ itemIdentifier: numbers.reduce((lowest, next) => (isLower(next, lowest) ? next : lowest)) }] };
}

/** Up to 40 digits: too long for a number. */
const isLower = (left: string, right: string): boolean => digits(left) < digits(right);
const digits = (sequenceNumber: string): string => sequenceNumber.padStart(64, '0');

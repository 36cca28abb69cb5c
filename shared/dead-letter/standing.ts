import { intentHash } from '#shared/idempotency/intent-hash.ts';
import { type ItemImage, intentAttribute, type OperationRecord, operationRecord } from '#shared/item/attributes.ts';
import type { LetterJob } from './read-letter.ts';

/** Where the operation of a letter stands on its item. */
export type Standing =
  /** There is no item, or none yet. */
  | { readonly kind: 'no-item' }
  /** The key belongs to another payload; what stands there is none of this letter's business. */
  | { readonly kind: 'other-intent' }
  | { readonly kind: 'completed' }
  /** The item has moved on to a later attempt. */
  | { readonly kind: 'superseded'; readonly record?: OperationRecord | undefined }
  | { readonly kind: 'discarded'; readonly record: OperationRecord }
  /** The item is not at the letter's attempt yet. */
  | { readonly kind: 'ahead' }
  /** Never begun, running, waiting, of unknown outcome, or armed again. */
  | { readonly kind: 'open' };

export const intentOf = ({ definition, payload }: LetterJob): string => intentHash(definition.intent(payload));

/** The worker's own order of looking (shared/item/refusal.ts), so that a replay foresees what its message will meet. */
export function standingOf(job: LetterJob, image: ItemImage | undefined): Standing {
  if (image === undefined) return { kind: 'no-item' };
  const { operation, current } = job.target;
  const record = operationRecord(image, operation);
  const storedHash = record?.hash ?? image[intentAttribute(operation)];
  if (storedHash !== undefined && storedHash !== intentOf(job)) return { kind: 'other-intent' };
  if (record?.status === 'completed') return { kind: 'completed' };
  const at = current === undefined ? undefined : image[current.attribute];
  if (current !== undefined && typeof at === 'number' && at > current.value) return { kind: 'superseded', record };
  if (record !== undefined) return { kind: 'discarded', record };
  return { kind: current !== undefined && at !== current.value ? 'ahead' : 'open' };
}

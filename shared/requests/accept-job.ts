import { intentHash } from '#shared/idempotency/intent-hash.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { type ItemImage, intentAttribute, operationRecord } from '#shared/item/attributes.ts';
import { ownItemExpiresAt } from '#shared/item/claim.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { JobReference } from '#shared/worker/define-job.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';

export interface AcceptJobWorld {
  readonly store: Pick<ItemStore, 'write'>;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
}

export type JobAcceptance =
  | { readonly kind: 'new' | 'repeated'; readonly state: JobState }
  /** The same request key asked for something else before. */
  | { readonly kind: 'key-reused' };

/** What has become of the job so far, as its own item tells it. */
export type JobState = { readonly state: 'accepted' | 'done' } | { readonly state: 'refused'; readonly reason: string };

/**
 * Takes in a job that has an item of its own: one write creates that item as the first claim would find it, with the message in
 * its outbox. A repeated request meets it, whatever has become of the job meanwhile.
 *
 * @param requestedBy trace of the request
 * @throws when the table gave no answer: the same request finds out
 * @throws RangeError when the kind works on a business object, which has its own way in
 */
export async function acceptJob(
  reference: JobReference,
  requestedBy: string,
  { store, clock, random }: AcceptJobWorld,
): Promise<JobAcceptance> {
  const { definition, payload } = reference;
  const nowMs = clock.nowMs();
  const message = outboxMessage(reference, nowMs, requestedBy);
  const { key, operation, own } = targetOf(definition, message.payload);
  if (!own) throw new RangeError(`${definition.kind} works on a business object; accept its request there`);
  const hash = intentHash(definition.intent(payload));
  const acceptToken = random.token();
  const attributes = {
    message: JSON.stringify(message),
    expiresAt: ownItemExpiresAt(nowMs),
    [intentAttribute(operation)]: hash,
    acceptToken,
  };
  const answer = await store.write(acceptWrite(key, attributes, [message], nowMs));
  // The second case is the SDK's repetition of our own write.
  if (answer.accepted || answer.old?.acceptToken === acceptToken) return { kind: 'new', state: { state: 'accepted' } };
  const stored = answer.old ?? {};
  return storedHash(stored, operation) === hash ? { kind: 'repeated', state: stateOf(stored, operation) } : { kind: 'key-reused' };
}

function stateOf(item: ItemImage, operation: string): JobState {
  const record = operationRecord(item, operation);
  if (record === undefined) return { state: 'accepted' };
  return record.status === 'completed' ? { state: 'done' } : { state: 'refused', reason: record.reason ?? 'discarded' };
}

const storedHash = (item: ItemImage, operation: string): unknown =>
  operationRecord(item, operation)?.hash ?? item[intentAttribute(operation)];

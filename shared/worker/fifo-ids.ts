import { createHash } from 'node:crypto';
import type { JobMessage } from '#shared/contract/message.ts';
import type { FifoIds } from '#shared/outbox/queue-sender.ts';
import type { AnyJobDefinition } from './define-job.ts';

/**
 * How a message goes into its kind's FIFO queue; undefined where the kind asked for none.
 *
 * The deduplication id is a hash of the idempotency key, so copies from one outbox are one message. A copy that must arrive
 * (a replay, a rescue) names its occasion, or SQS would swallow it as a repetition and its sender would believe it sent.
 *
 * @param jobOfKind the registry
 * @param occasion what makes this sending another one: a dead letter's message id, the moment a job was overdue
 */
export function fifoIds(
  message: JobMessage,
  jobOfKind: (kind: string) => AnyJobDefinition | undefined,
  occasion = '',
): FifoIds | undefined {
  const definition = jobOfKind(message.kind);
  if (definition?.queue.fifoGroup === undefined) return undefined;
  const payload = definition.payload.safeParse(message.payload);
  const deduplicationId = hashed(`${message.idempotencyKey}\0${occasion}`);
  // A payload of another version has no group this code can read; its worker says what becomes of it.
  return { group: payload.success ? definition.queue.fifoGroup(payload.data) : deduplicationId, deduplicationId };
}

/** Up to 128 characters, letters and digits only. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');

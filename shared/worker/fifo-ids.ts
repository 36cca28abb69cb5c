import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { JobMessage } from '#shared/contract/message.ts';
import type { FifoIds } from '#shared/outbox/queue-sender.ts';
import type { AnyJobDefinition } from './define-job.ts';
import { readPayload } from './payload-versions.ts';

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
  const deduplicationId = hashed(`${message.idempotencyKey}\0${occasion}`);
  return { group: groupOf(message, definition, definition.queue.fifoGroup) ?? deduplicationId, deduplicationId };
}

/**
 * A payload this code cannot read has no group; its worker says what becomes of it. One of newer code, sent on by older code in the
 * middle of a rollout, keeps its group where the fields that name it are still called the same.
 */
function groupOf(message: JobMessage, definition: AnyJobDefinition, fifoGroup: (payload: never) => string): string | undefined {
  const reading = readPayload(message, definition);
  if (reading.kind === 'read') return fifoGroup(reading.payload as never);
  if (reading.kind !== 'unsupported') return undefined;
  try {
    return GROUP.safeParse(fifoGroup(message.payload as never)).data;
  } catch {
    return undefined;
  }
}

const GROUP = z.string().regex(/^[A-Za-z0-9_-]{1,128}$/);

/** Up to 128 characters, letters and digits only. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex');

import { type JobMessage, messageSchema } from '#shared/contract/message.ts';
import { queueText } from '#shared/contract/queue-text.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { readPayload } from '#shared/worker/payload-versions.ts';
import type { FollowUp, ImpliedJob, ImpliedWork } from './implied-work.ts';
import { isFinished } from './unfinished.ts';

/** The operation's name on a job's own item. */
const OWN_OPERATION = 'run';

/**
 * What the item of a job that has one of its own calls for: the job itself until it is finished, and afterwards the jobs its
 * commit set off, as far as they have items of their own to tell whether they began.
 *
 * @throws when the item holds no message
 */
export function ownItemWork(image: ItemImage): ImpliedWork {
  if (!isFinished(image, OWN_OPERATION)) return { jobs: [storedJob(image)], followUps: [] };
  const outbox = Array.isArray(image.outbox) ? image.outbox.map((entry) => messageSchema.parse(entry)) : [];
  return { jobs: [], followUps: outbox.flatMap((message) => followUp(message, image.outboxAtMs)) };
}

/** The message as it came, byte for byte. */
function storedJob({ message: body }: ItemImage): ImpliedJob {
  if (typeof body !== 'string') throw new TypeError("a job's own item holds no message");
  return { message: messageSchema.parse(JSON.parse(body)), body };
}

/** Only a job with an item of its own tells whether it began; a business object has its own state to say so. */
function followUp(message: JobMessage, outboxAtMs: unknown): FollowUp[] {
  const definition = jobOfKind(message.kind);
  const reading = definition && readPayload(message, definition);
  if (definition === undefined || reading?.kind !== 'read' || typeof outboxAtMs !== 'number') return [];
  const { key, own } = targetOf(definition, reading.payload);
  return own ? [{ job: { message, body: queueText(message) }, ownItem: key, sinceMs: outboxAtMs }] : [];
}

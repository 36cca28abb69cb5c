import { queueText } from '#shared/contract/queue-text.ts';
import type { JobReference } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import type { ImpliedJob } from './implied-work.ts';

/** @param intentAtMs when the intent behind the job was written */
export function makeJob(reference: JobReference, intentAtMs: number): ImpliedJob {
  const message = outboxMessage(reference, intentAtMs);
  return { message, body: queueText(message) };
}

import { jobOfKind } from '#shared/jobs/index.ts';
import type { QueueEntry, QueueSender } from '#shared/outbox/queue-sender.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import type { ImpliedJob } from './implied-work.ts';

export interface SendingResult {
  readonly sent: number;
  /** SQS refused it for good, or this code knows no queue for its kind. */
  readonly refused: number;
  /** Not accepted this time. */
  readonly unsent: number;
}

/** A job and what it is sent for, which tells it from an earlier sending of the same job. */
export interface Sending {
  readonly job: ImpliedJob;
  readonly occasion: string;
}

/** Sends jobs to their kinds' queues, each kind's in batches, the oldest first. Never throws. */
export async function sendJobs(
  sendings: readonly Sending[],
  queueUrls: Readonly<Record<string, string>>,
  sender: QueueSender,
): Promise<SendingResult> {
  const sentBefore = (left: Sending, right: Sending): number => left.job.message.enqueuedAt.localeCompare(right.job.message.enqueuedAt);
  let refused = 0;
  let unsent = 0;
  for (const [kind, group] of Map.groupBy([...sendings].sort(sentBefore), ({ job }) => job.message.kind)) {
    const queueUrl = Object.hasOwn(queueUrls, kind) ? queueUrls[kind] : undefined;
    const { failed } =
      queueUrl === undefined ? { failed: group.map(() => ({ senderFault: true })) } : await sender.send(queueUrl, group.map(entryOf));
    refused += failed.filter(({ senderFault }) => senderFault).length;
    unsent += failed.filter(({ senderFault }) => !senderFault).length;
  }
  return { sent: sendings.length - refused - unsent, refused, unsent };
}

const entryOf = ({ job: { message, body }, occasion }: Sending, index: number): QueueEntry => ({
  id: String(index),
  body,
  ...fifoIds(message, jobOfKind, occasion),
});

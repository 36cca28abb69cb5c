export interface QueueEntry {
  /** Unique within one call. */
  readonly id: string;
  readonly body: string;
  /** These two for a FIFO queue, which takes nothing without them. */
  readonly group?: string;
  readonly deduplicationId?: string;
}

export interface FifoIds {
  /** Messages of one group are received in the order they were sent in. */
  readonly group: string;
  /** Within five minutes SQS takes a second message under it for the first one's copy, and drops it. */
  readonly deduplicationId: string;
}

/** Sends entries to a queue and reports each one that was not accepted. Never throws for a refused or unanswered call. */
export interface QueueSender {
  send(
    queueUrl: string,
    entries: readonly QueueEntry[],
  ): Promise<{ failed: readonly { id: string; senderFault: boolean; code: string }[] }>;
}

export interface QueueEntry {
  /** Unique within one call. */
  readonly id: string;
  readonly body: string;
}

/** Sends entries to a queue and reports each one that was not accepted. Never throws for a refused or unanswered call. */
export interface QueueSender {
  send(queueUrl: string, entries: readonly QueueEntry[]): Promise<{ failed: readonly { id: string; senderFault: boolean; code: string }[] }>;
}

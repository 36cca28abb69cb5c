import { createLetterQueue } from '#shared/aws/letter-queue.ts';
import type { LetterQueuePort } from '#shared/dead-letter/letter-queue-port.ts';
import type { LetterSource } from '#shared/dead-letter/read-letter.ts';
import { letterQueuesOf } from '../aws/queue-list.ts';
import { type QueueFacts, queueFacts } from '../aws/queues.ts';
import type { Session } from '../session.ts';

/** A dead-letter queue as the commands work on it. */
export interface LetterDesk {
  /** Job kind, or what else its queue carries. */
  readonly name: string;
  readonly source: LetterSource;
  readonly letters: LetterQueuePort;
  facts(): Promise<QueueFacts>;
}

/** @param kind one of them, or all where it is left out */
export const desksOf = ({ clients, outputs }: Pick<Session, 'clients' | 'outputs'>, kind?: string): LetterDesk[] =>
  letterQueuesOf(outputs)
    .filter(({ name }) => kind === undefined || name === kind)
    .map(({ name, source, deadLetterQueueUrl }) => ({
      name,
      source,
      letters: createLetterQueue(clients.sqs, deadLetterQueueUrl),
      facts: () => queueFacts(clients.sqs, deadLetterQueueUrl),
    }));

/** Deleted by hand, or by a stack that went. */
export const isMissingQueue = (error: unknown): boolean =>
  error instanceof Error && /^(QueueDoesNotExist|.*NonExistentQueue)$/.test(error.name);

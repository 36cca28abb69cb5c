import { queueText } from '#shared/contract/queue-text.ts';
import type { ObjectStoragePort } from '#shared/exports/object-storage-port.ts';
import type { DeadLetter } from './read-letter.ts';

/** Where the bodies of discarded letters are kept, so that a discard can be taken back. */
export interface LetterArchive {
  /** Resolves once the letter is kept; a letter that is kept already stays as it was. */
  keep(letter: DeadLetter, archivedAtMs: number): Promise<void>;
}

export const ARCHIVE_PREFIX = 'dead-letters/';

const nameOf = ({ source, received }: DeadLetter): string => `${ARCHIVE_PREFIX}${source.deadLetterQueueName}/${received.messageId}.json`;

/** One object a letter, named by its message id: a discard that is repeated keeps nothing twice. */
export const createLetterArchive = (objects: Pick<ObjectStoragePort, 'putOnce'>): LetterArchive => ({
  async keep(letter, archivedAtMs) {
    await objects.putOnce(nameOf(letter), queueText(archived(letter, archivedAtMs)));
  },
});

function archived({ source, received }: DeadLetter, archivedAtMs: number): Record<string, unknown> {
  const { messageId, body, attributes, group, traceHeader, sentAtMs, sourceArn } = received;
  const kept = Object.entries(attributes).map(([name, { dataType, text, bytes }]) => [
    name,
    { dataType, text, ...(bytes === undefined ? {} : { base64: Buffer.from(bytes).toString('base64') }) },
  ]);
  return {
    queue: source.deadLetterQueueName,
    kind: source.definition?.kind,
    messageId,
    body,
    attributes: Object.fromEntries(kept),
    group,
    traceHeader,
    sentAtMs,
    sourceArn,
    archivedAtMs,
  };
}

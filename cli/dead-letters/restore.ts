import { type AuditTrail, endedAs } from '#shared/dead-letter/audit.ts';
import { audited } from '#shared/dead-letter/audited.ts';
import type { MessageSenderPort } from '#shared/dead-letter/letter-queue-port.ts';
import { readLetter } from '#shared/dead-letter/read-letter.ts';
import type { NamedLetterQueue } from '../aws/queue-list.ts';
import type { By } from './acts.ts';
import type { ArchiveStore } from './archive-store.ts';
import { type ArchivedLetter, archivedLetters, outgoingOf, receivedOf } from './archived-letter.ts';

export interface RestoreWorld {
  readonly archive: ArchiveStore;
  readonly queues: readonly NamedLetterQueue[];
  readonly sender: MessageSenderPort;
  readonly audit: AuditTrail;
  readonly by: By;
  readonly signal: AbortSignal;
}

export interface Restored {
  readonly matched: number;
  readonly restored: number;
  /** Each is a new message; the first thousand are named. */
  readonly letters: readonly RestoredLetter[];
  readonly failed: readonly { readonly messageId: string; readonly code: string }[];
  readonly interrupted: boolean;
}

export interface RestoredLetter {
  readonly queue: string;
  /** Its id when it was discarded. */
  readonly was: string;
  /** Its id from now on; null where SQS did not tell. */
  readonly messageId: string | null;
}

const MOST_TOLD = 1_000;
/** Named so many; the others are counted. */
const MOST_NAMED = 20;
const AT_ONCE = 20;

/**
 * Puts discarded letters back into their dead-letter queues: audit, send, then out of the archive. Their operations stay ended until
 * somebody replays them, which opens them again.
 *
 * - died before the send: the letter is in the archive.
 * - died before it was taken out of the archive: it is in both. Restored again there are two letters of one key, of which a replay
 *   needs one; the other is refused as done.
 */
export async function restoreLetters(id: string | undefined, world: RestoreWorld, onProgress: (done: number) => void): Promise<Restored> {
  const failed: { messageId: string; code: string }[] = [];
  const letters: RestoredLetter[] = [];
  let [matched, restored] = [0, 0];
  const restoreSome = async (some: readonly (ArchivedLetter | { unreadable: string })[]): Promise<void> => {
    const answers = await Promise.all(some.map((one) => ('unreadable' in one ? { code: 'unreadable' } : tried(restoreOne(one, world)))));
    for (const [index, answer] of answers.entries()) {
      const one = some[index];
      if (one === undefined) continue;
      if ('code' in answer) failed.push({ messageId: 'unreadable' in one ? one.unreadable : one.messageId, code: answer.code });
      else {
        restored++;
        if (letters.length < MOST_TOLD) letters.push(answer);
      }
    }
    onProgress(restored);
  };
  let some: (ArchivedLetter | { unreadable: string })[] = [];
  for await (const letter of archivedLetters(world.archive, id)) {
    if (world.signal.aborted) break;
    matched++;
    some.push(letter);
    if (some.length < AT_ONCE) continue;
    await restoreSome(some);
    some = [];
  }
  if (!world.signal.aborted) await restoreSome(some);
  return { matched, restored, letters, failed: failed.slice(0, MOST_NAMED), interrupted: world.signal.aborted };
}

/** A table or an archive that does not answer fails one letter, not the run. */
const tried = (restoring: Promise<RestoredLetter | NotRestored>): Promise<RestoredLetter | NotRestored> =>
  restoring.catch((error: unknown) => ({ code: error instanceof Error ? error.name : 'unknown' }));

interface NotRestored {
  readonly code: string;
}

async function restoreOne(
  letter: ArchivedLetter,
  { archive, queues, sender, audit, by }: RestoreWorld,
): Promise<RestoredLetter | NotRestored> {
  const queue = queues.find(({ source }) => source.deadLetterQueueName === letter.queue);
  if (queue === undefined) return { code: 'queue-not-of-this-stage' };
  let messageId: string | null = null;
  const onSent = (id: string): void => {
    messageId = id;
  };
  const act = { what: 'restore' as const, ...by, letter: readLetter(receivedOf(letter), queue.source) };
  return audited(
    act,
    audit,
    async () => {
      const [unsent] = await sender.send(queue.deadLetterQueueUrl, [{ ...outgoingOf(letter, queue.source.fifo), onSent }]);
      if (unsent !== undefined) return { code: unsent.code };
      await archive.remove(letter.archiveKey);
      return { queue: queue.name, was: letter.messageId, messageId };
    },
    (answer) => ('code' in answer ? `not-sent: ${answer.code}` : endedAs('restored', messageId ?? undefined)),
  );
}

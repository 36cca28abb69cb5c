import type { AuditTrail } from '#shared/dead-letter/audit.ts';
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
  readonly failed: readonly { readonly messageId: string; readonly code: string }[];
  readonly interrupted: boolean;
}

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
  let [matched, restored] = [0, 0];
  const restoreSome = async (some: readonly (ArchivedLetter | { unreadable: string })[]): Promise<void> => {
    const codes = await Promise.all(some.map((one) => ('unreadable' in one ? 'unreadable' : tried(restoreOne(one, world)))));
    for (const [index, code] of codes.entries()) {
      const one = some[index];
      if (code === undefined) restored++;
      else if (one !== undefined) failed.push({ messageId: 'unreadable' in one ? one.unreadable : one.messageId, code });
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
  return { matched, restored, failed: failed.slice(0, MOST_NAMED), interrupted: world.signal.aborted };
}

/** A table or an archive that does not answer fails one letter, not the run. */
const tried = (restoring: Promise<string | undefined>): Promise<string | undefined> =>
  restoring.catch((error: unknown) => (error instanceof Error ? error.name : 'unknown'));

/** @returns why not */
async function restoreOne(letter: ArchivedLetter, { archive, queues, sender, audit, by }: RestoreWorld): Promise<string | undefined> {
  const queue = queues.find(({ source }) => source.deadLetterQueueName === letter.queue);
  if (queue === undefined) return 'queue-not-of-this-stage';
  const act = { what: 'restore' as const, ...by, letter: readLetter(receivedOf(letter), queue.source) };
  return audited(
    act,
    audit,
    async () => {
      const [unsent] = await sender.send(queue.deadLetterQueueUrl, [outgoingOf(letter, queue.source.fifo)]);
      if (unsent === undefined) await archive.remove(letter.archiveKey);
      return unsent?.code;
    },
    (code) => (code === undefined ? 'restored' : `not-sent: ${code}`),
  );
}

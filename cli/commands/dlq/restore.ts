import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createMessageSender } from '#shared/aws/message-sender.ts';
import { createAuditTrail } from '#shared/dead-letter/audit.ts';
import { sendTogether } from '#shared/dead-letter/together.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { controlOf } from '../../aws/control.ts';
import { letterQueuesOf } from '../../aws/queue-list.ts';
import { gather } from '../../dead-letters/acts.ts';
import { archiveOf } from '../../dead-letters/archive-place.ts';
import type { ArchiveStore } from '../../dead-letters/archive-store.ts';
import { archivedLetters } from '../../dead-letters/archived-letter.ts';
import { describeFailure } from '../../dead-letters/failure.ts';
import { type Restored, restoreLetters } from '../../dead-letters/restore.ts';
import { CliError, EXIT, type ExitCode } from '../../output/cli-error.ts';
import { letters } from '../../output/counted.ts';
import { bad, doubtful, good, quiet } from '../../output/paint.ts';
import { printAnswer } from '../../output/print.ts';
import { runSteps, step } from '../../output/steps.ts';
import { formatTable } from '../../output/table.ts';
import { untilInterrupted } from '../../output/until-interrupted.ts';
import { globalOptions, type Session, withSession } from '../../session.ts';
import { parseReason } from '../pause.ts';
import { ambiguousId, isPartOfId } from './ambiguous-id.ts';
import { askBeforeBulk, canAsk, nobodyToAsk } from './ask-before-bulk.ts';
import { parseLetterId } from './filter-options.ts';

interface RestoreOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly archive?: string;
  readonly reason: string;
  readonly yes?: boolean;
}

export const register = (dlq: Command): void => {
  dlq
    .command('restore')
    .description('put discarded letters back into their dead-letter queues, from where they can be replayed')
    .argument('[id]', 'message id of the discarded letter, or the beginning of it', parseLetterId)
    .option('--all', 'every letter in the archive')
    .option('--dry-run', 'show what is in the archive, and do nothing')
    .option('--yes', 'do not ask before restoring all of them')
    .option('--archive <directory>', 'where `dlq discard --archive` was told to keep them (default: the export bucket of the stage)')
    .option('--reason <text>', 'why, for whoever reads the audit', parseReason, 'no reason given')
    .addHelpText(
      'after',
      `
A restored letter is a new message with a new age; its job stays ended until it is replayed.

Exit codes: 0 restored, 1 failed, 2 wrong usage, 3 no such letter in the archive, 4 partly done.

Examples:
  npm run andal -- dlq restore 7d0c41c2
  npm run andal -- dlq restore --all --dry-run
  npm run andal -- dlq restore --all --yes --reason discarded-by-mistake`,
    )
    .action((id: string | undefined, options: RestoreOptions, command: Command) =>
      withSession(globalOptions(command), (session) => restore(session, id, options)),
    );
};

async function restore(
  session: Session,
  id: string | undefined,
  { all = false, dryRun = false, yes = false, archive: directory, reason }: RestoreOptions,
): Promise<void> {
  if ((id === undefined) !== all)
    throw new CliError('Say which letters: the id of one, or --all (see `npm run andal -- dlq restore --help`).', { exitCode: EXIT.usage });
  const archive = archiveOf(session, directory);
  try {
    if (dryRun) return await show(session, id, archive);
    if (all && !yes) await askFirst(session, archive);
    await refuseAmbiguousId(id, archive);
    const restored = await runRestore(session, id, archive, reason);
    if (restored.matched === 0 && !restored.interrupted) throw notInArchive(id, archive);
    printAnswer(session.json, { stage: session.target.stage, archive: archive.place, ...restored }, () => formatRestored(restored));
    process.exitCode = exitCodeOf(restored);
  } finally {
    archive.close();
  }
}

async function askFirst(session: Session, archive: ArchiveStore): Promise<void> {
  const archived = await archivedIn(session, undefined, archive);
  if (archived.length === 0) throw notInArchive(undefined, archive);
  if (!canAsk(session)) throw nobodyToAsk('restore');
  await askBeforeBulk(formatArchived(archived), `Restore ${letters(archived.length)}?`);
}

async function refuseAmbiguousId(id: string | undefined, archive: ArchiveStore): Promise<void> {
  if (!isPartOfId(id)) return;
  let count = 0;
  for await (const _ of archivedLetters(archive, id)) count++;
  if (count > 1) throw ambiguousId(id, `${count} letters in the archive`);
}

async function runRestore(session: Session, id: string | undefined, archive: ArchiveStore, why: string): Promise<Restored> {
  const world = {
    archive,
    queues: letterQueuesOf(session.outputs),
    sender: sendTogether(createMessageSender(session.clients.sqs), gather),
    audit: createAuditTrail({ control: controlOf(session), clock: systemClock, random: systemRandom, gather }),
    by: { who: userInfo().username, why },
  };
  return untilInterrupted(async (signal) => {
    let restored: Restored | undefined;
    const work = step('Restoring', async (onProgress) => {
      restored = await restoreLetters(id, { ...world, signal }, (done) => onProgress(`${done}`));
      return restored.matched === 0 ? 'Looked through the archive' : `Went through ${letters(restored.matched)}`;
    });
    await runSteps([work], { json: session.json });
    return restored as Restored;
  });
}

const notInArchive = (id: string | undefined, { place }: ArchiveStore): CliError =>
  new CliError(id === undefined ? `There are no letters in ${place}.` : `There is no letter ${id} in ${place}.`, {
    exitCode: EXIT.nothingFound,
  });

const exitCodeOf = ({ restored, failed, interrupted }: Restored): ExitCode => {
  if (failed.length === 0 && !interrupted) return EXIT.ok;
  return restored > 0 || interrupted ? EXIT.partlyDone : EXIT.failed;
};

const NAMED = 20;

const formatRestored = ({ restored, letters: ids, failed, interrupted }: Restored): string =>
  [
    restored === 0 ? quiet('No letter was restored.') : good(`Restored ${letters(restored)}.`),
    ...ids.slice(0, NAMED).map(({ was, messageId }) => `  ${was} → ${messageId ?? 'an id that SQS did not tell'}`),
    ...(restored > NAMED ? [`  and ${restored - NAMED} more; \`npm run andal -- audit --what restore\` tells the ids of all`] : []),
    ...failed.map(({ messageId, code }) => bad(`${messageId}: ${describe(code)}`)),
    ...(interrupted ? [doubtful('Stopped before the end. Run the same command again for the others.')] : []),
    'Next: npm run andal -- dlq list',
  ].join('\n');

function describe(code: string): string {
  if (code === 'unreadable') return 'this is no archived letter; it was left alone.';
  if (code === 'queue-not-of-this-stage') return 'its dead-letter queue is none of this stage; it was left in the archive.';
  return `${describeFailure(`not-sent: ${code}`, undefined)} It is still in the archive.`;
}

/** Names and reasons, never bodies. */
async function show(session: Session, id: string | undefined, archive: ArchiveStore): Promise<void> {
  const archived = await archivedIn(session, id, archive);
  if (archived.length === 0) throw notInArchive(id, archive);
  printAnswer(session.json, { stage: session.target.stage, archive: archive.place, dryRun: true, letters: archived }, () =>
    formatArchived(archived),
  );
}

interface Archived {
  readonly messageId: string;
  /** As people call it; null where it is none of this stage. */
  readonly queue: string | null;
  readonly deadLetterQueue: string;
  readonly archivedAt: string;
  readonly bytes: number;
}

async function archivedIn({ outputs }: Session, id: string | undefined, archive: ArchiveStore): Promise<Archived[]> {
  const names = new Map(letterQueuesOf(outputs).map(({ name, source }) => [source.deadLetterQueueName, name]));
  const archived: Archived[] = [];
  for await (const letter of archivedLetters(archive, id)) {
    if ('unreadable' in letter) continue;
    const { messageId, queue: deadLetterQueue, archivedAtMs, body } = letter;
    const queue = names.get(deadLetterQueue) ?? null;
    archived.push({ messageId, queue, deadLetterQueue, archivedAt: new Date(archivedAtMs).toISOString(), bytes: Buffer.byteLength(body) });
  }
  return archived;
}

const formatArchived = (archived: readonly Archived[]): string =>
  formatTable(
    ['Letter', 'Queue', 'Discarded', 'Bytes'],
    archived.map(({ messageId, queue, deadLetterQueue, archivedAt, bytes }) => [
      messageId,
      queue ?? `${deadLetterQueue} (of another stage)`,
      archivedAt,
      bytes,
    ]),
  );

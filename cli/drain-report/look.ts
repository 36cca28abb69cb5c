import { createStateScan } from '#shared/aws/state-scan.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { queuesOf } from '../aws/queue-list.ts';
import { type QueueDepth, queueDepth } from '../aws/queues.ts';
import { desksOf, isMissingQueue, type LetterDesk } from '../dead-letters/letter-desk.ts';
import { lookThrough } from '../dead-letters/look.ts';
import type { Session } from '../session.ts';
import { type DrainReport, type LettersLooked, OUTBOX_RETRY, reportOf } from './report.ts';
import { tallyItems } from './tally-items.ts';
import { createVersionTally, parsed, type VersionTally } from './version-tally.ts';

const SEGMENTS = 4;

/**
 * Counts messages by version wherever they can be looked at without a trace: dead-letter queues and the table. A queue that workers
 * read is asked for its depth alone, for each look into it would count as a delivery and hide messages from their workers.
 *
 * @param kind one of them, or all where it is left out
 */
export async function lookForVersions(session: Session, kind: string | undefined, nowMs: number): Promise<DrainReport> {
  const { clients, outputs, target } = session;
  const definitions = jobs.filter((definition) => kind === undefined || definition.kind === kind);
  const names = [...definitions.map((definition) => definition.kind), OUTBOX_RETRY];
  const tally = createVersionTally();
  // The way a message goes, so that one that moves on meanwhile is met further down: outbox, queue, dead-letter queue.
  const scan = createStateScan(clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable));
  const itemsLooked = await tallyItems(scan, SEGMENTS, tally, nowMs);
  const named = queuesOf(outputs).filter(({ name }) => names.includes(name));
  const depths = await Promise.all(named.map(({ queueUrl }) => depthOf(session, queueUrl)));
  const desks = desksOf(session).filter(({ name }) => names.includes(name));
  const letters = Object.fromEntries(await Promise.all(desks.map(async (desk) => [desk.name, await tallyLetters(desk, tally)] as const)));
  const queues = named.map(({ name }, index) => [name, { depth: depths[index] ?? null, letters: letters[name] ?? null }] as const);
  const known = jobs.map((definition) => definition.kind);
  return reportOf(definitions, known, { stage: target.stage, tally, itemsLooked, queues: Object.fromEntries(queues) });
}

/** @returns how many letters were seen and about how many were not: of a FIFO group no more than ten are. Null for a missing queue */
async function tallyLetters({ name, letters, facts }: LetterDesk, tally: VersionTally): Promise<LettersLooked | null> {
  try {
    const { waiting, inFlight } = await facts();
    let seen = 0;
    for await (const page of lookThrough(letters)) {
      seen += page.length;
      for (const { body } of page)
        if (name === OUTBOX_RETRY) tally.add('parkedLetters', (parsed(body) as { message?: unknown } | null | undefined)?.message);
        else tally.add('letters', body);
    }
    return { seen, unseen: Math.max(0, waiting + inFlight - seen) };
  } catch (error) {
    if (isMissingQueue(error)) return null;
    throw error;
  }
}

async function depthOf({ clients }: Session, queueUrl: string): Promise<QueueDepth | null> {
  try {
    return await queueDepth(clients.sqs, queueUrl);
  } catch (error) {
    if (isMissingQueue(error)) return null;
    throw error;
  }
}

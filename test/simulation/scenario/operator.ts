import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createLetterQueue } from '#shared/aws/letter-queue.ts';
import { createMessageSender } from '#shared/aws/message-sender.ts';
import { createObjectStorage } from '#shared/aws/object-storage.ts';
import { createS3Client } from '#shared/aws/s3-client.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createLetterArchive } from '#shared/dead-letter/archive.ts';
import { createAuditTrail } from '#shared/dead-letter/audit.ts';
import { type DiscardWorld, discardLetter } from '#shared/dead-letter/discard-letter.ts';
import type { LetterQueuePort } from '#shared/dead-letter/letter-queue-port.ts';
import { type DeadLetter, type LetterSource, readLetter } from '#shared/dead-letter/read-letter.ts';
import { type ReplayWorld, replayLetter } from '#shared/dead-letter/replay-letter.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import { deadLetterQueueOf, EXPORT_BUCKET, INVALIDATION_RETRY, OUTBOX_FAILED, PROVIDER_URL, TABLES } from '../cloud/names.ts';
import { createChance, seedFor } from '../kernel/chance.ts';
import { createProcess } from '../kernel/process.ts';
import type { Simulation } from '../simulation.ts';

export interface OperatorOptions {
  /** Whether a letter is brought back; otherwise it is given up. Asked again for a letter whose tool died over it. */
  readonly replaying: (letter: DeadLetter) => boolean;
  /** Runs of the tool before the operator leaves what is left. */
  readonly mostRuns?: number;
}

export interface OperatorAtWork {
  /** Nothing is left in any dead-letter queue, or the operator has given up. */
  readonly isDone: boolean;
  readonly runs: number;
  /** How often each act ended how: `replay replayed`, `discard refused: busy`. */
  readonly tally: Readonly<Record<string, number>>;
}

/** The tool's name in labels and traces. */
export const OPERATOR = 'andal-dlq';
const MINUTE_MS = 60_000;
/** Longer than an act takes, with every retry of it. */
const HIDDEN_SECONDS = 300;
/** Looks whether the tool still runs; a letter it held is visible again by then. */
const LOOK_MS = 10 * MINUTE_MS;
const MOST_RUNS = 20;
const MAX_SKEW_MS = 5 * MINUTE_MS;

/**
 * A person who works off all dead-letter queues with the tool's own code, in a process that faults may kill or freeze; then the tool
 * is run again. What a replay is refused for is dropped, as the refusal offers; what may not be given up is brought back, and settled
 * by hand when that did not help.
 */
export function actOnLetters(simulation: Simulation, { replaying, mostRuns = MOST_RUNS }: OperatorOptions): OperatorAtWork {
  const { world } = simulation;
  const chance = createChance(seedFor(world.seed, OPERATOR));
  const broughtBack = new Set<string>();
  const work = { isDone: false, runs: 0, tally: {} as Record<string, number> };
  const count = (what: string): void => {
    work.tally[what] = (work.tally[what] ?? 0) + 1;
    world.log(`${OPERATOR} ${what}`);
    simulation.happened(`operator: ${what}`);
  };
  const run = (): void => {
    const process = createProcess(
      `${OPERATOR}#${++work.runs}`,
      chance.happens(0.7) ? 0 : Math.round(chance.between(-MAX_SKEW_MS, MAX_SKEW_MS)),
    );
    let hasEnded = false;
    const end = (): void => {
      hasEnded = true;
    };
    world.after(
      0,
      () =>
        void workOff(simulation, {
          isOldTool: work.runs === 1 && chance.happens(0.2),
          replaying,
          count,
          // What this run brings back has yet to show what becomes of it.
          broughtBackBefore: new Set(broughtBack),
          broughtBack,
        })
          .catch(() => count('run failed'))
          .finally(end),
      process,
    );
    const look = (): void => {
      if (!hasEnded && !process.dead) return void world.after(LOOK_MS, look);
      if (process.dead) count('run died');
      if (lettersLeft(simulation) > 0 && work.runs < mostRuns) return run();
      work.isDone = true;
    };
    world.after(LOOK_MS, look);
  };
  run();
  return work;
}

export const lettersLeft = (simulation: Simulation): number =>
  sourcesOf(simulation).reduce((sum, { deadLetterQueueName }) => sum + simulation.sqs.messages(deadLetterQueueName).length, 0);

const sourcesOf = ({ jobQueues }: Simulation): LetterSource[] => [
  ...jobQueues.map(({ queueName, definition }) => ({ ...sourceOf(queueName), definition })),
  ...[OUTBOX_FAILED, INVALIDATION_RETRY].map(sourceOf),
];

const sourceOf = (queueName: string): LetterSource => ({
  deadLetterQueueName: deadLetterQueueOf(queueName),
  queueUrl: urlOf(queueName),
  fifo: queueName.endsWith('.fifo'),
});

type Parts = Omit<ReplayWorld & DiscardWorld, 'letters'>;
interface Acting {
  /** Keys that earlier runs have replayed. */
  readonly broughtBackBefore: ReadonlySet<string>;
  readonly isOldTool: boolean;
  readonly replaying: (letter: DeadLetter) => boolean;
  readonly count: (what: string) => void;
  /** Keys of letters that were replayed because money had moved. */
  readonly broughtBack: Set<string>;
}

/** One run of the tool: every queue until it hands out nothing more. */
async function workOff(simulation: Simulation, acting: Acting): Promise<void> {
  const { sdk, clock, random, fetch } = simulation.systemOf(OPERATOR);
  const dynamodb = createDynamoDbClient({ sdk });
  const sqs = createSqsClient({ sdk });
  const s3 = createS3Client({ sdk });
  const parts: Parts = {
    store: createItemStore(dynamodb, TABLES.state),
    audit: createAuditTrail({ control: createControlTable(dynamodb, TABLES.control), clock, random }),
    sender: createMessageSender(sqs),
    payments: createSandboxClient({ baseUrl: PROVIDER_URL, fetch }),
    archive: createLetterArchive(createObjectStorage(async () => s3, EXPORT_BUCKET)),
    clock,
    random,
  };
  for (const source of sourcesOf(simulation)) {
    const letters = createLetterQueue(sqs, urlOf(source.deadLetterQueueName));
    for (let page = await letters.receive(10, HIDDEN_SECONDS); page.length > 0; page = await letters.receive(10, HIDDEN_SECONDS)) {
      for (const received of page)
        await actOn(readLetter(received, asRead(source, received.body, acting.isOldTool)), { simulation, letters, parts, acting });
    }
  }
}

/** After a roll-out letters carry the next version of their kind; a tool from before it cannot read them, the new one can. */
function asRead(source: LetterSource, body: string, isOldTool: boolean): LetterSource {
  const { definition } = source;
  const next = (definition?.version ?? 0) + 1;
  if (definition === undefined || isOldTool || !body.includes(`"version":${next},`)) return source;
  return { ...source, definition: { ...definition, version: next } };
}

interface Desk {
  readonly simulation: Simulation;
  readonly letters: LetterQueuePort;
  readonly parts: Parts;
  readonly acting: Acting;
}

/** A table that does not answer ends the act, not the run; the letter comes back. */
async function actOn(letter: DeadLetter, desk: Desk): Promise<void> {
  const act = desk.acting.replaying(letter) ? replayOrDrop : discardOrReplay;
  await act(letter, desk).catch((error: unknown) => desk.acting.count(`failed: ${error instanceof Error ? error.name : 'unknown'}`));
}

/** What no replay can settle (the order is gone, or at a later attempt) a person settles with the provider by hand. */
async function replayOrDrop(letter: DeadLetter, desk: Desk): Promise<void> {
  if ((await replay(letter, desk)) === 'refused') await discard(letter, true, desk);
}

const ONLY_REPLAY = new Set(['charged-at-provider', 'refunded-at-provider']);

/** Another amount was charged: a replay says so again, or the first answer was wrong and it settles the order. */
async function discardOrReplay(letter: DeadLetter, desk: Desk): Promise<void> {
  const { broughtBack, broughtBackBefore } = desk.acting;
  const key = letter.job?.key ?? '';
  const isKnown = letter.why?.reason === 'captured-amount-differs' && broughtBackBefore.has(key);
  if (!ONLY_REPLAY.has(await discard(letter, isKnown, desk))) return;
  if ((await replay(letter, desk)) === 'replayed') broughtBack.add(key);
}

async function replay(letter: DeadLetter, desk: Desk): Promise<string> {
  const replayed = await replayLetter(letter, { who: 'operator', why: 'the cause is mended' }, announcing('replay', letter, desk));
  desk.acting.count(`replay ${'code' in replayed ? `${replayed.outcome}: ${replayed.code}` : replayed.outcome}`);
  return replayed.outcome;
}

async function discard(letter: DeadLetter, moneyIsKnown: boolean, desk: Desk): Promise<string> {
  const discarding = { who: 'operator', why: 'of no use any more', moneyIsKnown };
  const discarded = await discardLetter(letter, discarding, announcing('discard', letter, desk));
  desk.acting.count(`discard ${'code' in discarded ? `${discarded.outcome}: ${discarded.code}` : discarded.outcome}`);
  return 'code' in discarded ? discarded.code : discarded.outcome;
}

/** An act begins with the first thing it changes of job or letter; one that is refused never does. */
function announcing(kind: 'replay' | 'discard', { source, received }: DeadLetter, desk: Desk): ReplayWorld & DiscardWorld {
  const { signals, world } = desk.simulation;
  let isAnnounced = false;
  const announce = (): void => {
    if (isAnnounced) return;
    isAnnounced = true;
    signals.operatorActs({ kind, queueName: source.deadLetterQueueName, body: received.body, atMs: world.nowMs });
  };
  const first =
    <Given extends unknown[], Answer>(act: (...given: Given) => Answer): ((...given: Given) => Answer) =>
    (...given) => {
      announce();
      return act(...given);
    };
  const { store, sender } = desk.parts;
  return {
    ...desk.parts,
    store: { read: store.read, write: first(store.write) },
    sender: { send: first(sender.send) },
    letters: { remove: first(desk.letters.remove) },
  };
}

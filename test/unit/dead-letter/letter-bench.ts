import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { createControlTable } from '#shared/aws/control-table.ts';
import { createLetterQueue } from '#shared/aws/letter-queue.ts';
import { createMessageSender } from '#shared/aws/message-sender.ts';
import { createDeadLetterQueue } from '#shared/aws/sqs-queue.ts';
import { createLetterArchive } from '#shared/dead-letter/archive.ts';
import { type AuditEntry, createAuditTrail, readAudit } from '#shared/dead-letter/audit.ts';
import { type Discarded, type DiscardWorld, discardLetter } from '#shared/dead-letter/discard-letter.ts';
import type { FifoLetter, Letter } from '#shared/dead-letter/letter.ts';
import type { LetterQueuePort } from '#shared/dead-letter/letter-queue-port.ts';
import { type DeadLetter, type LetterSource, readLetter } from '#shared/dead-letter/read-letter.ts';
import { type Replayed, type ReplayWorld, replayLetter } from '#shared/dead-letter/replay-letter.ts';
import { jobOfKind, jobs } from '#shared/jobs/index.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';

/** Longer than any act takes. */
const HIDDEN_SECONDS = 60;

export type OperatorWorld = ReplayWorld & DiscardWorld;

/** The pipeline in virtual time with real dead-letter queues, and somebody who works on them. */
export interface LetterBench extends PipelineBench {
  readonly sqs: SQSClient;
  source(kind: string): LetterSource;
  /** The letters of a kind that nobody hides, received. */
  take(kind: string): Promise<DeadLetter[]>;
  /** Messages in the dead-letter queue, hidden or not. */
  lettersOf(kind: string): readonly { id: string; body: string; attributes: object; system: Readonly<Record<string, string>> }[];
  /** Messages in the source queue. */
  messagesOf(kind: string): LetterBench['lettersOf'] extends (kind: string) => infer All ? All : never;
  operator(kind: string): OperatorWorld;
  replay(letter: DeadLetter, world?: ReplayWorld): Promise<Replayed>;
  discard(letter: DeadLetter, world?: DiscardWorld): Promise<Discarded>;
  /** What a replay sent goes on to the workers. */
  carryOver(): number;
  audit(): Promise<AuditEntry[]>;
}

const isFifo = (kind: string): boolean => jobOfKind(kind)?.queue.fifoGroup !== undefined;
const queueOf = (kind: string): string => (isFifo(kind) ? `${kind}.fifo` : kind);
const deadLetterQueueOf = (kind: string): string => (isFifo(kind) ? `${kind}-dlq.fifo` : `${kind}-dlq`);

export function createLetterBench(): LetterBench {
  const base = createPipelineBench();
  const { aws, clock, client } = base;
  const sqs = new SQSClient({ ...aws.clientConfig, maxAttempts: 1 } as SQSClientConfig);
  const urls = new Map<string, string>();
  for (const { kind } of jobs) {
    const Attributes = { MessageRetentionPeriod: String(14 * 86_400), ...(isFifo(kind) ? { FifoQueue: 'true' } : {}) };
    for (const QueueName of [queueOf(kind), deadLetterQueueOf(kind)]) urls.set(QueueName, aws.sqs.createQueue({ QueueName, Attributes }));
  }
  const url = (name: string): string => urls.get(name) ?? '';
  const control = createControlTable(client, 'Control');
  const queue = (kind: string): LetterQueuePort => createLetterQueue(sqs, url(deadLetterQueueOf(kind)));
  base.overrides.deadLetters = {
    async send(body: string, letter: Letter, fifo?: FifoLetter) {
      base.letters.push({ body, letter });
      const kind = /"kind":"([a-z-]+)"/.exec(body)?.[1] ?? 'capture-payment';
      await createDeadLetterQueue(async () => sqs, url(deadLetterQueueOf(kind))).send(body, letter, fifo);
    },
  };
  const startDay = new Date(clock.nowMs()).toISOString().slice(0, 10);
  const by = { who: 'tester', why: 'because' };
  let tokens = 0;

  const bench: LetterBench = Object.assign(base, {
    sqs,
    source: (kind: string): LetterSource => ({
      deadLetterQueueName: deadLetterQueueOf(kind),
      queueUrl: url(queueOf(kind)),
      fifo: isFifo(kind),
      definition: jobOfKind(kind),
    }),
    take: async (kind: string) => (await queue(kind).receive(10, HIDDEN_SECONDS)).map((one) => readLetter(one, bench.source(kind))),
    lettersOf: (kind: string) => aws.sqs.messages(deadLetterQueueOf(kind)),
    messagesOf: (kind: string) => aws.sqs.messages(queueOf(kind)),
    operator(kind: string): OperatorWorld {
      const random = { token: () => `operator-${++tokens}` };
      return {
        store: base.store,
        audit: createAuditTrail({ control, clock, random }),
        letters: queue(kind),
        sender: createMessageSender(sqs),
        payments: base.payments,
        archive: createLetterArchive(base.objects),
        clock,
        random,
      };
    },
    replay: (letter: DeadLetter, world = bench.operator(letter.source.definition?.kind ?? '')) => replayLetter(letter, by, world),
    discard: (letter: DeadLetter, world = bench.operator(letter.source.definition?.kind ?? '')) => discardLetter(letter, by, world),
    carryOver() {
      let count = 0;
      for (const { kind } of jobs) {
        for (const { id, body } of aws.sqs.messages(queueOf(kind))) {
          base.queued.push({ kind, body, visibleAtMs: clock.nowMs() });
          aws.sqs.handle('ReceiveMessage', { QueueUrl: url(queueOf(kind)), MaxNumberOfMessages: 10 });
          const handle = aws.sqs.messages(queueOf(kind)).find((message) => message.id === id)?.receiptHandle;
          aws.sqs.handle('DeleteMessage', { QueueUrl: url(queueOf(kind)), ReceiptHandle: handle });
          count++;
        }
      }
      return count;
    },
    async audit() {
      const entries: AuditEntry[] = [];
      for (let atMs = Date.parse(startDay); atMs <= clock.nowMs(); atMs += 86_400_000)
        for await (const entry of readAudit(control, new Date(atMs).toISOString().slice(0, 10))) entries.push(entry);
      return entries;
    },
  } satisfies Omit<LetterBench, keyof PipelineBench>);
  return bench;
}

export interface MortalOperator {
  readonly world: OperatorWorld;
  readonly died: Promise<'died'>;
}

/**
 * An operator's tool whose process dies at one of its steps: before or after any request of any of its ports. What was sent has
 * happened; nothing gets an answer any more.
 */
export function createMortalOperator(base: OperatorWorld, dieAtStep: number): MortalOperator {
  let step = 0;
  let die: (how: 'died') => void = () => undefined;
  const died = new Promise<'died'>((resolve) => {
    die = resolve;
  });
  const pass = async (): Promise<void> => {
    if (step++ < dieAtStep) return;
    die('died');
    await new Promise(() => undefined);
  };
  const mortal = <Port extends object>(port: Port): Port =>
    Object.fromEntries(
      Object.entries(port).map(([name, act]) => [
        name,
        async (...given: unknown[]) => {
          await pass();
          const answer = await (act as (...all: unknown[]) => Promise<unknown>)(...given);
          await pass();
          return name === 'begin' ? mortalEntry(answer as { end(outcome: string): Promise<void> }) : answer;
        },
      ]),
    ) as Port;
  const mortalEntry = (entry: { end(outcome: string): Promise<void> }) => ({ ...entry, ...mortal({ end: entry.end }) });
  const { clock, random, ...ports } = base;
  const world = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, mortal(port as object)]));
  return { died, world: { clock, random, ...world } as unknown as OperatorWorld };
}

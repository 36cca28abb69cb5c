import { createControlTable } from '#shared/aws/control-table.ts';
import { createOverdueIndex } from '#shared/aws/overdue-index.ts';
import { createStateScan } from '#shared/aws/state-scan.ts';
import { readItemChange } from '#shared/aws/stream-record.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { jobOfKind, jobs } from '#shared/jobs/index.ts';
import { collectOutbox } from '#shared/outbox/collect.ts';
import type { QueueSender } from '#shared/outbox/queue-sender.ts';
import { createBookmarks } from '#shared/rescue/bookmarks.ts';
import type { RescueTally } from '#shared/rescue/rescue-overdue.ts';
import type { SweepTally } from '#shared/rescue/sweep.ts';
import type { Measured } from '#shared/runtime/metrics.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import type { Ending, Worker } from '#shared/worker/worker.ts';
import { createHandler as createRescueJobs } from '../../functions/rescue-jobs/handler.ts';
import { createHandler as createSweepState } from '../../functions/sweep-state/handler.ts';
import { plainTable } from './fake-aws/project-tables.ts';
import { createWorkerBench, type WorkerBench } from './worker-bench.ts';

const MINUTE_MS = 60_000;
const queueUrls = Object.fromEntries(jobs.map(({ kind }) => [kind, `https://queues.test/${kind}`]));

export interface Queued {
  readonly kind: string;
  readonly body: string;
  readonly visibleAtMs: number;
  readonly deduplicationId?: string | undefined;
}

/** The whole pipeline in virtual time: stream, queues, workers and the rescue, without a process or a timer. */
export interface PipelineBench extends WorkerBench {
  /** What every worker is made of, over the bench's own parts. */
  overrides: { -readonly [Part in keyof Worker]?: Worker[Part] };
  readonly queued: Queued[];
  /** Every message that went through a queue. */
  readonly sent: Queued[];
  /** Every delivery's end. */
  readonly endings: Ending[];
  readonly closedKinds: Set<string>;
  /** Queues that take nothing. */
  readonly deafQueues: Set<string>;
  /** Brings the outboxes of new stream records to their queues. */
  dispatch(): void;
  /** The stream forgets what was not dispatched yet. */
  loseStream(): void;
  purge(): void;
  deliverNow(kind: string, body: string): Promise<Ending>;
  /** Lets so much time pass: messages are delivered as they become visible; `rescue` runs its minutes too. */
  pass(durationMs: number, options?: { rescue?: boolean }): Promise<void>;
  rescue(): Promise<RescueTally>;
  sweep(options?: { remainingMs?: () => number; segments?: number; readUnitsPerSecond?: number }): Promise<SweepTally | undefined>;
  /** Puts an earlier image of an item back, as a restored table would. */
  restore(image: Record<string, unknown>): void;
  /** What a rescue or a sweep counted for an alarm. */
  readonly counted: Record<string, number>;
}

export function createPipelineBench(): PipelineBench {
  const base = createWorkerBench();
  base.aws.dynamodb.createTable(plainTable('Control', ['id']));
  const { aws, clock, client, store } = base;
  const queued: Queued[] = [];
  const sent: Queued[] = [];
  const endings: Ending[] = [];
  const closedKinds = new Set<string>();
  const deafQueues = new Set<string>();
  const counted: Record<string, number> = {};
  let dispatched = 0;
  const enqueue = (kind: string, body: string, deduplicationId?: string): void => {
    const message = { kind, body, visibleAtMs: clock.nowMs(), deduplicationId };
    queued.push(message);
    sent.push(message);
  };
  const sender: QueueSender = {
    async send(queueUrl, entries) {
      const kind = queueUrl.split('/').at(-1) ?? '';
      if (deafQueues.has(kind)) return { failed: entries.map(({ id }) => ({ id, senderFault: false, code: 'unanswered' })) };
      for (const { body, deduplicationId } of entries) enqueue(kind, body, deduplicationId);
      return { failed: [] };
    },
  };
  const rescueWorld = {
    store,
    queueUrls,
    sender,
    isClosedFor: async (kind: string) => closedKinds.has(kind),
    visibilityTimeoutMs: (kind: string) =>
      deriveTiming(jobOfKind(kind)?.timing ?? { p99Ms: 1, dependencyTimeoutMs: 1, marginMs: 1 }).visibilityTimeoutSeconds * 1000,
    keyHorizonMs: base.worker().keyHorizonMs,
    timeScale: 1,
    clock,
    random: base.worker().random,
  };
  const count = ({ values }: Measured): void => {
    for (const [name, value] of Object.entries(values)) if (Number(value) > 0) counted[name] = (counted[name] ?? 0) + Number(value);
  };

  const bench: PipelineBench = Object.assign(base, {
    overrides: {},
    queued,
    sent,
    endings,
    closedKinds,
    deafQueues,
    counted,
    dispatch() {
      const records = aws.dynamodb.stream('State').slice(dispatched);
      dispatched += records.length;
      for (const { message } of collectOutbox(records as never[], readItemChange).outgoing) enqueue(message.kind, JSON.stringify(message));
    },
    loseStream() {
      dispatched = aws.dynamodb.stream('State').length;
    },
    purge() {
      queued.length = 0;
    },
    async deliverNow(kind: string, body: string) {
      const worker = { ...base.worker(jobOfKind(kind)), ...bench.overrides };
      const delivery = { messageId: `m-${endings.length}`, receiptHandle: 'r', body, receiveCount: 1, firstReceivedAtMs: clock.nowMs() };
      const ending = await executeJob(delivery, worker, 25_000);
      endings.push(ending);
      return ending;
    },
    async pass(durationMs: number, { rescue = false } = {}) {
      const endMs = clock.nowMs() + durationMs;
      for (let minuteMs = clock.nowMs() + MINUTE_MS; ; ) {
        bench.dispatch();
        queued.sort((left, right) => left.visibleAtMs - right.visibleAtMs);
        const next = Math.min(queued[0]?.visibleAtMs ?? Number.POSITIVE_INFINITY, rescue ? minuteMs : Number.POSITIVE_INFINITY);
        if (next > endMs) return clock.advance(Math.max(0, endMs - clock.nowMs()));
        clock.advance(Math.max(0, next - clock.nowMs()));
        if (rescue && next === minuteMs) {
          await bench.rescue();
          minuteMs += MINUTE_MS;
          continue;
        }
        const message = queued.shift() as Queued;
        const ending = await bench.deliverNow(message.kind, message.body);
        if (ending.action === 'hand-back') queued.push({ ...message, visibleAtMs: clock.nowMs() + ending.delayMs });
      }
    },
    async rescue() {
      let items: RescueTally = {};
      const world = {
        index: createOverdueIndex(client, 'State'),
        rescue: rescueWorld,
        enableForgottenMappings: async () => [],
        log: (run: { items: RescueTally }, measured: Measured) => {
          items = run.items;
          count(measured);
        },
      };
      await createRescueJobs(world)(undefined, { getRemainingTimeInMillis: () => 60_000 });
      return items;
    },
    async sweep({ remainingMs = () => 60_000, segments = 4, readUnitsPerSecond = 1_000 } = {}) {
      let tally: SweepTally | undefined;
      const parts = {
        scan: createStateScan(client, 'State'),
        bookmarks: createBookmarks(createControlTable(client, 'Control'), clock),
        segments,
        readUnitsPerSecond,
      };
      const keep = (run: SweepTally, measured: Measured): void => {
        tally = run;
        count(measured);
      };
      await createSweepState({ parts, sweep: rescueWorld, log: keep })(undefined, {
        getRemainingTimeInMillis: remainingMs,
      });
      return tally;
    },
    restore(image: Record<string, unknown>) {
      base.putItem(image);
      bench.loseStream();
    },
  } satisfies Omit<PipelineBench, keyof WorkerBench>);
  return bench;
}

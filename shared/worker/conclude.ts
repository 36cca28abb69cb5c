import { MAX_ATTEMPTS } from '#shared/contract/limits.ts';
import { tellableTrace } from '#shared/contract/message.ts';
import { writeLetter } from '#shared/dead-letter/letter.ts';
import type { RefusedClaim, Report } from '#shared/idempotency/item-persistence-layer.ts';
import { attemptsSpent, hasOtherUnfinishedOperation, type ItemImage, type OperationRecord } from '#shared/item/attributes.ts';
import { buriedWrite } from '#shared/item/settle.ts';
import { deferralDelayMs, jittered, retryDelayMs } from '#shared/retry/schedule.ts';
import { about, factsOf } from './ending-facts.ts';
import type { JobExecution } from './job-execution.ts';
import type { ParsedJob, Unreadable } from './parse-job.ts';
import type { Delivery, Ending, Worker } from './worker.ts';

/** A version from the future waits for the rollout that brings its code; after this it is a dead letter. */
const FUTURE_VERSION_WAIT_MS = 15 * 60_000;
const FUTURE_VERSION_LIMIT_MS = 24 * 3_600_000;

interface Context {
  readonly delivery: Delivery;
  readonly job: ParsedJob;
  readonly worker: Worker;
}

/** Acknowledged only when the layer saw the state that matters become durable. */
export async function concludeReport(report: Report, execution: JobExecution, context: Context): Promise<Ending> {
  const facts = factsOf(execution, context.job);
  switch (report.kind) {
    case 'committed':
      return { action: 'ack', outcome: 'committed', facts };
    case 'claim-refused':
      return concludeRefusal(report.refusal, execution, context);
    case 'settled':
      if (report.settlement.kind === 'discard') return bury(report.settlement, execution, context, { image: execution.image ?? {} });
      return {
        action: 'hand-back',
        outcome: report.settlement.kind,
        delayMs: report.settlement.delayMs,
        facts: {
          ...facts,
          code: report.settlement.code,
          ...(report.settlement.kind === 'deferred' ? { ageMs: ageMs(context.delivery, context.worker) } : {}),
        },
      };
    case 'fenced':
    case 'settle-unanswered':
      return {
        action: 'hand-back',
        outcome: report.kind,
        delayMs: report.settlement.delayMs,
        facts: { ...facts, code: report.settlement.code },
      };
    case 'claim-unanswered':
    case 'claimed':
      return { action: 'hand-back', outcome: report.kind, delayMs: retryDelayMs(1, pace(context.worker)), facts };
  }
}

export const tooLittleTime = (job: ParsedJob, worker: Worker): Ending => ({
  action: 'hand-back',
  outcome: 'too-little-time',
  delayMs: jittered(1_000, pace(worker)),
  facts: about(job),
});

/** Refused at the gate: nothing was written, nothing is spent. */
export const deferred = (
  { code, retryAfterMs }: { code: string; retryAfterMs?: number },
  job: ParsedJob,
  delivery: Delivery,
  worker: Worker,
): Ending => ({
  action: 'hand-back',
  outcome: code,
  delayMs: deferralDelayMs(ageMs(delivery, worker), pace(worker), retryAfterMs),
  facts: { ...about(job), ageMs: ageMs(delivery, worker) },
});

/** Nothing on any item knows of such a message; the letter is its only trace. */
export async function concludeUnreadable({ reason, detail, version }: Unreadable, delivery: Delivery, worker: Worker): Promise<Ending> {
  const facts = { code: reason, ...(version === undefined ? {} : { version }) };
  if (reason === 'unsupported-version' && ageMs(delivery, worker) < FUTURE_VERSION_LIMIT_MS * worker.timeScale) {
    return { action: 'hand-back', outcome: reason, delayMs: jittered(FUTURE_VERSION_WAIT_MS, pace(worker)), facts };
  }
  await sendLetter({ reason, detail, attempts: 0, version }, { delivery, worker });
  return { action: 'ack', outcome: 'dead-lettered', facts };
}

async function concludeRefusal(refusal: RefusedClaim, execution: JobExecution, context: Context): Promise<Ending> {
  const facts = about(context.job);
  const { delivery } = context;
  switch (refusal.kind) {
    case 'completed':
      return { action: 'ack', outcome: 'duplicate', facts };
    case 'discarded':
      if (refusal.record.buried && !comesFromALetter(delivery, refusal.record))
        return { action: 'ack', outcome: 'duplicate-of-discarded', facts };
      return bury({ code: refusal.record.reason ?? 'discarded' }, execution, context, refusal);
    case 'superseded':
      return { action: 'ack', outcome: refusal.kind, facts };
    case 'unreadable':
      return refuse('order-unreadable', context);
    case 'ahead':
      return refuse('attempt-not-opened', context);
    case 'not-found':
      return refuse('order-not-found', context);
    case 'payload-mismatch':
      return refuse('payload-mismatch', context);
    case 'busy':
    case 'early':
    case 'changed-meanwhile':
      return { action: 'hand-back', outcome: refusal.kind, delayMs: waitAfter(refusal, context.worker), facts };
  }
}

/** Behind another run of the same operation: until its deadline. Behind another operation: about as long as that takes. */
function waitAfter(refusal: RefusedClaim, worker: Worker): number {
  const nowMs = worker.clock.nowMs();
  const spreadMs = worker.random.fraction() * 1_000;
  if (refusal.kind === 'busy') return wholeSeconds((refusal.sameOperation ? refusal.leaseUntilMs - nowMs : worker.timing.p99Ms) + spreadMs);
  if (refusal.kind === 'early') return wholeSeconds(refusal.dueAtMs - nowMs + spreadMs);
  return deferralDelayMs(0, pace(worker));
}

const wholeSeconds = (delayMs: number): number => Math.max(1, Math.ceil(delayMs / 1000)) * 1000;

interface Discarded {
  readonly image: ItemImage;
  /** Absent when this execution discarded it. */
  readonly record?: OperationRecord;
}

/** The discard stands on the item; now the letter, then the mark that it is out, then the acknowledgement. */
async function bury(
  { code: reason, detail }: { code: string; detail?: string },
  execution: JobExecution,
  context: Context,
  { image, record }: Discarded,
): Promise<Ending> {
  const { job, worker, delivery } = context;
  const attempts = record?.tries ?? Math.min(attemptsSpent(image, execution.operation), MAX_ATTEMPTS);
  const by = record?.by ?? execution.holder.owner;
  await sendLetter({ reason, detail, attempts, ending: endingOf(by, delivery, record) }, context);
  const write = buriedWrite(execution.target, execution.operation, {
    by,
    keepOverdue: hasOtherUnfinishedOperation(image, execution.operation),
  });
  // Without the mark a later copy only repeats the letter.
  await worker.store.write(write).catch(() => undefined);
  return { action: 'ack', outcome: 'dead-lettered', facts: { ...factsOf(execution, job), code: reason } };
}

/**
 * A copy that carries a letter was moved back by SQS's own means. One that was replayed from the very discard it meets, or from a later
 * one, finds an item that has forgotten the replay (a table put back). Swallowed, the job's only trace would be gone: its letter has left.
 */
const comesFromALetter = ({ carriesLetter, replayOf = 0 }: Delivery, { fence }: OperationRecord): boolean =>
  carriesLetter === true || replayOf >= fence;

/** It needs another letter, however soon after the one before. */
const endingOf = (by: string, delivery: Delivery, record: OperationRecord | undefined): string =>
  record !== undefined && comesFromALetter(delivery, record) ? `${by} ${delivery.firstReceivedAtMs}` : by;

async function refuse(reason: string, context: Context): Promise<Ending> {
  await sendLetter({ reason, attempts: 0 }, context);
  return { action: 'ack', outcome: 'dead-lettered', facts: { ...about(context.job), code: reason } };
}

interface LetterWords {
  readonly reason: string;
  readonly detail?: string | undefined;
  readonly attempts: number;
  readonly ending?: string;
  /** Of a message that is no job here. */
  readonly version?: number | undefined;
}

async function sendLetter(
  { reason, detail, attempts, ending, version }: LetterWords,
  { delivery, worker, job }: Omit<Context, 'job'> & { job?: ParsedJob },
): Promise<void> {
  const letter = writeLetter({
    kind: worker.definition.kind,
    reason,
    detail,
    attempts,
    replays: delivery.replays,
    firstSeenAtMs: delivery.firstReceivedAtMs,
    lastSeenAtMs: worker.clock.nowMs(),
    schemaVersion: job?.message.version ?? version,
    ...(job === undefined ? {} : tellableTrace(job.message)),
  });
  const { body, fifoGroup: group } = delivery;
  await worker.deadLetters.send(body, letter, group === undefined ? undefined : { group, ending });
}

const ageMs = ({ firstReceivedAtMs }: Delivery, { clock }: Worker): number => Math.max(0, clock.nowMs() - firstReceivedAtMs);

const pace = (worker: Worker) => ({ scale: worker.timeScale, fraction: worker.random.fraction() });

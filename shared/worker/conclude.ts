import type { Report } from '#shared/idempotency/item-persistence-layer.ts';
import { attemptsSpent, fenceOf, hasOtherUnfinishedOperation, type ItemImage, type OperationRecord } from '#shared/item/attributes.ts';
import type { ClaimRefusal } from '#shared/item/refusal.ts';
import { buriedWrite } from '#shared/item/settle.ts';
import { writeLetter } from '#shared/dead-letter/letter.ts';
import { jittered, retryDelayMs } from '#shared/retry/schedule.ts';
import type { JobExecution } from './job-execution.ts';
import type { ParsedJob } from './parse-job.ts';
import type { Delivery, Ending, EndingFacts, Worker } from './worker.ts';

/** First wait of a message that was not run. */
const DEFERRAL_MS = 10_000;

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
      return { action: 'hand-back', outcome: report.settlement.kind, delayMs: report.settlement.delayMs, facts: { ...facts, code: report.settlement.code } };
    case 'fenced':
    case 'settle-unanswered':
      return { action: 'hand-back', outcome: report.kind, delayMs: report.settlement.delayMs, facts: { ...facts, code: report.settlement.code } };
    case 'claim-unanswered':
    case 'claimed':
      return { action: 'hand-back', outcome: report.kind, delayMs: retryDelayMs(1, pace(context.worker)), facts };
  }
}

export const tooLittleTime = (job: ParsedJob, worker: Worker): Ending => ({ action: 'hand-back', outcome: 'too-little-time', delayMs: jittered(1_000, pace(worker)), facts: { key: job.key } });

/** Nothing on any item knows of such a message; the letter is its only trace. */
export async function concludeMalformed({ reason, detail }: { reason: string; detail: string }, delivery: Delivery, worker: Worker): Promise<Ending> {
  await sendLetter({ reason, detail, attempts: 0 }, { delivery, worker });
  return { action: 'ack', outcome: 'dead-lettered', facts: { code: reason } };
}

async function concludeRefusal(refusal: ClaimRefusal, execution: JobExecution, context: Context): Promise<Ending> {
  const facts = { key: context.job.key };
  switch (refusal.kind) {
    case 'completed':
      return { action: 'ack', outcome: 'duplicate', facts };
    case 'discarded':
      if (refusal.record.buried) return { action: 'ack', outcome: 'duplicate-of-discarded', facts };
      return bury({ code: refusal.record.reason ?? 'discarded' }, execution, context, refusal);
    case 'not-found':
      return refuse('order-not-found', context);
    case 'payload-mismatch':
      return refuse('payload-mismatch', context);
    case 'ours':
    case 'busy':
    case 'early':
    case 'changed-meanwhile':
      return { action: 'hand-back', outcome: refusal.kind, delayMs: waitAfter(refusal, context.worker), facts };
  }
}

/** Behind another run of the same operation: until its deadline. Behind another operation: about as long as that takes. */
function waitAfter(refusal: ClaimRefusal, worker: Worker): number {
  const nowMs = worker.clock.nowMs();
  const spreadMs = worker.random.fraction() * 1_000;
  if (refusal.kind === 'busy') return wholeSeconds((refusal.sameOperation ? refusal.leaseUntilMs - nowMs : worker.timing.p99Ms) + spreadMs);
  if (refusal.kind === 'early') return wholeSeconds(refusal.dueAtMs - nowMs + spreadMs);
  return jittered(DEFERRAL_MS, pace(worker));
}

const wholeSeconds = (delayMs: number): number => Math.max(1, Math.ceil(delayMs / 1000)) * 1000;

interface Discarded {
  readonly image: ItemImage;
  /** Absent when this execution discarded it. */
  readonly record?: OperationRecord;
}

/** The discard stands on the item; now the letter, then the mark that it is out, then the acknowledgement. */
async function bury({ code: reason, detail }: { code: string; detail?: string }, execution: JobExecution, context: Context, { image, record }: Discarded): Promise<Ending> {
  const { job, worker } = context;
  const attempts = record?.tries ?? attemptsSpent(image, execution.operation);
  await sendLetter({ reason, detail, attempts }, context);
  const write = buriedWrite(execution.target, execution.operation, hasOtherUnfinishedOperation(image, execution.operation));
  // Without the mark a later copy only repeats the letter.
  await worker.store.write(write).catch(() => undefined);
  return { action: 'ack', outcome: 'dead-lettered', facts: { ...factsOf(execution, job), code: reason } };
}

async function refuse(reason: string, context: Context): Promise<Ending> {
  await sendLetter({ reason, attempts: 0 }, context);
  return { action: 'ack', outcome: 'dead-lettered', facts: { key: context.job.key, code: reason } };
}

async function sendLetter({ reason, detail, attempts }: { reason: string; detail?: string | undefined; attempts: number }, { delivery, worker, job }: Omit<Context, 'job'> & { job?: ParsedJob }): Promise<void> {
  const letter = writeLetter({
    kind: worker.definition.kind,
    reason,
    detail,
    attempts,
    firstSeenAtMs: delivery.firstReceivedAtMs,
    lastSeenAtMs: worker.clock.nowMs(),
    schemaVersion: job?.message.version,
    trace: job?.message.trace,
  });
  await worker.deadLetters.send(delivery.body, letter);
}

function factsOf(execution: JobExecution, { key }: ParsedJob): EndingFacts {
  if (execution.image === undefined) return { key };
  return { key, owner: execution.holder.owner, fence: fenceOf(execution.image), attempt: attemptsSpent(execution.image, execution.operation) };
}

const pace = (worker: Worker) => ({ scale: worker.timeScale, fraction: worker.random.fraction() });

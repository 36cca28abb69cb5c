import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { ItemPersistenceLayer } from '#shared/idempotency/item-persistence-layer.ts';
import { concludeReport, concludeUnreadable, deferred, tooLittleTime } from './conclude.ts';
import { createJobExecution } from './job-execution.ts';
import { type ParsedJob, parseJob } from './parse-job.ts';
import { runJob } from './run-job.ts';
import type { Delivery, Ending, Worker } from './worker.ts';

/**
 * The pipeline of one message: parse → gate → claim → run → commit or settle → say what becomes of the message.
 *
 * @param remainingMs function time left, in milliseconds
 * @returns whether to acknowledge the message or to hand it back, and when it shall return
 */
export async function executeJob(delivery: Delivery, worker: Worker, remainingMs: number): Promise<Ending> {
  const parsed = parseJob(delivery.body, worker.definition);
  if (!parsed.ok) return concludeUnreadable(parsed, delivery, worker);
  const ending = await executeParsed(parsed.job, delivery, worker, remainingMs);
  const { version } = parsed.job.message;
  return version === worker.definition.version ? ending : { ...ending, facts: { ...ending.facts, version } };
}

async function executeParsed(job: ParsedJob, delivery: Delivery, worker: Worker, remainingMs: number): Promise<Ending> {
  const endsAtMs = worker.clock.nowMs() + remainingMs;
  // Asked this way round so that an unknown remaining time starts nothing either.
  if (!(remainingMs >= worker.timing.minimumRemainingMs)) return tooLittleTime(job, worker);

  const admission = await worker.gate.admit(worker.definition);
  if (!admission.admitted) return deferred(admission, job, delivery, worker);

  const execution = createJobExecution(job, delivery, worker, remainingMs);
  const layer = new ItemPersistenceLayer(execution, worker.store);
  const run = makeIdempotent(() => runJob(execution, { job, delivery, worker, admission, endsAtMs }), {
    persistenceStore: layer,
    config: withDeadline(remainingMs),
    keyPrefix: worker.definition.kind,
  });
  try {
    await (run as (job: object) => Promise<unknown>)(Object.freeze(job));
  } catch {
    // What happened stands in the layer's report; Powertools may have replaced the error.
  }
  return concludeReport(layer.report, execution, { delivery, job, worker });
}

/** Powertools only wants to know that there is a deadline; the one that counts is the lease's, fixed by the claim. */
function withDeadline(remainingMs: number): IdempotencyConfig {
  const config = new IdempotencyConfig({});
  config.registerLambdaContext({ getRemainingTimeInMillis: () => Math.max(1, remainingMs) } as Parameters<
    IdempotencyConfig['registerLambdaContext']
  >[0]);
  return config;
}

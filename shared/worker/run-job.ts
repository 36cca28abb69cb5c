import { LEASE_GRACE_MS, MAX_ATTEMPTS, MAX_RESULT_BYTES } from '#shared/contract/limits.ts';
import { attemptsSent, attemptsSpent, type ItemImage, isProtocolAttribute } from '#shared/item/attributes.ts';
import { extendWrite } from '#shared/item/extend.ts';
import { classify } from './classify.ts';
import type { AnyJobDefinition, RunInput } from './define-job.ts';
import type { Admission } from './gate.ts';
import { createHeartbeat, type Heartbeat, noHeartbeat } from './heartbeat.ts';
import type { JobExecution } from './job-execution.ts';
import { type Decision, Deferral, PermanentError, UnknownOutcome } from './outcome.ts';
import type { ParsedJob } from './parse-job.ts';
import type { Delivery, Worker } from './worker.ts';

/**
 * What Powertools wraps: asks about earlier attempts, runs the job, keeps its decision for the commit.
 *
 * @throws whatever the job threw; a failure that were returned would be committed as the result
 */
export async function runJob(execution: JobExecution, run: Run): Promise<unknown> {
  const heartbeat = heartbeatOf(execution, run);
  try {
    const decision = await decide(execution, heartbeat, run);
    const checked = checkDecision(decision, run.worker.definition);
    execution.decide(checked);
    return checked.result;
  } catch (error) {
    execution.fail(classify(error));
    throw error instanceof Error ? error : new Error('a job threw something that is no Error', { cause: error });
  } finally {
    heartbeat.stop();
  }
}

/** One run of a job and everything around it. */
export interface Run {
  readonly job: ParsedJob;
  readonly delivery: Delivery;
  readonly worker: Worker;
  readonly admission: Extract<Admission, { admitted: true }>;
  /** When the function must have ended, milliseconds since the epoch. */
  readonly endsAtMs: number;
}

async function decide(execution: JobExecution, heartbeat: Heartbeat, run: Run): Promise<Decision> {
  const { definition } = run.worker;
  const image = execution.image as ItemImage;
  const attempt = attemptsSpent(image, execution.operation);
  const input = () => runInput(image, attempt, heartbeat, run);
  // The claim counted this attempt in, so more than one means that an earlier one may have gone out.
  const asks = run.admission.askFirst || definition.asksAtOnce?.(run.job.payload) === true || attemptsSent(image, execution.operation) > 1;
  // A living run past the schedule gives its attempt back; only deaths raise the count this far, and asking is what it dies of.
  if (attempt > DEADLY_ATTEMPTS) throw new PermanentError('attempts-spent');
  if (definition.ask !== undefined && asks) {
    const known = await askAbout(definition.ask, input(), execution);
    if (known !== undefined) return known;
  }
  if (attempt > MAX_ATTEMPTS) throw new PermanentError('attempts-spent');
  // Asking may have taken what time there was; a call that cannot be waited for is not begun.
  if (remainingMs(run) < run.worker.timing.minimumRemainingMs) throw new Deferral('too-little-time', { delayMs: SOON_MS });
  return definition.run(input());
}

async function askAbout(
  ask: NonNullable<AnyJobDefinition['ask']>,
  input: RunInput<object>,
  execution: JobExecution,
): Promise<Decision | undefined> {
  try {
    const known = await ask(input);
    execution.wasAsked();
    return known;
  } catch (error) {
    if (error instanceof PermanentError && error.answered) execution.wasAsked();
    throw error;
  }
}

const DEADLY_ATTEMPTS = 2 * MAX_ATTEMPTS;
/** Another delivery has its whole time again. */
const SOON_MS = 1_000;

/** Function time left, in milliseconds. */
const remainingMs = ({ endsAtMs, worker }: Run): number => endsAtMs - worker.clock.nowMs();

function runInput(image: ItemImage, attempt: number, { signal, progress }: Heartbeat, run: Run): RunInput<object> {
  const { job, worker, admission } = run;
  const { dependencyTimeoutMs, marginMs } = worker.timing;
  return Object.freeze({
    item: deepFrozen(image),
    payload: deepFrozen(job.payload as object),
    key: job.key,
    attempt,
    nowMs: worker.clock.nowMs(),
    // Judged at each call: what an earlier one took is gone.
    get dependencyTimeoutMs() {
      const leftMs = remainingMs(run) - marginMs;
      if (leftMs < Math.min(dependencyTimeoutMs, marginMs)) throw new Deferral('too-little-time', { delayMs: SOON_MS });
      return Math.min(dependencyTimeoutMs, leftMs);
    },
    keyHorizonMs: worker.keyHorizonMs,
    signal,
    progress,
    ports: admission.ports,
  });
}

function heartbeatOf(execution: JobExecution, { delivery, worker, endsAtMs }: Run): Heartbeat {
  const { timing, store, clock } = worker;
  if (timing.heartbeatMs === undefined) return noHeartbeat();
  return createHeartbeat({
    intervalMs: timing.heartbeatMs,
    nowMs: clock.nowMs,
    extendLease: (leaseUntilMs) => store.write(extendWrite(execution.target, execution.holder, leaseUntilMs)),
    extendVisibility: () => worker.extendVisibility(delivery, timing.visibilityTimeoutSeconds),
    endsAtMs: endsAtMs + LEASE_GRACE_MS,
  });
}

/** A decision that cannot be committed counts as unknown: the side effect behind it may have happened. What is stored is what the schema made of the result. */
function checkDecision(decision: Decision, definition: AnyJobDefinition): Decision {
  const { result, change } = decision;
  const checked = definition.result.safeParse(result);
  if (!checked.success || Buffer.byteLength(JSON.stringify(checked.data) ?? '') > MAX_RESULT_BYTES)
    throw new UnknownOutcome('result-invalid');
  const touched = [...Object.keys(change?.set ?? {}), ...(change?.remove ?? [])];
  if (touched.some(isProtocolAttribute)) throw new UnknownOutcome('change-touches-protocol');
  return { ...decision, result: checked.data };
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}

import { MAX_ATTEMPTS, MAX_RESULT_BYTES } from '#shared/contract/limits.ts';
import { attemptsSent, attemptsSpent, type ItemImage, isProtocolAttribute } from '#shared/item/attributes.ts';
import { classify } from './classify.ts';
import type { AnyJobDefinition, RunInput } from './define-job.ts';
import type { JobExecution } from './job-execution.ts';
import { type Decision, PermanentError, UnknownOutcome } from './outcome.ts';
import type { ParsedJob } from './parse-job.ts';
import type { Worker } from './worker.ts';

/**
 * What Powertools wraps: asks about earlier attempts, runs the job, keeps its decision for the commit.
 *
 * @throws whatever the job threw; a failure that were returned would be committed as the result
 */
export async function runJob(execution: JobExecution, job: ParsedJob, worker: Worker): Promise<unknown> {
  try {
    const decision = await decide(execution, job, worker);
    const checked = checkDecision(decision, worker.definition);
    execution.decide(checked);
    return checked.result;
  } catch (error) {
    execution.fail(classify(error));
    throw error instanceof Error ? error : new Error('a job threw something that is no Error', { cause: error });
  }
}

async function decide(execution: JobExecution, job: ParsedJob, worker: Worker): Promise<Decision> {
  const { definition } = worker;
  const image = execution.image as ItemImage;
  const attempt = attemptsSpent(image, execution.operation);
  const input = runInput(image, attempt, job, worker);
  // The claim counted this attempt in, so more than one means that an earlier one may have gone out.
  if (definition.ask !== undefined && attemptsSent(image, execution.operation) > 1) {
    const known = await definition.ask(input);
    execution.wasAsked();
    if (known !== undefined) return known;
  }
  if (attempt > MAX_ATTEMPTS) throw new PermanentError('attempts-spent');
  return definition.run(input);
}

const runInput = (image: ItemImage, attempt: number, { payload, key }: ParsedJob, worker: Worker): RunInput<object> =>
  Object.freeze({
    item: deepFrozen(image),
    payload: deepFrozen(payload as object),
    key,
    attempt,
    nowMs: worker.clock.nowMs(),
    dependencyTimeoutMs: worker.timing.dependencyTimeoutMs,
    ports: worker.ports,
  });

/** A decision that cannot be committed counts as unknown: the side effect behind it may have happened. What is stored is what the schema made of the result. */
function checkDecision(decision: Decision, definition: AnyJobDefinition): Decision {
  const { result, change } = decision;
  const checked = definition.result.safeParse(result);
  if (!checked.success || Buffer.byteLength(JSON.stringify(checked.data) ?? '') > MAX_RESULT_BYTES) throw new UnknownOutcome('result-invalid');
  const touched = [...Object.keys(change?.set ?? {}), ...(change?.remove ?? [])];
  if (touched.some(isProtocolAttribute)) throw new UnknownOutcome('change-touches-protocol');
  return { ...decision, result: checked.data };
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}

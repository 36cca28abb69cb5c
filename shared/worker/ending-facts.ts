import { tellableTrace } from '#shared/contract/message.ts';
import { attemptsSpent, fenceOf } from '#shared/item/attributes.ts';
import type { JobExecution } from './job-execution.ts';
import type { ParsedJob } from './parse-job.ts';
import type { EndingFacts } from './worker.ts';

/** What a job is found by. */
export const about = ({ key, message }: ParsedJob): EndingFacts => ({ key, ...tellableTrace(message) });

/** Who held the item, as far as somebody did. */
export function factsOf(execution: JobExecution, job: ParsedJob): EndingFacts {
  if (execution.image === undefined) return about(job);
  return {
    ...about(job),
    owner: execution.holder.owner,
    fence: fenceOf(execution.image),
    attempt: attemptsSpent(execution.image, execution.operation),
  };
}

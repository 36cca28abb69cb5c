import { findLogLines, pipelineLogGroups } from '../../aws/log-lines.ts';
import type { Session } from '../../session.ts';

export interface FailedCall {
  readonly atMs: number;
  /** The job's idempotency key. */
  readonly key: string;
}

/** The code of a refused connection. Nobody sees those where nobody listens, so the workers' own lines are counted. */
export const REFUSED = 'provider-unreachable';
/** The code of an answer that came too late. */
export const TOO_LATE = 'provider-timeout';

/** Jobs that ended with a code, as the workers logged them. */
export async function failedCalls({ clients, target }: Session, code: string, fromMs: number): Promise<FailedCall[]> {
  const logGroups = await pipelineLogGroups(clients.cloudFormation, target.stage);
  const lines = await findLogLines(clients.logs, logGroups, code, fromMs);
  return lines.flatMap(({ atMs, fields: { jobs } }) =>
    Array.isArray(jobs) ? jobs.filter((job) => job.code === code).map(({ key }) => ({ atMs, key: String(key) })) : [],
  );
}

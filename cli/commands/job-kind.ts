import { InvalidArgumentError } from 'commander';
import { jobs } from '#shared/jobs/index.ts';

export const JOB_KINDS: readonly string[] = jobs.map(({ kind }) => kind);

export function parseJobKind(text: string): string {
  if (JOB_KINDS.includes(text)) return text;
  throw new InvalidArgumentError(`There is no job kind ${JSON.stringify(text)}. The kinds are ${JOB_KINDS.join(', ')}.`);
}

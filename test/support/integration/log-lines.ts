import { paginateFilterLogEvents } from '@aws-sdk/client-cloudwatch-logs';
import { logs } from './aws-clients.ts';
import { logGroupOf } from './functions.ts';

/** What a function wrote since a moment, oldest first. */
export async function logLines(functionName: string, sinceMs: number): Promise<string[]> {
  const lines: string[] = [];
  const request = { logGroupName: await logGroupOf(functionName), startTime: sinceMs };
  for await (const page of paginateFilterLogEvents({ client: logs }, request))
    lines.push(...(page.events ?? []).map(({ message = '' }) => message));
  return lines;
}

export interface LoggedJob {
  readonly outcome: string;
  readonly key?: string;
  readonly code?: string;
}

/** The batches a worker reported since a moment: one list of jobs each. */
export async function loggedBatches(functionName: string, sinceMs: number): Promise<LoggedJob[][]> {
  const lines = (await logLines(functionName, sinceMs)).map(parse).filter((line) => line?.message === 'batch');
  return lines.map((line) => line?.jobs ?? []);
}

function parse(line: string): { message?: string; jobs?: LoggedJob[] } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

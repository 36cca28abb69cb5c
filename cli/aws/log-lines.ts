import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { type CloudWatchLogsClient, paginateFilterLogEvents, ResourceNotFoundException } from '@aws-sdk/client-cloudwatch-logs';
import { stackName } from '#shared/contract/stack-outputs.ts';
import { stackResources } from './stacks.ts';

/** One structured line a function wrote. */
export interface LogLine {
  readonly atMs: number;
  readonly logGroup: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The log groups of a stage's pipeline functions: declared ones, and the ones Lambda makes by itself. */
export async function pipelineLogGroups(client: CloudFormationClient, stage: string): Promise<string[]> {
  const resources = await stackResources(client, stackName(stage, 'Pipeline'));
  const declared = resources.filter(({ type }) => type === 'AWS::Logs::LogGroup').map(({ physicalId }) => physicalId);
  const implicit = resources.filter(({ type }) => type === 'AWS::Lambda::Function').map(({ physicalId }) => `/aws/lambda/${physicalId}`);
  return [...new Set([...declared, ...implicit])];
}

/**
 * Structured lines that contain a word. The word is a plain text filter and the JSON is read here, because emulators do not
 * evaluate JSON filter patterns.
 * @param fromMs lines before this instant are left out
 */
export async function findLogLines(
  client: CloudWatchLogsClient,
  logGroups: readonly string[],
  word: string,
  fromMs: number,
): Promise<LogLine[]> {
  const lines = await Promise.all(logGroups.map((logGroup) => linesOf(client, logGroup, word, fromMs)));
  return lines.flat().sort((left, right) => left.atMs - right.atMs);
}

async function linesOf(client: CloudWatchLogsClient, logGroup: string, word: string, fromMs: number): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  try {
    for await (const page of paginateFilterLogEvents(
      { client },
      { logGroupName: logGroup, filterPattern: `"${word}"`, startTime: fromMs },
    )) {
      for (const { message = '', timestamp = 0 } of page.events ?? []) {
        const fields = parseLogLine(message);
        if (fields !== undefined && message.includes(word)) lines.push({ atMs: timeOf(fields) ?? timestamp, logGroup, fields });
      }
    }
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return lines;
}

/** The JSON object of a line, with or without the prefix Lambda puts before console output. */
export function parseLogLine(message: string): Record<string, unknown> | undefined {
  const start = message.indexOf('{');
  if (start < 0) return undefined;
  try {
    return JSON.parse(message.slice(start)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** The line's own clock is finer than the moment the log service took it in. */
function timeOf(fields: Record<string, unknown>): number | undefined {
  const atMs = typeof fields['timestamp'] === 'string' ? Date.parse(fields['timestamp']) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

import { type CloudWatchLogsClient, paginateFilterLogEvents, ResourceNotFoundException } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { jobOutputs } from '#shared/contract/stack-outputs.ts';
import type { Session } from '../session.ts';
import { type LogLine, parseLogLine } from './log-lines.ts';

/** More lines than this change no percentile, and reading them costs. */
const MOST_LINES = 20_000;

/** The batches a kind's workers have logged since an instant, oldest first; the first of them where there are very many. */
export async function workerBatches({ clients, outputs }: Session, kind: string, sinceMs: number): Promise<LogLine[]> {
  const FunctionName = outputs[jobOutputs(kind).functionName];
  if (FunctionName === undefined) return [];
  const { LoggingConfig } = await clients.lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  return batchesIn(clients.logs, LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`, sinceMs);
}

async function batchesIn(client: CloudWatchLogsClient, logGroup: string, startTime: number): Promise<LogLine[]> {
  const lines: LogLine[] = [];
  try {
    for await (const { events = [] } of paginateFilterLogEvents(
      { client },
      { logGroupName: logGroup, filterPattern: '"batch"', startTime },
    )) {
      for (const { message = '', timestamp = 0 } of events) {
        const fields = parseLogLine(message);
        if (fields?.['message'] === 'batch') lines.push({ atMs: timestamp, logGroup, fields });
      }
      if (lines.length >= MOST_LINES) break;
    }
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
  return lines;
}

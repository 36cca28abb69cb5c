import { Duration, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { governQueuesEnvironment } from '#shared/contract/environment.ts';
import type { Settings } from '../settings.ts';
import type { JobWorker } from './job-worker.ts';
import { NodeFunction } from './node-function.ts';
import { runEvery } from './schedules.ts';

export interface GovernorProps {
  readonly settings: Settings;
  readonly controlTable: Table;
  readonly workers: readonly JobWorker[];
}

const TIMEOUT = Duration.seconds(30);
/** More than this AWS gives no mapping, so it limits nothing. */
const AWS_MAX_CONCURRENCY = 1000;

/** Turns the workers' mappings off while their work would only be handed back, and lets it come back in steps. */
export class Governor extends Construct {
  readonly governQueues: NodeFunction<typeof governQueuesEnvironment>;

  constructor(scope: Construct, id: string, { settings, controlTable, workers }: GovernorProps) {
    super(scope, id);
    this.governQueues = new NodeFunction(this, 'GovernQueues', {
      settings,
      folder: 'govern-queues',
      schema: governQueuesEnvironment,
      environment: {
        CONTROL_TABLE: controlTable.tableName,
        MAPPING_IDS: Stack.of(this).toJsonString(Object.fromEntries(workers.map(({ kind, mappingId }) => [kind, mappingId]))),
        TIME_SCALE: String(settings.timeScale),
        MAX_CONCURRENCY: String(settings.maxConcurrency ?? AWS_MAX_CONCURRENCY),
      },
      timeout: TIMEOUT,
    });
    this.governQueues.allow(
      ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'],
      [controlTable.tableArn],
    );
    this.governQueues.allow(
      ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
      workers.map(({ mappingArn }) => mappingArn),
    );
    runEvery(this, 'EachMinute', {
      every: Duration.minutes(1),
      runs: this.governQueues,
      description: `Andal (${settings.stage}): consumption of the job queues follows pauses and circuit breakers`,
    });
  }
}

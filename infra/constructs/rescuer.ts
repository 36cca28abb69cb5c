import { Duration, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { rescueJobsEnvironment, sweepStateEnvironment } from '#shared/contract/environment.ts';
import type { Settings } from '../settings.ts';
import type { JobQueue } from './job-queue.ts';
import { NodeFunction } from './node-function.ts';
import { runEvery } from './schedules.ts';

/** The mapping that feeds a kind's worker; its governor turns it off, and may die before it turns it on again. */
export interface WorkerMapping {
  readonly kind: string;
  readonly mappingId: string;
  readonly mappingArn: string;
}

export interface RescuerProps {
  readonly settings: Settings;
  readonly stateTable: Table;
  readonly controlTable: Table;
  readonly jobQueues: readonly JobQueue[];
  readonly mappings: readonly WorkerMapping[];
}

const RESCUE_EVERY = Duration.minutes(1);
/** Shorter than the minute, so that one run does not meet the next. */
const RESCUE_TIMEOUT = Duration.seconds(50);

/** How often a sweep that is not done goes on; one that is done costs two reads a segment. */
const SWEEP_EVERY = Duration.minutes(5);
const SWEEP_TIMEOUT = Duration.seconds(280);
const SWEEP_SEGMENTS = 4;
/** An eventually consistent unit reads 8 KiB: about 17 GB a day. */
const SWEEP_READ_UNITS_PER_SECOND = 25;

/**
 * Nothing is forgotten: jobs whose message is gone are sent again from what their item says. Each minute for items whose job
 * failed before, by the index; once a day for all others, by a slow walk over the whole table.
 */
export class Rescuer extends Construct {
  readonly rescueJobs: NodeFunction<typeof rescueJobsEnvironment>;
  readonly sweepState: NodeFunction<typeof sweepStateEnvironment>;

  constructor(scope: Construct, id: string, props: RescuerProps) {
    super(scope, id);
    this.rescueJobs = this.createRescueJobs(props);
    this.sweepState = this.createSweepState(props);
    const { settings, stateTable, jobQueues } = props;
    for (const rescue of [this.rescueJobs, this.sweepState]) {
      // Reads an item, moves its mark, opens a scheduled payment attempt; nothing is put and nothing deleted.
      rescue.allow(['dynamodb:GetItem', 'dynamodb:UpdateItem'], [stateTable.tableArn]);
      rescue.allow(
        ['sqs:SendMessage'],
        jobQueues.map(({ queue }) => queue.queueArn),
      );
    }
    const described = (what: string): string => `Andal (${settings.stage}): ${what}`;
    const rescues = 'jobs that failed and whose message is gone are sent again';
    runEvery(this, 'RescueSchedule', { every: RESCUE_EVERY, runs: this.rescueJobs, description: described(rescues) });
    const sweeps = 'the daily walk over all items for jobs that were lost';
    runEvery(this, 'SweepSchedule', { every: SWEEP_EVERY, runs: this.sweepState, description: described(sweeps) });
  }

  private createRescueJobs(props: RescuerProps): NodeFunction<typeof rescueJobsEnvironment> {
    const { settings, stateTable, controlTable, mappings } = props;
    const rescueJobs = new NodeFunction(this, 'RescueJobs', {
      settings,
      folder: 'rescue-jobs',
      schema: rescueJobsEnvironment,
      environment: { ...this.environmentOf(props), MAPPING_IDS: this.json(mappings.map(({ kind, mappingId }) => [kind, mappingId])) },
      timeout: RESCUE_TIMEOUT,
    });
    rescueJobs.allow(['dynamodb:Query'], [`${stateTable.tableArn}/index/overdue`]);
    rescueJobs.allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:DeleteItem'], [controlTable.tableArn]);
    rescueJobs.allow(
      ['lambda:UpdateEventSourceMapping'],
      mappings.map(({ mappingArn }) => mappingArn),
    );
    return rescueJobs;
  }

  private createSweepState(props: RescuerProps): NodeFunction<typeof sweepStateEnvironment> {
    const { settings, stateTable, controlTable } = props;
    const sweepState = new NodeFunction(this, 'SweepState', {
      settings,
      folder: 'sweep-state',
      schema: sweepStateEnvironment,
      environment: {
        ...this.environmentOf(props),
        SWEEP_SEGMENTS: String(SWEEP_SEGMENTS),
        SWEEP_READ_UNITS_PER_SECOND: String(SWEEP_READ_UNITS_PER_SECOND),
      },
      timeout: SWEEP_TIMEOUT,
    });
    sweepState.allow(['dynamodb:Scan'], [stateTable.tableArn]);
    sweepState.allow(['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:PutItem'], [controlTable.tableArn]);
    return sweepState;
  }

  private environmentOf({ settings, stateTable, controlTable, jobQueues }: RescuerProps) {
    return {
      STATE_TABLE: stateTable.tableName,
      CONTROL_TABLE: controlTable.tableName,
      QUEUE_URLS: this.json(jobQueues.map(({ definition, queue }) => [definition.kind, queue.queueUrl])),
      TIME_SCALE: String(settings.timeScale),
      PROVIDER_KEY_HORIZON_SECONDS: String(settings.providerKeyHorizonSeconds),
    };
  }

  private json(entries: readonly (readonly [string, string])[]): string {
    return Stack.of(this).toJsonString(Object.fromEntries(entries));
  }
}

import { Duration, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { dispatchOutboxEnvironment, retryOutboxEnvironment } from '#shared/contract/environment.ts';
import type { Settings } from '../settings.ts';
import { consumeQueue } from './consume-queue.ts';
import { consumeStream } from './consume-stream.ts';
import type { JobQueue } from './job-queue.ts';
import { NodeFunction } from './node-function.ts';
import { RedrivenQueue } from './redriven-queue.ts';

export interface OutboxDispatcherProps {
  readonly settings: Settings;
  readonly stateTable: Table;
  readonly jobQueues: readonly JobQueue[];
}

const TIMEOUT = Duration.seconds(60);
const RETRY_EVERY_MINUTES = 15;
const MINUTES_PER_DAY = 24 * 60;

/** Half of what the stream keeps: the other half is left to read the records that a failure message names. */
const MAX_RECORD_AGE = Duration.hours(12);
/** An outage is waited out; only a record that fails by itself, alone after bisecting, gets this far. */
const RETRY_ATTEMPTS = 1_000;

/**
 * Carries outbox entries from the stream to the queues. Every change that sets an outbox frees the lease in the same write,
 * so the filter skips the claims, which are as many as all other writes together.
 *
 * An entry that no queue takes waits in `outbox-failed` and is tried again for a day: long enough for a roll-out that brings
 * the kind it names.
 */
export class OutboxDispatcher extends Construct {
  readonly failed: RedrivenQueue;
  readonly dispatchOutbox: NodeFunction<typeof dispatchOutboxEnvironment>;
  readonly retryOutbox: NodeFunction<typeof retryOutboxEnvironment>;

  constructor(scope: Construct, id: string, { settings, stateTable, jobQueues }: OutboxDispatcherProps) {
    super(scope, id);
    const queueUrls = Stack.of(this).toJsonString(
      Object.fromEntries(jobQueues.map(({ definition, queue }) => [definition.kind, queue.queueUrl])),
    );
    const jobQueueArns = jobQueues.map(({ queue }) => queue.queueArn);

    this.failed = new RedrivenQueue(this, 'OutboxFailed', {
      settings,
      visibilityTimeoutSeconds: RETRY_EVERY_MINUTES * 60,
      maxReceiveCount: MINUTES_PER_DAY / RETRY_EVERY_MINUTES,
    });

    this.dispatchOutbox = new NodeFunction(this, 'DispatchOutbox', {
      settings,
      folder: 'dispatch-outbox',
      schema: dispatchOutboxEnvironment,
      environment: {
        QUEUE_URLS: queueUrls,
        OUTBOX_FAILED_QUEUE_URL: this.failed.queue.queueUrl,
        STREAM_FAILURE_MODE: settings.streamFailureMode,
      },
      timeout: TIMEOUT,
    });
    this.dispatchOutbox.allow(['sqs:SendMessage'], [...jobQueueArns, this.failed.queue.queueArn]);
    consumeStream(this.dispatchOutbox, stateTable, {
      filters: [{ dynamodb: { NewImage: { lease: { S: FilterRule.isEqual('free') } } } }],
      retryAttempts: RETRY_ATTEMPTS,
      maxRecordAge: MAX_RECORD_AGE,
      // Not the retry queue: a failure message names a range of the stream, which is work for a person.
      onFailure: this.failed.deadLetterQueue,
    });

    this.retryOutbox = new NodeFunction(this, 'RetryOutbox', {
      settings,
      folder: 'retry-outbox',
      schema: retryOutboxEnvironment,
      environment: { QUEUE_URLS: queueUrls },
      timeout: TIMEOUT,
    });
    this.retryOutbox.allow(['sqs:SendMessage'], jobQueueArns);
    consumeQueue(this.retryOutbox, this.failed, { batchSize: 10, maxConcurrency: 2 });
  }
}

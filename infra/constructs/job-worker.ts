import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { executeJobEnvironment } from '#shared/contract/environment.ts';
import type { Settings } from '../settings.ts';
import { consumeQueue } from './consume-queue.ts';
import type { JobQueue } from './job-queue.ts';
import { NodeFunction } from './node-function.ts';

export interface JobWorkerProps {
  readonly settings: Settings;
  readonly jobQueue: JobQueue;
  readonly stateTable: Table;
  readonly mailTable: Table;
  readonly sendsMail: boolean;
  readonly paymentProviderUrl: string;
}

/**
 * The worker of one job kind. It may write state, hand messages back and bury letters, but not send to its own queue:
 * AWS cuts a function off that feeds itself after about sixteen rounds, so every job goes through an outbox.
 */
export class JobWorker extends NodeFunction<typeof executeJobEnvironment> {
  constructor(scope: Construct, id: string, props: JobWorkerProps) {
    const { settings, jobQueue, stateTable, mailTable } = props;
    const { definition, timing, queue, deadLetterQueue } = jobQueue;
    super(scope, id, {
      settings,
      folder: 'execute-job',
      schema: executeJobEnvironment,
      environment: {
        JOB_KIND: definition.kind,
        STATE_TABLE: stateTable.tableName,
        MAIL_TABLE: mailTable.tableName,
        QUEUE_URL: queue.queueUrl,
        DEAD_LETTER_QUEUE_URL: deadLetterQueue.queueUrl,
        PAYMENT_PROVIDER_URL: props.paymentProviderUrl,
        TIME_SCALE: String(settings.timeScale),
      },
      timeout: Duration.seconds(timing.functionTimeoutSeconds),
    });
    // Claim, commit and settle are conditional updates that return the item: nothing is read, nothing is put.
    this.allow(['dynamodb:UpdateItem'], [stateTable.tableArn]);
    this.allow(['sqs:SendMessage'], [deadLetterQueue.queueArn]);
    if (props.sendsMail) this.allow(['dynamodb:PutItem', 'dynamodb:Query'], [mailTable.tableArn]);
    const maxConcurrency = Math.min(definition.queue.maxConcurrency, settings.maxConcurrency ?? definition.queue.maxConcurrency);
    consumeQueue(this, jobQueue, { ...definition.queue, maxConcurrency });
  }
}

import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type * as z from 'zod';
import { type EnvironmentOf, executeJobEnvironment, sesEnvironment } from '#shared/contract/environment.ts';
import { jobPartitions, STOCK_PREFIX, USER_PREFIX } from '#shared/contract/item-keys.ts';
import { EXPORT_PREFIX } from '#shared/contract/object-keys.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import type { DataStack } from '../data-stack.ts';
import type { Settings } from '../settings.ts';
import { consumeQueue } from './consume-queue.ts';
import type { JobQueue } from './job-queue.ts';
import { NodeFunction, type NodeFunctionProps } from './node-function.ts';

export interface PaymentProvider {
  readonly url: string;
  /** The routes of our own sandbox where it answers IAM callers only. */
  readonly signedRoutesArn?: string | undefined;
}

/** What a kind reaches besides its own items; it gets no right to anything else. */
export type Reach = 'mail' | 'stock' | 'orders' | 'exports';

export interface JobWorkerProps {
  readonly settings: Settings;
  readonly jobQueue: JobQueue;
  readonly data: Pick<DataStack, 'stateTable' | 'controlTable' | 'mailTable' | 'exportBucket'>;
  readonly reaches: readonly Reach[];
  readonly paymentProvider: PaymentProvider;
}

/**
 * The worker of one job kind. It may write state, hand messages back and bury letters, but not send to its own queue:
 * AWS cuts a function off that feeds itself after about sixteen rounds, so every job goes through an outbox.
 */
export class JobWorker extends NodeFunction<z.ZodObject> {
  readonly kind: string;
  /** The event source mapping that feeds it. */
  readonly mappingId: string;
  readonly mappingArn: string;

  constructor(scope: Construct, id: string, props: JobWorkerProps) {
    const { jobQueue, data } = props;
    const { definition, timing, deadLetterQueue } = jobQueue;
    super(scope, id, {
      settings: props.settings,
      folder: 'execute-job',
      ...programOf(props),
      timeout: Duration.seconds(timing.functionTimeoutSeconds),
    });
    // Claim, commit and settle are conditional updates that return the item: nothing is read, nothing is put.
    this.allowItems(['dynamodb:UpdateItem'], data.stateTable.tableArn, [partitionsOf(definition)]);
    // Pauses are read; breaker and rate limit, where there is a dependency, are written, too.
    this.allow(
      ['dynamodb:GetItem', 'dynamodb:BatchGetItem', ...(definition.dependency === undefined ? [] : ['dynamodb:UpdateItem'])],
      [data.controlTable.tableArn],
    );
    this.allow(['sqs:SendMessage'], [deadLetterQueue.queueArn]);
    this.allow(['sqs:ChangeMessageVisibility'], [jobQueue.queue.queueArn]);
    const { signedRoutesArn } = props.paymentProvider;
    if (definition.dependency === 'payment-provider' && signedRoutesArn !== undefined)
      this.allow(['execute-api:Invoke'], [signedRoutesArn]);
    for (const reach of props.reaches) this.allowReach(reach, data);
    if (sendsMail(props)) this.allowMail(props.settings.receipts, data);
    this.kind = definition.kind;
    const maxConcurrency = Math.min(definition.queue.maxConcurrency, props.settings.maxConcurrency ?? definition.queue.maxConcurrency);
    this.mappingId = consumeQueue(this, jobQueue, { ...definition.queue, maxConcurrency });
    const mapping = { service: 'lambda', resource: 'event-source-mapping', resourceName: this.mappingId };
    this.mappingArn = Stack.of(this).formatArn({ ...mapping, arnFormat: ArnFormat.COLON_RESOURCE_NAME });
  }

  /** What SES has verified is the sender's address or its domain. A row of the mail table is the witness, before and after. */
  private allowMail({ from }: NonNullable<Settings['receipts']>, { mailTable }: JobWorkerProps['data']): void {
    const identities = [from, from.slice(from.indexOf('@') + 1)];
    const arnOf = (resourceName: string): string => Stack.of(this).formatArn({ service: 'ses', resource: 'identity', resourceName });
    this.allow(['ses:SendEmail'], identities.map(arnOf));
    this.allow(['dynamodb:GetItem', 'dynamodb:DeleteItem'], [mailTable.tableArn]);
  }

  private allowReach(reach: Reach, { stateTable, mailTable, exportBucket }: JobWorkerProps['data']): void {
    switch (reach) {
      case 'mail':
        return this.allow(['dynamodb:PutItem', 'dynamodb:Query'], [mailTable.tableArn]);
      case 'stock':
        // The stock is changed together with the job's own item, and read when that was refused.
        return this.allowItems(['dynamodb:GetItem', 'dynamodb:UpdateItem'], stateTable.tableArn, [STOCK_PREFIX]);
      case 'orders':
        return this.allowItems(['dynamodb:Query'], stateTable.tableArn, [USER_PREFIX]);
      case 'exports':
        this.allow(['s3:GetObject', 's3:PutObject', 's3:AbortMultipartUpload'], [exportBucket.arnForObjects(`${EXPORT_PREFIX}*`)]);
        // Without it S3 answers 403 for an object that does not exist.
        return this.allow(['s3:ListBucket'], [exportBucket.bucketArn]);
    }
  }
}

type WithReceipts = JobWorkerProps & { readonly settings: { readonly receipts: NonNullable<Settings['receipts']> } };

const sendsMail = (props: JobWorkerProps): props is WithReceipts => props.reaches.includes('mail') && props.settings.receipts !== undefined;

/** One program runs all kinds, but for the one that sends mail where that goes out by SES. */
function programOf(props: JobWorkerProps): Pick<NodeFunctionProps<z.ZodObject>, 'schema' | 'environment' | 'entry'> {
  const environment = environmentOf(props);
  if (!sendsMail(props)) return { schema: executeJobEnvironment, environment };
  const { from, to } = props.settings.receipts;
  return {
    entry: 'index-ses.ts',
    schema: executeJobEnvironment.extend(sesEnvironment.shape),
    environment: { ...environment, MAIL_FROM: from, MAIL_TO: to },
  };
}

/** A kind works on orders, or on items of its own. */
const partitionsOf = ({ item, kind }: AnyJobDefinition): string => (item === undefined ? jobPartitions(kind) : USER_PREFIX);

const environmentOf = ({ settings, jobQueue, data, paymentProvider }: JobWorkerProps): EnvironmentOf<typeof executeJobEnvironment> => ({
  JOB_KIND: jobQueue.definition.kind,
  STATE_TABLE: data.stateTable.tableName,
  CONTROL_TABLE: data.controlTable.tableName,
  MAIL_TABLE: data.mailTable.tableName,
  EXPORT_BUCKET: data.exportBucket.bucketName,
  QUEUE_URL: jobQueue.queue.queueUrl,
  DEAD_LETTER_QUEUE_URL: jobQueue.deadLetterQueue.queueUrl,
  PAYMENT_PROVIDER_URL: paymentProvider.url,
  PAYMENT_PROVIDER_AUTHORIZATION: paymentProvider.signedRoutesArn === undefined ? 'none' : 'iam',
  RATE_LIMITS: JSON.stringify(settings.rateLimits),
  TIME_SCALE: String(settings.timeScale),
  PROVIDER_KEY_HORIZON_SECONDS: String(settings.providerKeyHorizonSeconds),
  UNRESOLVED_AFTER_SECONDS: String(settings.unresolvedAfterSeconds),
});

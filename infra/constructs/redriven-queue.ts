import { Duration } from 'aws-cdk-lib';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { QUEUE_RETENTION_DAYS } from '#shared/contract/limits.ts';
import type { Settings } from '../settings.ts';
import { removalPolicyOf } from './removal-policy.ts';

export interface RedrivenQueueProps {
  readonly settings: Settings;
  readonly visibilityTimeoutSeconds: number;
  /** Deliveries before SQS redrives a message into the dead-letter queue. */
  readonly maxReceiveCount: number;
  /** Messages of one group are received in order; the dead-letter queue of a FIFO queue is one, too. */
  readonly fifo?: boolean;
}

/** Groups do not share one queue-wide limit; every sender brings its own deduplication id, for a body says nothing about intent. */
const FIFO = {
  fifo: true,
  contentBasedDeduplication: false,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} as const;

/**
 * A queue and its dead-letter queue. Both keep messages for as long as SQS allows, because a letter's age counts from
 * when its message was first sent.
 */
export class RedrivenQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;
  readonly visibilityTimeoutSeconds: number;
  readonly fifo: boolean;

  constructor(scope: Construct, id: string, { settings, visibilityTimeoutSeconds, maxReceiveCount, fifo = false }: RedrivenQueueProps) {
    super(scope, id);
    const shared: QueueProps = {
      retentionPeriod: Duration.days(QUEUE_RETENTION_DAYS),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: settings.enforceSsl,
      removalPolicy: removalPolicyOf(settings),
      ...(fifo ? FIFO : {}),
    };
    this.fifo = fifo;
    this.visibilityTimeoutSeconds = visibilityTimeoutSeconds;
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', shared);
    this.queue = new Queue(this, 'Queue', {
      ...shared,
      visibilityTimeout: Duration.seconds(visibilityTimeoutSeconds),
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount },
    });
  }
}

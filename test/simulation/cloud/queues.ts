import { QUEUE_RETENTION_DAYS } from '#shared/contract/limits.ts';
import type { FakeSqs } from '../../support/fake-aws/fake-sqs.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import { type JobQueueDefinition, SETTINGS } from './functions.ts';
import { deadLetterQueueOf, INVALIDATION_RETRY, OUTBOX_FAILED, workerOfKind } from './names.ts';
import type { QueueMappingDefinition } from './queue-mapping.ts';

/** A queue with its dead-letter queue, and the mapping that feeds a function from it. */
export interface RedrivenQueue extends QueueMappingDefinition {
  readonly visibilityTimeoutSeconds: number;
  readonly maxReceiveCount: number;
}

export const RETENTION_SECONDS = QUEUE_RETENTION_DAYS * 86_400;

/** Every queue of the pipeline as its construct makes it (infra/constructs/). */
export function queuesOf(jobQueues: readonly JobQueueDefinition[]): RedrivenQueue[] {
  const workers = jobQueues.map(({ definition, ...queue }) =>
    define({ ...queue, functionName: workerOfKind(definition.kind), ...limitsOf(definition.queue) }),
  );
  const retry = { batchSize: 10, maxConcurrency: 2 };
  const outbox = { queueName: OUTBOX_FAILED, functionName: 'retry-outbox', visibilityTimeoutSeconds: 15 * 60, maxReceiveCount: 96 };
  const retriesOfInvalidation = Math.ceil((3 * SETTINGS.cacheTtlSeconds) / 60);
  const invalidation = { queueName: INVALIDATION_RETRY, functionName: 'retry-invalidation', visibilityTimeoutSeconds: 60 };
  return [...workers, define({ ...outbox, ...retry }), define({ ...invalidation, maxReceiveCount: retriesOfInvalidation, ...retry })];
}

const limitsOf = ({ batchSize, maxConcurrency }: JobQueueDefinition['definition']['queue']) => ({ batchSize, maxConcurrency });

const define = (queue: Omit<RedrivenQueue, 'queueUrl'>): RedrivenQueue => ({ ...queue, queueUrl: urlOf(queue.queueName) });

export function createQueues(sqs: FakeSqs, queues: readonly RedrivenQueue[]): void {
  for (const { queueName, visibilityTimeoutSeconds, maxReceiveCount } of queues) {
    const deadLetterQueue = deadLetterQueueOf(queueName);
    const shared = { ...(queueName.endsWith('.fifo') ? { FifoQueue: 'true' } : {}), MessageRetentionPeriod: String(RETENTION_SECONDS) };
    sqs.createQueue({ QueueName: deadLetterQueue, Attributes: shared });
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${deadLetterQueue}`, maxReceiveCount });
    sqs.createQueue({
      QueueName: queueName,
      Attributes: { ...shared, VisibilityTimeout: String(visibilityTimeoutSeconds), RedrivePolicy },
    });
  }
}

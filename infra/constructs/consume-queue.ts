import { Duration } from 'aws-cdk-lib';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { RedrivenQueue } from './redriven-queue.ts';

interface Consumer {
  readonly lambda: LambdaFunction;
  readonly timeoutSeconds: number;
}

export interface ConsumeQueueOptions {
  readonly batchSize: number;
  readonly maxConcurrency?: number;
  readonly batchingWindowSeconds?: number;
}

const MAX_FIFO_BATCH = 10;
/** AWS asks for six, so that a throttled batch is not delivered a second time while it still waits for its first run. */
const VISIBILITY_PER_FUNCTION_TIMEOUT = 6;

/**
 * Maps a queue to a function. Only what the function names as failed comes back; without that setting a returned failure
 * list would count as success and the messages would be gone.
 *
 * @throws RangeError when the queue shows a message again before a run of the function must have ended, or when a FIFO queue
 * is asked for what it cannot do
 *
 * @returns the id of the mapping
 */
export function consumeQueue(consumer: Consumer, source: RedrivenQueue, options: ConsumeQueueOptions): string {
  const { batchSize, maxConcurrency, batchingWindowSeconds = 0 } = options;
  const leastSeconds = VISIBILITY_PER_FUNCTION_TIMEOUT * consumer.timeoutSeconds + batchingWindowSeconds;
  if (source.visibilityTimeoutSeconds < leastSeconds) {
    throw new RangeError(
      `${source.node.path}: a visibility timeout of ${source.visibilityTimeoutSeconds} s is too short for a function timeout of ` +
        `${consumer.timeoutSeconds} s and a batching window of ${batchingWindowSeconds} s; it needs at least ${leastSeconds} s.`,
    );
  }
  if (source.fifo && (batchSize > MAX_FIFO_BATCH || batchingWindowSeconds > 0)) {
    throw new RangeError(
      `${source.node.path}: a FIFO queue hands out at most ${MAX_FIFO_BATCH} messages at once and knows no batching window.`,
    );
  }
  const mapping = new SqsEventSource(source.queue, {
    batchSize,
    reportBatchItemFailures: true,
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(batchingWindowSeconds === 0 ? {} : { maxBatchingWindow: Duration.seconds(batchingWindowSeconds) }),
  });
  consumer.lambda.addEventSource(mapping);
  return mapping.eventSourceMappingId;
}

import { Duration } from 'aws-cdk-lib';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import type { RedrivenQueue } from './redriven-queue.ts';

interface Consumer {
  readonly live: Alias;
  readonly timeoutSeconds: number;
  allow(actions: string[], resourceArns: string[]): void;
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
  // What the mapping does with the role of its function; the construct for queues would grant more.
  consumer.allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], [source.queue.queueArn]);
  const mapping = consumer.live.addEventSourceMapping('FromQueue', {
    eventSourceArn: source.queue.queueArn,
    batchSize,
    reportBatchItemFailures: true,
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(batchingWindowSeconds === 0 ? {} : { maxBatchingWindow: Duration.seconds(batchingWindowSeconds) }),
  });
  return mapping.eventSourceMappingId;
}

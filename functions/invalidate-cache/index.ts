import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { invalidateCacheEnvironment } from '#shared/contract/environment.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { answerStreamBatch } from '#shared/runtime/stream-batch.ts';
import { invalidateCache } from './handler.ts';

const environment = readEnvironment(invalidateCacheEnvironment);
const cache = createDynamoDbCache({ tableName: environment.CACHE_TABLE, clock: systemClock, random: systemRandom });
const queue = createQueueSender(createSqsClient());
const metrics = createMetrics('invalidate-cache');

export const handler = invalidateCache({
  invalidate: cache.invalidate,
  park: (entries) => queue.send(environment.INVALIDATION_RETRY_QUEUE_URL, entries),
  answerStreamBatch: (failures) => answerStreamBatch(failures, environment.STREAM_FAILURE_MODE),
  countFailures: (count) => metrics.count('InvalidationFailure', count),
  log: createLogger('invalidate-cache'),
});

import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { invalidateCacheEnvironment } from '#shared/contract/environment.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { answerStreamBatch } from '#shared/runtime/stream-batch.ts';
import type { System } from '#shared/runtime/system.ts';
import { invalidateCache } from './handler.ts';

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(invalidateCacheEnvironment, system.environment);
  const cache = createDynamoDbCache({ sdk, tableName: environment.CACHE_TABLE, clock, random });
  const queue = createQueueSender(createSqsClient({ sdk }));
  const measure = system.createMetrics('invalidate-cache');

  return invalidateCache({
    invalidate: cache.invalidate,
    park: (entries) => queue.send(environment.INVALIDATION_RETRY_QUEUE_URL, entries),
    answerStreamBatch: (failures) => answerStreamBatch(failures, environment.STREAM_FAILURE_MODE),
    measure: (failures) => measure({ dimensions: {}, values: { [METRICS.invalidationFailure]: failures } }),
    log: system.createLogger('invalidate-cache'),
  });
}

import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import type { CachePort } from '#shared/cache/cache-port.ts';
import { invalidateCacheEnvironment } from '#shared/contract/environment.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { answerStreamBatch } from '#shared/runtime/stream-batch.ts';
import type { System } from '#shared/runtime/system.ts';
import { invalidateCache } from './handler.ts';

/** @param openCache opens the cache of the stage where it is not the table */
export function wire(system: System, openCache?: (world: System) => CachePort) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(invalidateCacheEnvironment, system.environment);
  const cache = openCache?.(system) ?? createDynamoDbCache({ sdk, tableName: environment.CACHE_TABLE, clock, random });
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

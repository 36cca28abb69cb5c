import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createOrderReader } from '#shared/aws/order-reader.ts';
import { createReadThrough } from '#shared/cache/read-through.ts';
import { readOrderEnvironment } from '#shared/contract/environment.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { readOrder } from './handler.ts';
import { resourceFrom } from './resource.ts';

const environment = readEnvironment(readOrderEnvironment);
const log = createLogger('read-order');
const metrics = createMetrics('read-order');

export const handler = readOrder({
  readThrough: createReadThrough({
    cache: createDynamoDbCache({ tableName: environment.CACHE_TABLE, clock: systemClock, random: systemRandom }),
    clock: systemClock,
    ttlSeconds: environment.CACHE_TTL_SECONDS,
    onCacheError(operation, error) {
      metrics.count('CacheFailure');
      log.warn('cache failed, the table answers', { operation, error: error as Error });
    },
  }),
  resource: resourceFrom(createOrderReader(createDynamoDbClient(), environment.STATE_TABLE), (error) =>
    log.error('order left out of a summary', error),
  ),
  log,
});

import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { retryInvalidationEnvironment } from '#shared/contract/environment.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { retryInvalidation } from './handler.ts';

const cache = createDynamoDbCache({
  tableName: readEnvironment(retryInvalidationEnvironment).CACHE_TABLE,
  clock: systemClock,
  random: systemRandom,
});
const metrics = createMetrics('retry-invalidation');

export const handler = retryInvalidation({
  invalidate: cache.invalidate,
  countFailures: (count) => metrics.count('InvalidationFailure', count),
  log: createLogger('retry-invalidation'),
});

import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { retryInvalidationEnvironment } from '#shared/contract/environment.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { retryInvalidation } from './handler.ts';

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const cache = createDynamoDbCache({
    sdk,
    tableName: readEnvironment(retryInvalidationEnvironment, system.environment).CACHE_TABLE,
    clock,
    random,
  });
  const measure = system.createMetrics('retry-invalidation');

  return retryInvalidation({
    invalidate: cache.invalidate,
    measure: (failures) => measure({ dimensions: {}, values: { [METRICS.invalidationFailure]: failures } }),
    log: system.createLogger('retry-invalidation'),
  });
}

import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import type { CachePort } from '#shared/cache/cache-port.ts';
import { retryInvalidationEnvironment } from '#shared/contract/environment.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { retryInvalidation } from './handler.ts';

/** @param openCache opens the cache of the stage where it is not the table */
export function wire(system: System, openCache?: (world: System) => CachePort) {
  const { clock, random, sdk } = system;
  const { CACHE_TABLE: tableName } = readEnvironment(retryInvalidationEnvironment, system.environment);
  const cache = openCache?.(system) ?? createDynamoDbCache({ sdk, tableName, clock, random });
  const measure = system.createMetrics('retry-invalidation');

  return retryInvalidation({
    invalidate: cache.invalidate,
    measure: (failures) => measure({ dimensions: {}, values: { [METRICS.invalidationFailure]: failures } }),
    log: system.createLogger('retry-invalidation'),
  });
}

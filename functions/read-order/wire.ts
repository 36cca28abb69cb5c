import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createOrderReader } from '#shared/aws/order-reader.ts';
import type { CachePort } from '#shared/cache/cache-port.ts';
import { createReadThrough } from '#shared/cache/read-through.ts';
import { readOrderEnvironment } from '#shared/contract/environment.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { readOrder } from './handler.ts';
import { resourceFrom } from './resource.ts';

/** @param openCache opens the cache of the stage where it is not the table */
export function wire(system: System, openCache?: (world: System) => CachePort) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(readOrderEnvironment, system.environment);
  const log = system.createLogger('read-order');
  const measure = system.createMetrics('read-order');

  return readOrder({
    readThrough: createReadThrough({
      cache: openCache?.(system) ?? createDynamoDbCache({ sdk, tableName: environment.CACHE_TABLE, clock, random }),
      clock,
      ttlSeconds: environment.CACHE_TTL_SECONDS,
      onCacheError(operation, error) {
        const counted = measure({ dimensions: {}, values: { [METRICS.cacheFailure]: 1 } });
        log.warn('cache failed, the table answers', { operation, error: error as Error, ...counted });
      },
    }),
    resource: resourceFrom(createOrderReader(createDynamoDbClient({ sdk }), environment.STATE_TABLE), (error) =>
      log.error('order left out of a summary', { error }),
    ),
    measure: (hit) => measure({ dimensions: {}, values: { [METRICS.cacheReads]: 1, [METRICS.cacheHits]: hit ? 1 : 0 } }),
    log,
  });
}

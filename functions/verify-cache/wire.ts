import { createCacheEntries } from '#shared/aws/cache-entries.ts';
import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createOrderReader } from '#shared/aws/order-reader.ts';
import { tableTruth } from '#shared/cache/table-truth.ts';
import { verifyCacheEnvironment } from '#shared/contract/environment.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { verifyCache } from './handler.ts';

/** Rows looked at in a run. */
const SAMPLE = 100;
/** Far more than the stream takes; what is still wrong then is not merely late. */
const LAG_MS = 60_000;

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(verifyCacheEnvironment, system.environment);
  const dynamodb = createDynamoDbClient({ sdk });
  const cached = createCacheEntries(dynamodb, environment.CACHE_TABLE, random);

  return verifyCache({
    verification: {
      entries: () => cached.some(SAMPLE),
      entry: cached.one,
      valueIn: cached.valueIn,
      truth: tableTruth(createOrderReader(dynamodb, environment.STATE_TABLE)),
      clock,
      lagMs: LAG_MS * environment.TIME_SCALE,
      sample: 'all',
    },
    cache: createDynamoDbCache({ sdk, tableName: environment.CACHE_TABLE, clock, random }),
    measure: system.createMetrics('verify-cache'),
    log: system.createLogger('verify-cache'),
  });
}

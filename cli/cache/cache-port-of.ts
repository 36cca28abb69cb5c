import { createDynamoDbCache } from '#shared/aws/dynamodb-cache.ts';
import type { CachePort } from '#shared/cache/cache-port.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import type { Session } from '../session.ts';

/** The cache by its own port, which knows how a key is invalidated; at the session's endpoint, with its credentials. */
export function cachePortOf({ clients, output }: Session): Pick<CachePort, 'invalidate'> {
  const { region, credentials, endpoint } = clients.dynamoDb.config;
  const config = { region, credentials, ...(endpoint === undefined ? {} : { endpoint }) };
  return createDynamoDbCache({ tableName: output(STACK_OUTPUTS.cacheTable), clock: systemClock, random: systemRandom, sdk: { config } });
}

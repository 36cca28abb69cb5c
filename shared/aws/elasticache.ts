import type * as z from 'zod';
import type { CachePort } from '#shared/cache/cache-port.ts';
import type { valkeyEnvironment } from '#shared/contract/environment.ts';
import type { Clock } from '#shared/runtime/clock.ts';
import type { Random } from '#shared/runtime/random.ts';
import { createDynamoDbClient } from './dynamodb-client.ts';
import type { SdkOptions } from './sdk-options.ts';
import { createValkeyCache } from './valkey-cache.ts';
import { createValkeyConnection } from './valkey-connection.ts';
import { loginByIam } from './valkey-login.ts';

interface World {
  readonly clock: Clock;
  readonly random: Random;
  readonly sdk: SdkOptions;
}

/** The cache port on ElastiCache Serverless: over TLS, and with the credentials of the function, so that no password lies anywhere. */
export function openElastiCache(
  environment: z.output<typeof valkeyEnvironment>,
  { clock, random, sdk }: World,
  options: { readonly invalidationAttempts?: number } = {},
): CachePort {
  const { CACHE_HOST: host, CACHE_PORT: port, CACHE_NAME: cacheName, CACHE_USER: userName } = environment;
  // Its signer signs the login; no request is made with it.
  const login = loginByIam(createDynamoDbClient({ sdk }), { cacheName, userName });
  return createValkeyCache({ connection: createValkeyConnection({ host, port, tls: true, login }), clock, random, ...options });
}

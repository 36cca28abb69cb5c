import { openElastiCache } from '#shared/aws/elasticache.ts';
import { valkeyEnvironment } from '#shared/contract/environment.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { system } from '#shared/runtime/system.ts';
import { withoutWords } from '#shared/runtime/without-words.ts';
import { wire } from './wire.ts';

/** The entry of stages whose cache is a Valkey server. */
export const handler = withoutWords(
  wire(system, (world) => openElastiCache(readEnvironment(valkeyEnvironment, world.environment), world, { invalidationAttempts: 1 })),
);

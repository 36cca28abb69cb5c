import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { acceptJobEnvironment } from '#shared/contract/environment.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(acceptJobEnvironment, system.environment);
  const logger = system.createLogger('accept-export');

  return createHandler({
    store: createItemStore(createDynamoDbClient({ sdk }), environment.STATE_TABLE),
    clock,
    random,
    log: (answer, exportId, requestId, trace) => logger.info('export requested', { answer, exportId, requestId, trace }),
    logFailure: (error, requestId) =>
      logger.error('export not confirmed', { code: error instanceof Error ? error.name : typeof error, requestId }),
  });
}

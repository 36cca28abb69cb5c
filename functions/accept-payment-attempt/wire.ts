import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { acceptOrderEnvironment } from '#shared/contract/environment.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(acceptOrderEnvironment, system.environment);
  const logger = system.createLogger('accept-payment-attempt');

  return createHandler({
    store: createItemStore(createDynamoDbClient({ sdk }), environment.STATE_TABLE),
    clock,
    random,
    log: (answer, orderId, requestId, trace) => logger.info('payment-attempt requested', { answer, orderId, requestId, trace }),
    logFailure: (error, requestId) =>
      logger.error('payment-attempt not confirmed', { code: error instanceof Error ? error.name : typeof error, requestId }),
  });
}

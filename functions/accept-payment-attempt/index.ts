import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { acceptOrderEnvironment } from '#shared/contract/environment.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { createHandler } from './handler.ts';

const environment = readEnvironment(acceptOrderEnvironment);
const logger = createLogger('accept-payment-attempt');

export const handler = createHandler({
  store: createItemStore(createDynamoDbClient(), environment.STATE_TABLE),
  clock,
  random,
  log: (answer, orderId, requestId) => logger.info('payment-attempt requested', { answer, orderId, requestId }),
  logFailure: (error, requestId) =>
    logger.error('payment-attempt not confirmed', { code: error instanceof Error ? error.name : typeof error, requestId }),
});

import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { acceptOrderEnvironment } from '#shared/contract/environment.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { createHandler } from './handler.ts';

const environment = readEnvironment(acceptOrderEnvironment);
const logger = createLogger('accept-order');

export const handler = createHandler({
  store: createItemStore(createDynamoDbClient(), environment.STATE_TABLE),
  clock,
  random,
  logAccepted: (accepted, requestId) =>
    logger.info('order accepted', {
      answer: accepted.kind,
      ...(accepted.kind === 'key-reused' ? {} : { orderId: accepted.order.orderId }),
      requestId,
    }),
  logFailure: (error, requestId) =>
    logger.error('order not confirmed', { code: error instanceof Error ? error.name : typeof error, requestId }),
});

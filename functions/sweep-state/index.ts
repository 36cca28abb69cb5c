import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { createStateScan } from '#shared/aws/state-scan.ts';
import { readQueueUrls, sweepStateEnvironment } from '#shared/contract/environment.ts';
import { createBookmarks } from '#shared/rescue/bookmarks.ts';
import { createClosedKinds } from '#shared/rescue/closed-kinds.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { createHandler } from './handler.ts';

const environment = readEnvironment(sweepStateEnvironment);
const timeScale = environment.TIME_SCALE;
const dynamodb = createDynamoDbClient();
const control = createControlTable(dynamodb, environment.CONTROL_TABLE);
const logger = createLogger('sweep-state');

export const handler = createHandler({
  parts: {
    scan: createStateScan(dynamodb, environment.STATE_TABLE),
    bookmarks: createBookmarks(control, clock),
    segments: environment.SWEEP_SEGMENTS,
    readUnitsPerSecond: environment.SWEEP_READ_UNITS_PER_SECOND,
  },
  sweep: {
    store: createItemStore(dynamodb, environment.STATE_TABLE),
    queueUrls: readQueueUrls(environment.QUEUE_URLS),
    sender: createQueueSender(createSqsClient()),
    isClosedFor: createClosedKinds({ control, clock, timeScale }),
    keyHorizonMs: environment.PROVIDER_KEY_HORIZON_SECONDS * 1000,
    timeScale,
    clock,
    random,
  },
  count: createMetrics('sweep-state').count,
  log: (run) => logger.info('swept', { ...run }),
});

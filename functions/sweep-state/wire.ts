import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { createStateScan } from '#shared/aws/state-scan.ts';
import { readQueueUrls, sweepStateEnvironment } from '#shared/contract/environment.ts';
import { createBookmarks } from '#shared/rescue/bookmarks.ts';
import { createClosedKinds } from '#shared/rescue/closed-kinds.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(sweepStateEnvironment, system.environment);
  const timeScale = environment.TIME_SCALE;
  const dynamodb = createDynamoDbClient({ sdk });
  const control = createControlTable(dynamodb, environment.CONTROL_TABLE);
  const logger = system.createLogger('sweep-state');
  const measure = system.createMetrics('sweep-state');

  return createHandler({
    parts: {
      scan: createStateScan(dynamodb, environment.STATE_TABLE),
      bookmarks: createBookmarks(control, clock),
      segments: environment.SWEEP_SEGMENTS,
      readUnitsPerSecond: environment.SWEEP_READ_UNITS_PER_SECOND,
    },
    sweep: {
      store: createItemStore(dynamodb, environment.STATE_TABLE),
      queueUrls: readQueueUrls(environment.QUEUE_URLS),
      sender: createQueueSender(createSqsClient({ sdk })),
      isClosedFor: createClosedKinds({ control, clock, timeScale }),
      keyHorizonMs: environment.PROVIDER_KEY_HORIZON_SECONDS * 1000,
      timeScale,
      clock,
      random,
    },
    log: (run, measured) => logger.info('swept', { ...run, ...measure(measured) }),
  });
}

import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createLambdaClient } from '#shared/aws/lambda-client.ts';
import { createLambdaMappings } from '#shared/aws/lambda-mappings.ts';
import { createOverdueIndex } from '#shared/aws/overdue-index.ts';
import { createSqsClient } from '#shared/aws/sqs-client.ts';
import { createQueueSender } from '#shared/aws/sqs-queue.ts';
import { readMappingIds, readQueueUrls, rescueJobsEnvironment } from '#shared/contract/environment.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { createClosedKinds } from '#shared/rescue/closed-kinds.ts';
import { enableForgottenMappings } from '#shared/rescue/forgotten-mappings.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { createHandler } from './handler.ts';

const environment = readEnvironment(rescueJobsEnvironment);
const queueUrls = readQueueUrls(environment.QUEUE_URLS);
const mappingIds = readMappingIds(environment.MAPPING_IDS);
const timeScale = environment.TIME_SCALE;
const dynamodb = createDynamoDbClient();
const control = createControlTable(dynamodb, environment.CONTROL_TABLE);
const mappings = createLambdaMappings(createLambdaClient(), mappingIds);
const logger = createLogger('rescue-jobs');

export const handler = createHandler({
  index: createOverdueIndex(dynamodb, environment.STATE_TABLE),
  rescue: {
    store: createItemStore(dynamodb, environment.STATE_TABLE),
    queueUrls,
    sender: createQueueSender(createSqsClient()),
    isClosedFor: createClosedKinds({ control, clock, timeScale }),
    visibilityTimeoutMs(kind) {
      const definition = jobOfKind(kind);
      return definition === undefined ? 0 : deriveTiming(definition.timing, { scale: timeScale }).visibilityTimeoutSeconds * 1000;
    },
    keyHorizonMs: environment.PROVIDER_KEY_HORIZON_SECONDS * 1000,
    timeScale,
    clock,
    random,
  },
  enableForgottenMappings: () => enableForgottenMappings({ control, mappings, kinds: Object.keys(mappingIds), clock }),
  count: createMetrics('rescue-jobs').count,
  log: (run) => logger.info('rescued', { ...run }),
});

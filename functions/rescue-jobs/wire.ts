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
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(rescueJobsEnvironment, system.environment);
  const queueUrls = readQueueUrls(environment.QUEUE_URLS);
  const mappingIds = readMappingIds(environment.MAPPING_IDS);
  const timeScale = environment.TIME_SCALE;
  const dynamodb = createDynamoDbClient({ sdk });
  const control = createControlTable(dynamodb, environment.CONTROL_TABLE);
  const mappings = createLambdaMappings(createLambdaClient({ sdk }), mappingIds);
  const logger = system.createLogger('rescue-jobs');
  const measure = system.createMetrics('rescue-jobs');

  return createHandler({
    index: createOverdueIndex(dynamodb, environment.STATE_TABLE),
    rescue: {
      store: createItemStore(dynamodb, environment.STATE_TABLE),
      queueUrls,
      sender: createQueueSender(createSqsClient({ sdk })),
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
    log: (run, measured) => logger.info('rescued', { ...run, ...measure(measured) }),
  });
}

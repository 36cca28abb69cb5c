import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createLambdaClient } from '#shared/aws/lambda-client.ts';
import { createLambdaMappings } from '#shared/aws/lambda-mappings.ts';
import { governQueuesEnvironment, readMappingIds } from '#shared/contract/environment.ts';
import { jobs } from '#shared/jobs/index.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { createMetrics } from '#shared/runtime/metrics.ts';
import { createHandler } from './handler.ts';

const environment = readEnvironment(governQueuesEnvironment);
const logger = createLogger('govern-queues');

export const handler = createHandler({
  jobs,
  control: createControlTable(createDynamoDbClient(), environment.CONTROL_TABLE),
  mappings: createLambdaMappings(createLambdaClient(), readMappingIds(environment.MAPPING_IDS)),
  clock,
  timeScale: environment.TIME_SCALE,
  maxConcurrency: environment.MAX_CONCURRENCY,
  gauge: createMetrics('govern-queues').gauge,
  log: (run) => logger.info('governed', { ...run }),
});

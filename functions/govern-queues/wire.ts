import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createLambdaClient } from '#shared/aws/lambda-client.ts';
import { createLambdaMappings } from '#shared/aws/lambda-mappings.ts';
import { governQueuesEnvironment, readMappingIds } from '#shared/contract/environment.ts';
import { jobs } from '#shared/jobs/index.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, sdk } = system;
  const environment = readEnvironment(governQueuesEnvironment, system.environment);
  const logger = system.createLogger('govern-queues');
  const measure = system.createMetrics('govern-queues');

  return createHandler({
    jobs,
    control: createControlTable(createDynamoDbClient({ sdk }), environment.CONTROL_TABLE),
    mappings: createLambdaMappings(createLambdaClient({ sdk }), readMappingIds(environment.MAPPING_IDS)),
    clock,
    timeScale: environment.TIME_SCALE,
    maxConcurrency: environment.MAX_CONCURRENCY,
    log(run, measured) {
      logger.info('governed', { ...run });
      for (const one of measured) logger.info('queue governed', measure(one));
    },
  });
}

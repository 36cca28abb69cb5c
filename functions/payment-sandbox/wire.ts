import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createSandboxTable } from '#shared/aws/sandbox-table.ts';
import { paymentSandboxEnvironment } from '#shared/contract/environment.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { createHandler } from './handler.ts';

export function wire(system: System) {
  const { clock, random, sdk } = system;
  const environment = readEnvironment(paymentSandboxEnvironment, system.environment);
  const logger = system.createLogger('payment-sandbox');

  return createHandler({
    ledger: createSandboxTable({ client: createDynamoDbClient({ sdk }), tableName: environment.SANDBOX_TABLE }),
    clock,
    random,
    slowAnswerMs: environment.SLOW_ANSWER_MS,
    log: (line) => logger.info('request answered', line),
  });
}

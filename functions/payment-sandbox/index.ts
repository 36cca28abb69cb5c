import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createSandboxTable } from '#shared/aws/sandbox-table.ts';
import { paymentSandboxEnvironment } from '#shared/contract/environment.ts';
import { systemClock } from '#shared/runtime/clock.ts';
import { readEnvironment } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { systemRandom } from '#shared/runtime/random.ts';
import { createHandler } from './handler.ts';

const environment = readEnvironment(paymentSandboxEnvironment);
const logger = createLogger('payment-sandbox');

export const handler = createHandler({
  ledger: createSandboxTable({ client: createDynamoDbClient(), tableName: environment.SANDBOX_TABLE }),
  clock: systemClock,
  random: systemRandom,
  slowAnswerMs: environment.SLOW_ANSWER_MS,
  log: (line) => logger.info('request answered', line),
});

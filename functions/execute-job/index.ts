import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createMailTable } from '#shared/aws/mail-table.ts';
import { createDeadLetterQueue, handBack } from '#shared/aws/sqs-queue.ts';
import type { SqsClient } from '#shared/aws/sqs-client.ts';
import { executeJobEnvironment } from '#shared/contract/environment.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { readEnvironment, refuseDisabledIdempotency } from '#shared/runtime/environment.ts';
import { createLogger } from '#shared/runtime/logger.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { createHandler } from './handler.ts';

refuseDisabledIdempotency();
const environment = readEnvironment(executeJobEnvironment);
const definition = jobOfKind(environment.JOB_KIND);
if (definition === undefined) throw new Error(`no job kind is called ${environment.JOB_KIND}; see shared/jobs/index.ts`);

const logger = createLogger('execute-job');
const dynamodb = createDynamoDbClient();
let sqsClient: Promise<SqsClient> | undefined;
const sqs = (): Promise<SqsClient> => {
  sqsClient ??= import('#shared/aws/sqs-client.ts').then(({ createSqsClient }) => createSqsClient());
  return sqsClient;
};

export const handler = createHandler({
  worker: {
    definition,
    timing: deriveTiming(definition.timing, { scale: environment.TIME_SCALE, batchingWindowSeconds: definition.queue.batchingWindowSeconds ?? 0 }),
    timeScale: environment.TIME_SCALE,
    store: createItemStore(dynamodb, environment.STATE_TABLE),
    ports: {
      payments: createSandboxClient({ baseUrl: environment.PAYMENT_PROVIDER_URL, fetch }),
      mail: createMailTable(dynamodb, { tableName: environment.MAIL_TABLE, random, clock }),
    },
    deadLetters: createDeadLetterQueue(sqs, environment.DEAD_LETTER_QUEUE_URL),
    clock,
    random,
  },
  handBack: (messages) => handBack(sqs, environment.QUEUE_URL, messages),
  log: (batch) => logger.info('batch', { kind: definition.kind, ...batch }),
});

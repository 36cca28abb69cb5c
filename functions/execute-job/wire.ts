import type * as z from 'zod';
import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createMailTable } from '#shared/aws/mail-table.ts';
import { createObjectStorage } from '#shared/aws/object-storage.ts';
import { createOrderPages } from '#shared/aws/order-page.ts';
import { signedFetch } from '#shared/aws/signed-fetch.ts';
import { createDeadLetterQueue, handBack } from '#shared/aws/sqs-queue.ts';
import { createStockReader } from '#shared/aws/stock-reader.ts';
import { executeJobEnvironment, readRateLimits } from '#shared/contract/environment.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import type { MailPort } from '#shared/mail/mail-port.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import { readEnvironment, refuseDisabledIdempotency } from '#shared/runtime/environment.ts';
import type { System } from '#shared/runtime/system.ts';
import { createGate } from '#shared/worker/gate.ts';
import { countCalls } from './count-calls.ts';
import { createHandler } from './handler.ts';
import { noteTimes } from './time-taken.ts';

/** Parts that a stage chose instead of the embedded ones. */
export interface ChosenParts {
  readonly openMail?: (world: System, dynamodb: Outside['dynamodb'], log: ReturnType<System['createLogger']>) => MailPort;
}

export function wire(system: System, { openMail }: ChosenParts = {}) {
  const { clock, random, sdk } = system;
  refuseDisabledIdempotency(system.environment);
  const environment = readEnvironment(executeJobEnvironment, system.environment);
  const definition = jobOfKind(environment.JOB_KIND);
  if (definition === undefined) throw new Error(`no job kind is called ${environment.JOB_KIND}; see shared/jobs/index.ts`);

  const logger = system.createLogger('execute-job');
  const measure = system.createMetrics('execute-job');
  const dynamodb = createDynamoDbClient({ sdk });
  const providerFetch = environment.PAYMENT_PROVIDER_AUTHORIZATION === 'iam' ? signedFetch(dynamodb, system.fetch) : system.fetch;
  const counted = countCalls(createSandboxClient({ baseUrl: environment.PAYMENT_PROVIDER_URL, fetch: providerFetch }));
  const sqs = whenNeeded(async () => (await import('#shared/aws/sqs-client.ts')).createSqsClient({ sdk }));

  /** Two that met on one item would meet again without a little chance. */
  const pauseAfterConflict = (tries: number): Promise<void> => clock.sleep(tries * 50 * (0.5 + random.fraction() / 2));
  const times = noteTimes(clock.nowMs);
  const store = times.store(createItemStore(dynamodb, environment.STATE_TABLE, pauseAfterConflict));
  const mail = openMail?.(system, dynamodb, logger) ?? createMailTable(dynamodb, { tableName: environment.MAIL_TABLE, random, clock });
  const gate = wireGate(system, environment, { dynamodb, store, mail, payments: times.payments(counted.payments) });

  return createHandler({
    worker: {
      definition,
      timing: deriveTiming(definition.timing, {
        scale: environment.TIME_SCALE,
        batchingWindowSeconds: definition.queue.batchingWindowSeconds ?? 0,
      }),
      timeScale: environment.TIME_SCALE,
      store,
      gate,
      extendVisibility: async (delivery, delaySeconds) =>
        void (await handBack(sqs, environment.QUEUE_URL, [{ ...delivery, delaySeconds }])),
      keyHorizonMs: environment.PROVIDER_KEY_HORIZON_SECONDS * 1000,
      unresolvedAfterMs: environment.UNRESOLVED_AFTER_SECONDS * 1000,
      deadLetters: createDeadLetterQueue(sqs, environment.DEAD_LETTER_QUEUE_URL),
      clock,
      random,
    },
    handBack: (messages) => handBack(sqs, environment.QUEUE_URL, messages),
    takeCalls: counted.take,
    log(batch, measured) {
      logger.info('batch', { kind: definition.kind, ...batch, ...times.take(), ...measure(measured.kind) });
      for (const one of measured.classes) logger.info('failures', measure(one));
    },
  });
}

type Environment = z.output<typeof executeJobEnvironment>;
interface Outside {
  readonly dynamodb: ReturnType<typeof createDynamoDbClient>;
  readonly store: ReturnType<typeof createItemStore>;
  readonly payments: PaymentPort;
  readonly mail: MailPort;
}

function wireGate({ clock, random, sdk }: System, environment: Environment, { dynamodb, store, payments, mail }: Outside) {
  const s3 = whenNeeded(async () => (await import('#shared/aws/s3-client.ts')).createS3Client({ sdk }));
  return createGate({
    control: createControlTable(dynamodb, environment.CONTROL_TABLE),
    clock,
    random,
    timeScale: environment.TIME_SCALE,
    callsPerSecond: readRateLimits(environment.RATE_LIMITS),
    ports: {
      payments,
      mail,
      stock: createStockReader(store),
      orderPages: createOrderPages(dynamodb, environment.STATE_TABLE),
      objects: createObjectStorage(s3, environment.EXPORT_BUCKET),
    },
  });
}

/** Most runs need no client but DynamoDB's, and a cold start pays for each one that is loaded. */
function whenNeeded<Client>(create: () => Promise<Client>): () => Promise<Client> {
  let client: Promise<Client> | undefined;
  return () => {
    client ??= create();
    return client;
  };
}

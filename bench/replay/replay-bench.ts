import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { createControlTable } from '#shared/aws/control-table.ts';
import { createLetterQueue } from '#shared/aws/letter-queue.ts';
import { queueText } from '#shared/contract/queue-text.ts';
import { LETTER_ATTRIBUTE, writeLetter } from '#shared/dead-letter/letter.ts';
import { intentHash } from '#shared/idempotency/intent-hash.ts';
import { operationAttribute } from '#shared/item/attributes.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { type AnyJobDefinition, job } from '#shared/worker/define-job.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { targetOf } from '#shared/worker/job-target.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { clientConfig } from '../../cli/aws/clients.ts';
import { queueFacts } from '../../cli/aws/queues.ts';
import { type ActWorld, replayingIn } from '../../cli/dead-letters/acts.ts';
import type { LetterDesk } from '../../cli/dead-letters/letter-desk.ts';
import { createPace } from '../../cli/dead-letters/pace.ts';
import { workOff } from '../../cli/dead-letters/work-off.ts';
import { plainTable, stateTable } from '../../test/support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../test/support/fake-aws/request-handler.ts';

/** Milliseconds that each call to AWS takes. */
const LATENCY_MS = 20;
const wait = (durationMs: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, durationMs));

interface Bench {
  readonly world: ActWorld;
  readonly desk: LetterDesk;
  readonly calls: Readonly<Record<string, number>>;
  lettersLeft(): number;
  messagesSent(): number;
}

/** Letters of one SKU stand in one group, and SQS hands out no others of it while some are held. */
const LETTERS_PER_GROUP = 20;

/** What differs from kind to kind: whose jobs they are, and what their items say besides. */
const SORTS = {
  standard: {
    definition: capturePayment as AnyJobDefinition,
    payload: (number: number): object => ({ userId: `u-${number}`, orderId: `o-${number}`, attempt: 1 }),
    business: { status: 'pending_payment', attempt: 1, amountMinor: 1250, currency: 'EUR' } as object,
    ids: (_message: object): { group?: string; deduplicationId?: string } => ({}),
    suffix: '',
  },
  fifo: {
    definition: adjustStock as AnyJobDefinition,
    payload: (number: number): object => ({ sku: `s-${Math.floor(number / LETTERS_PER_GROUP)}`, adjustmentId: `a-${number}`, delta: 1 }),
    business: {} as object,
    ids: (message: object): { group?: string; deduplicationId?: string } => fifoIds(message as never, () => adjustStock) ?? {},
    suffix: '.fifo',
  },
};

interface Letters {
  readonly sort?: keyof typeof SORTS;
  /** Whether the letters' operations have to be armed again. */
  readonly discarded: boolean;
}

/** The real SDK over state machines in memory, each call held up. */
function createBench(count: number, { sort = 'standard', discarded }: Letters): Bench {
  const { definition, payload: payloadOf, business, ids, suffix } = SORTS[sort];
  const aws = createFakeAws({ now: Date.now });
  aws.dynamodb.createTable(stateTable('State'));
  aws.dynamodb.createTable(plainTable('Control', ['id']));
  const Attributes = { MessageRetentionPeriod: String(14 * 86_400) };
  const fifo = suffix !== '';
  const [queueUrl, deadLetterQueueUrl] = [`q${suffix}`, `q-dlq${suffix}`].map((QueueName) =>
    aws.sqs.createQueue({ QueueName, Attributes: { ...Attributes, ...(fifo ? { FifoQueue: 'true' } : {}) } }),
  ) as [string, string];
  for (let number = 0; number < count; number++) {
    const payload = payloadOf(number);
    const { key, operation } = targetOf(definition, payload);
    const record = {
      status: 'discarded',
      reason: 'attempts-spent',
      hash: intentHash(definition.intent(payload)),
      atMs: 1,
      by: 'w',
      fence: 7,
      tries: 6,
      buried: true,
    };
    const free = { ...key, ...payload, ...business, version: 9, fence: 7, lease: 'free' };
    const item = discarded ? { ...free, [operationAttribute(operation)]: record } : free;
    aws.dynamodb.handle('PutItem', { TableName: 'State', Item: toAttributeValues(item) });
    const message = outboxMessage(job(definition, payload), 1);
    const { group, deduplicationId } = ids(message);
    const why = writeLetter({ kind: definition.kind, reason: 'attempts-spent', attempts: 6, firstSeenAtMs: 1, lastSeenAtMs: 2 });
    aws.sqs.handle('SendMessage', {
      QueueUrl: deadLetterQueueUrl,
      MessageBody: queueText(message),
      ...(group === undefined ? {} : { MessageGroupId: group, MessageDeduplicationId: deduplicationId }),
      MessageAttributes: { [LETTER_ATTRIBUTE]: { DataType: 'String', StringValue: JSON.stringify(why) } },
    });
  }
  const calls: Record<string, number> = {};
  aws.fault = async ({ operation }) => {
    aws.calls.length = 0;
    calls[operation] = (calls[operation] ?? 0) + 1;
    await wait(LATENCY_MS);
    return undefined;
  };
  const { requestHandler, credentials } = aws.clientConfig;
  const target = { stage: 'bench', region: 'us-east-1', endpointUrl: undefined, profile: undefined };
  const config = { ...clientConfig(target), requestHandler, credentials };
  const clients = { dynamoDb: new DynamoDBClient(config as DynamoDBClientConfig), sqs: new SQSClient(config as SQSClientConfig) };
  const letters = createLetterQueue(clients.sqs, deadLetterQueueUrl);
  return {
    world: { clients, stateTable: 'State', control: createControlTable(clients.dynamoDb, 'Control') },
    desk: {
      name: definition.kind,
      source: { deadLetterQueueName: `q-dlq${suffix}`, queueUrl, fifo, definition },
      letters,
      facts: () => queueFacts(clients.sqs, deadLetterQueueUrl),
    },
    calls,
    lettersLeft: () => aws.sqs.messages(`q-dlq${suffix}`).length,
    messagesSent: () => aws.sqs.messages(`q${suffix}`).length,
  };
}

/** @returns letters a second */
async function measure(title: string, count: number, { ratePerSecond, ...letters }: Letters & { ratePerSecond?: number }): Promise<number> {
  const bench = createBench(count, letters);
  let done = 0;
  const failed = new Map<string, number>();
  const startedAtMs = performance.now();
  await workOff(bench.desk, {
    act: replayingIn(bench.world, { who: 'bench', why: 'bench' })(bench.desk),
    isWanted: () => true,
    sentBeforeMs: Number.POSITIVE_INFINITY,
    signal: new AbortController().signal,
    onOutcome: (outcome) => {
      if (outcome.kind === 'done') done++;
      else failed.set(outcome.code, (failed.get(outcome.code) ?? 0) + 1);
    },
    ...(ratePerSecond === undefined
      ? {}
      : { pace: createPace(ratePerSecond, { nowMs: Date.now, sleep: (durationMs) => wait(durationMs) }) }),
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  const perSecond = done / seconds;
  const calls = Object.entries(bench.calls).map(([operation, number]) => `${operation} ${number}`);
  console.log(`${title}: ${done} of ${count} letters in ${seconds.toFixed(2)} s, ${Math.round(perSecond)} a second; ${calls.join(', ')}`);
  if (done !== count || bench.lettersLeft() > 0 || bench.messagesSent() !== count)
    throw new Error(`not all were replayed: ${JSON.stringify([...failed])}`);
  return perSecond;
}

await measure('warm-up', 2_000, { discarded: true });
await measure('untouched operations', 20_000, { discarded: false });
await measure('operations armed again', 20_000, { discarded: true });
await measure('operations armed again, in FIFO groups of twenty', 5_000, { sort: 'fifo', discarded: true });
await measure('capped at 500 a second', 3_000, { discarded: true, ratePerSecond: 500 });
await measure('capped at 200 a second, in FIFO groups of twenty', 2_000, { sort: 'fifo', discarded: true, ratePerSecond: 200 });

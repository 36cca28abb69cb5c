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
import type { Part } from '../report/part.ts';
import { formatSpread, type Spread, spreadOf } from '../report/spread.ts';

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

interface Replayed {
  readonly perSecond: number;
  readonly calls: string;
}

async function measure(count: number, { ratePerSecond, ...letters }: Letters & { ratePerSecond?: number }): Promise<Replayed> {
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
  if (done !== count || bench.lettersLeft() > 0 || bench.messagesSent() !== count)
    throw new Error(`not all were replayed: ${JSON.stringify([...failed])}`);
  return {
    perSecond: done / seconds,
    calls: Object.entries(bench.calls)
      .map(([operation, number]) => `${operation} ${number}`)
      .join(', '),
  };
}

interface Case extends Letters {
  readonly title: string;
  readonly count: number;
  readonly ratePerSecond?: number;
}

const CASES: readonly Case[] = [
  { title: 'untouched operations', count: 20_000, discarded: false },
  { title: 'operations armed again', count: 20_000, discarded: true },
  { title: 'operations armed again, in FIFO groups of twenty', count: 5_000, sort: 'fifo', discarded: true },
  { title: 'capped at 500 a second', count: 3_000, discarded: true, ratePerSecond: 500 },
  { title: 'capped at 200 a second, in FIFO groups of twenty', count: 2_000, sort: 'fifo', discarded: true, ratePerSecond: 200 },
];
const LEAST_PER_SECOND = 3_000;

export const replay: Part = {
  title: 'Dead letters replayed a second',
  timed: true,
  async run({ runs, say }) {
    await measure(2_000, { discarded: true });
    const measured: { readonly one: Case; readonly spread: Spread; readonly calls: string }[] = [];
    for (const { title, count, ...how } of CASES) {
      const results: Replayed[] = [];
      for (let run = 0; run < runs; run++) results.push(await measure(count, how));
      const spread = spreadOf(results.map(({ perSecond }) => perSecond));
      say(`${title}: ${formatSpread(spread)} a second`);
      measured.push({ one: { title, count, ...how }, spread, calls: results.at(-1)?.calls ?? '' });
    }
    const uncapped = measured.filter(({ one }) => one.ratePerSecond === undefined && one.sort === undefined);
    return {
      budgets: uncapped.map(({ one, spread }) => ({
        what: `replay, ${one.title}, ${LATENCY_MS} ms a call`,
        budget: `≥ ${LEAST_PER_SECOND.toLocaleString('en-GB')} letters/s`,
        measured: `${formatSpread(spread)} letters/s`,
        kept: spread.median >= LEAST_PER_SECOND,
      })),
      tables: [
        {
          title: 'Replay',
          head: ['Letters', 'How many', 'A second: median (least–most)', 'Calls of one run'],
          rows: measured.map(({ one, spread, calls }) => [one.title, one.count, formatSpread(spread), calls]),
        },
      ],
      charts: [],
      notes: [
        `The code behind \`dlq replay\`, with the SDK over state machines, each call held up for ${LATENCY_MS} ms; audit rows, arming and deletion included.`,
      ],
    };
  },
};

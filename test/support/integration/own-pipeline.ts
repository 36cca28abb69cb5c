import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import type { SdkOptions } from '#shared/aws/sdk-options.ts';
import { type ItemKey, orderItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import type { Letter } from '#shared/dead-letter/letter.ts';
import type { OrderView } from '#shared/domain/order.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import type { Receipt } from '#shared/mail/mail-port.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { openGate } from '#shared/worker/gate.ts';
import type { Ports } from '#shared/worker/ports.ts';
import { createHandler as createAcceptOrder } from '../../../functions/accept-order/handler.ts';
import { createHandler as createExecuteJob } from '../../../functions/execute-job/handler.ts';
import './deployment.ts';
import { createMovableClock, type MovableClock } from './movable-clock.ts';
import { uniqueName } from './names.ts';
import { createOwnStateTable, type OwnTable } from './own-table.ts';
import { createPayments } from './provider.ts';
import { type Item, stateItem } from './tables.ts';

/** Unscaled: waiting is the clock's affair, and a provider on a busy machine gets the time a real one gets. */
const TIME_SCALE = 1;

export interface DeliveryOptions {
  readonly definition?: AnyJobDefinition;
  readonly payments?: PaymentPort;
  readonly receiveCount?: number;
}

export interface DeliveryReport {
  /** One word a message, in the order of the log. */
  readonly outcomes: readonly string[];
  /** Bodies that come back. */
  readonly handedBack: readonly string[];
}

/**
 * accept-order and execute-job as their wire.ts does it, in this process, on a table no deployed function listens to:
 * messages are delivered when, as often and in whatever order a test likes. The provider is the deployed one.
 */
export interface OwnPipeline {
  readonly table: OwnTable;
  readonly client: DynamoDBClient;
  readonly clock: MovableClock;
  readonly letters: { readonly body: string; readonly letter: Letter }[];
  readonly mails: Receipt[];
  /** POST of an order under a user of its own. */
  accept(options?: { amountMinor?: number; idempotencyKey?: string; userId?: string }): Promise<{ status: number; order: OrderView }>;
  /** What the item's outbox says, as dispatch-outbox would send it. */
  outbox(userId: string, orderId: string): Promise<string[]>;
  deliver(bodies: readonly string[], options?: DeliveryOptions): Promise<DeliveryReport>;
  order(userId: string, orderId: string): Promise<Item>;
  item(key: ItemKey): Promise<Item | undefined>;
}

export async function createOwnPipeline(sdk: SdkOptions = {}): Promise<OwnPipeline> {
  const table = await createOwnStateTable();
  const clock = createMovableClock();
  const client = createDynamoDbClient({ sdk });
  const store = createItemStore(client, table.name);
  const acceptOrder = createAcceptOrder({ store, clock, random, logAccepted: () => {}, logFailure: () => {} });
  const letters: OwnPipeline['letters'] = [];
  const mails: Receipt[] = [];
  const item = (key: ItemKey) => stateItem(key, table.name);
  const order = async (userId: string, orderId: string) => (await item(orderItemKey(userId, orderId))) ?? {};
  const mail = {
    send: async (receipt: Receipt) => void mails.push(receipt),
    wasSent: async (key: string) => mails.some(({ deliveryKey }) => deliveryKey === key),
  };

  return {
    table,
    client,
    clock,
    letters,
    mails,
    item,
    order,
    async accept({ amountMinor = 4_999, idempotencyKey = uniqueName('key'), userId = uniqueName('u') } = {}) {
      const answer = await acceptOrder({
        pathParameters: { userId },
        headers: { 'idempotency-key': idempotencyKey },
        body: JSON.stringify({ amountMinor, currency: 'EUR' }),
        isBase64Encoded: false,
        requestContext: { requestId: uniqueName('request') },
      });
      return { status: answer.statusCode ?? 0, order: JSON.parse(answer.body ?? '{}') };
    },
    outbox: async (userId, orderId) =>
      (((await order(userId, orderId))['outbox'] ?? []) as JobMessage[]).map((message) => JSON.stringify(message)),
    async deliver(bodies, { definition = capturePayment, payments = createPayments(), receiveCount = 1 } = {}) {
      const timing = deriveTiming(definition.timing, { scale: TIME_SCALE });
      const outcomes: string[] = [];
      const execute = createExecuteJob({
        worker: {
          definition,
          timing,
          timeScale: TIME_SCALE,
          store,
          gate: openGate({ payments, mail } as unknown as Ports),
          extendVisibility: async () => undefined,
          keyHorizonMs: 24 * 3_600_000,
          unresolvedAfterMs: 48 * 3_600_000,
          deadLetters: { send: async (body, letter) => void letters.push({ body, letter }) },
          clock,
          random,
        },
        handBack: async () => [],
        log: ({ jobs }) => outcomes.push(...jobs.map(({ outcome }) => String(outcome))),
      });
      const Records = bodies.map((body, index) => sqsRecord(body, index, { receiveCount, nowMs: clock.nowMs() }));
      const { batchItemFailures } = await execute({ Records }, { getRemainingTimeInMillis: () => timing.functionTimeoutSeconds * 1000 });
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      return { outcomes, handedBack: Records.filter(({ messageId }) => failed.has(messageId)).map(({ body }) => body) };
    },
  };
}

const sqsRecord = (body: string, index: number, { receiveCount, nowMs }: { receiveCount: number; nowMs: number }): SQSRecord => ({
  messageId: `m-${index}`,
  receiptHandle: `r-${index}`,
  body,
  attributes: {
    ApproximateReceiveCount: String(receiveCount),
    SentTimestamp: String(nowMs),
    SenderId: 'test',
    ApproximateFirstReceiveTimestamp: String(nowMs),
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:own',
  awsRegion: 'us-east-1',
});

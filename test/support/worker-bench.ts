import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { fromAttributeValues, toAttributeValues } from '#shared/aws/attribute-values.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { createOrderPages } from '#shared/aws/order-page.ts';
import { createStockReader } from '#shared/aws/stock-reader.ts';
import { type ItemKey, orderItemKey } from '#shared/contract/item-keys.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import type { Letter } from '#shared/dead-letter/letter.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import type { MailPort } from '#shared/mail/mail-port.ts';
import { type AnyJobDefinition, job } from '#shared/worker/define-job.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { openGate } from '#shared/worker/gate.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import type { Ports } from '#shared/worker/ports.ts';
import type { Delivery, Ending, Worker } from '#shared/worker/worker.ts';
import { createFakeAws, type FakeAws } from './fake-aws/request-handler.ts';
import { createMemoryObjects, type MemoryObjects } from './memory-objects.ts';
import { createScriptedPayments, type ScriptedPayments } from './scripted-payments.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

const TABLE = 'State';

/** The real worker, the real Powertools and the real SDK over tables in memory, with time and chance in hand. */
export interface WorkerBench {
  readonly aws: FakeAws;
  readonly client: DynamoDBClient;
  readonly clock: VirtualClock;
  readonly payments: ScriptedPayments;
  readonly mails: { deliveryKey: string }[];
  readonly letters: { body: string; letter: Letter }[];
  readonly objects: MemoryObjects;
  readonly store: ItemStore;
  readonly ports: Ports;
  worker(definition?: AnyJobDefinition): Worker;
  /** Runs one message as a delivery of its own. */
  deliver(
    body: string,
    options?: {
      definition?: AnyJobDefinition;
      remainingMs?: number;
      receiveCount?: number;
      carriesLetter?: boolean;
      firstReceivedAtMs?: number;
      replayOf?: number;
      world?: Partial<Worker>;
    },
  ): Promise<Ending>;
  /** Accepts an order and returns its capture message. */
  createOrder(orderId: string, amountMinor?: number): Promise<string>;
  item(key: ItemKey): Record<string, unknown> | undefined;
  order(orderId: string): Record<string, unknown>;
  putItem(item: Record<string, unknown>): void;
}

export const USER = 'u-1';

/** @param options.fraction what chance says: always the same, or the next one of a script */
export function createWorkerBench({ fraction = 0.5 }: { fraction?: number | (() => number) } = {}): WorkerBench {
  const clock = createVirtualClock();
  const aws = createFakeAws({ now: clock.nowMs });
  aws.dynamodb.createTable(STATE_TABLE);
  const client = new DynamoDBClient({ ...aws.clientConfig, maxAttempts: 3, retryMode: 'standard' } as DynamoDBClientConfig);
  const store = createItemStore(client, TABLE);
  const payments = createScriptedPayments({ nowMs: clock.nowMs, keyMemoryMs: 24 * 3_600_000 });
  const mails: { deliveryKey: string }[] = [];
  const mail: MailPort = {
    send: async (receipt) => void mails.push(receipt),
    wasSent: async (key) => mails.some(({ deliveryKey }) => deliveryKey === key),
  };
  const objects = createMemoryObjects();
  const ports = { payments, mail, objects, stock: createStockReader(store), orderPages: createOrderPages(client, TABLE) };
  const letters: WorkerBench['letters'] = [];
  let tokens = 0;
  let messages = 0;
  const worker = (definition: AnyJobDefinition = capturePayment): Worker => ({
    definition,
    timing: deriveTiming(definition.timing),
    timeScale: 1,
    store,
    gate: openGate(ports),
    extendVisibility: async () => undefined,
    keyHorizonMs: 24 * 3_600_000,
    unresolvedAfterMs: 48 * 3_600_000,
    deadLetters: { send: async (body, letter) => void letters.push({ body, letter }) },
    clock,
    random: { fraction: typeof fraction === 'number' ? () => fraction : fraction, token: () => `owner-${++tokens}` },
  });
  const item = (key: ItemKey) => {
    const stored = aws.dynamodb.item(TABLE, toAttributeValues({ ...key }) as never);
    return stored === undefined ? undefined : fromAttributeValues(stored as never);
  };
  return {
    aws,
    client,
    clock,
    payments,
    mails,
    letters,
    objects,
    store,
    ports,
    worker,
    item,
    order: (orderId) => item(orderItemKey(USER, orderId)) ?? {},
    putItem: (attributes) => void aws.dynamodb.handle('PutItem', { TableName: TABLE, Item: toAttributeValues(attributes) }),
    deliver: (
      body,
      {
        definition,
        remainingMs = 25_000,
        receiveCount = 1,
        carriesLetter = false,
        firstReceivedAtMs = clock.nowMs(),
        replayOf,
        world = {},
      } = {},
    ) => {
      const delivery: Delivery = {
        messageId: `m-${++messages}`,
        receiptHandle: `r-${messages}`,
        body,
        receiveCount,
        carriesLetter,
        firstReceivedAtMs,
        ...(replayOf === undefined ? {} : { replayOf }),
      };
      return executeJob(delivery, { ...worker(definition), ...world }, remainingMs);
    },
    async createOrder(orderId, amountMinor = 4999) {
      const { version: _, ...order } = newOrder(USER, orderId, { amountMinor, currency: 'EUR' }, clock.nowMs());
      const message = outboxMessage(job(capturePayment, { userId: USER, orderId, attempt: 1 }), clock.nowMs());
      await store.write(acceptWrite(orderItemKey(USER, orderId), order, [message], clock.nowMs()));
      return JSON.stringify(message);
    },
  };
}

const STATE_TABLE = {
  TableName: TABLE,
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' as const },
    { AttributeName: 'sk', KeyType: 'RANGE' as const },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' as const },
    { AttributeName: 'sk', AttributeType: 'S' as const },
    { AttributeName: 'overdueShard', AttributeType: 'S' as const },
    { AttributeName: 'overdueAtMs', AttributeType: 'N' as const },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'overdue',
      KeySchema: [
        { AttributeName: 'overdueShard', KeyType: 'HASH' as const },
        { AttributeName: 'overdueAtMs', KeyType: 'RANGE' as const },
      ],
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' as const },
};

import { MAGIC_AMOUNTS } from '#shared/payments/magic-amounts.ts';
import { addUp, type Bill } from '../../cli/cost/bill.ts';
import { urlOf } from '../../test/support/fake-aws/sqs/queue.ts';
import { createMeteredAccount, type Latencies, type MeteredAccount } from '../../test/support/metered-account/account.ts';
import { ask, type OrderName, placeOrders } from '../../test/support/metered-account/customers.ts';
import { createStreamCarrier, deliverBatch } from '../../test/support/metered-account/deliver.ts';

/** What one job of an outcome comes to, in a batch of them. */
export interface OutcomeCount {
  readonly outcome: string;
  readonly what: string;
  /** Asking for it, at the entrance. */
  readonly entrance: Bill;
  /** All the rest of it: from stream to acknowledgement. */
  readonly pipeline: Bill;
  /** The worker's part of that. */
  readonly worker: Bill;
  readonly providerCalls: number;
}

const HOUR_MS = 3_600_000;

export interface CountOptions {
  /** Messages in a batch. */
  readonly batch: number;
  readonly latencies?: Partial<Latencies>;
}

interface Stage {
  readonly batch: number;
  readonly account: MeteredAccount;
  readonly carry: ReturnType<typeof createStreamCarrier>;
}

function createStage({ batch, latencies = {} }: CountOptions): Stage {
  const account = createMeteredAccount({ latencies });
  return { batch, account, carry: createStreamCarrier(account) };
}

const callsOf = ({ provider }: MeteredAccount): number => Object.values(provider.calls).reduce((sum, calls) => sum + calls, 0);

/** Accepts orders and leaves their jobs in the queue. */
async function ready({ batch, account, carry }: Stage, amountMinor?: number): Promise<OrderName[]> {
  const orders = await placeOrders(account, batch, amountMinor);
  await carry('dispatch-outbox');
  return orders;
}

interface Work {
  readonly entrance?: () => Promise<unknown>;
  readonly stream?: () => Promise<unknown>;
  /** The worker's batch. */
  readonly worker?: () => Promise<unknown>;
}

async function count({ account, batch }: Stage, [outcome, what]: readonly [string, string], work: Work): Promise<OutcomeCount> {
  const callsBefore = callsOf(account);
  const measure = async (part: () => Promise<unknown> = async () => undefined): Promise<Bill> => {
    account.meter.take();
    await part();
    return account.meter.take();
  };
  const entrance = await measure(work.entrance);
  const stream = await measure(work.stream);
  const worker = await measure(work.worker);
  return {
    outcome,
    what,
    entrance: perJob([entrance], batch),
    pipeline: perJob([stream, worker], batch),
    worker: perJob([worker], batch),
    providerCalls: (callsOf(account) - callsBefore) / batch,
  };
}

const perJob = (bills: readonly Bill[], batch: number): Bill => addUp(bills, 1 / batch);

/** Every outcome there is a budget for, each in an account of its own, through the handlers that are deployed. */
export async function countOutcomes(options: CountOptions): Promise<OutcomeCount[]> {
  return [
    ...(await countPaid(options)),
    await countDuplicate(options),
    ...(await countFailures(options)),
    await countDeclined(options),
    await countRefund(options),
    await countDeadLetter(options),
    await countFifo(options),
    await countExport(options),
  ];
}

async function countPaid(options: CountOptions): Promise<OutcomeCount[]> {
  const stage = createStage(options);
  const { account, carry } = stage;
  const paid = await count(stage, ['paid', 'an order, created → paid'], {
    entrance: () => placeOrders(account, stage.batch),
    stream: () => carry('dispatch-outbox'),
    worker: () => deliverBatch(account, 'capture-payment'),
  });
  const receipt = await count(stage, ['receipt', 'its receipt, a job with an item of its own'], {
    stream: () => carry('dispatch-outbox'),
    worker: () => deliverBatch(account, 'send-receipt'),
  });
  return [paid, receipt, await countCache(options)];
}

/** Leaves no trace on the meter. */
async function unmetered({ meter }: MeteredAccount, work: () => Promise<unknown>): Promise<void> {
  const before = meter.take();
  await work();
  meter.take();
  meter.add(before);
}

/** The stream brings an order's creation and its payment apart from each other. */
async function countCache(options: CountOptions): Promise<OutcomeCount> {
  const stage = createStage(options);
  const { account, carry } = stage;
  const counted = await count(stage, ['cache', 'its cache keys, DynamoDB adapter: two when it is created, two when it is paid'], {
    async stream() {
      await unmetered(account, () => ready(stage));
      await carry('invalidate-cache');
      await unmetered(account, () => deliverBatch(account, 'capture-payment'));
      await carry('invalidate-cache');
    },
  });
  // The charge that made the order paid is another outcome's.
  return { ...counted, providerCalls: 0 };
}

async function countDuplicate(options: CountOptions): Promise<OutcomeCount> {
  const stage = createStage(options);
  const { account } = stage;
  await ready(stage);
  const { bodies } = await deliverBatch(account, 'capture-payment');
  for (const MessageBody of bodies) account.sqs.handle('SendMessage', { QueueUrl: urlOf('capture-payment'), MessageBody });
  return count(stage, ['duplicate', 'a message of a paid order, delivered again'], {
    worker: () => deliverBatch(account, 'capture-payment'),
  });
}

/** Five failures in a row open the circuit, and then there is nothing to count. */
const MOST_FAILING = 2;

async function countFailures({ batch, ...options }: CountOptions): Promise<OutcomeCount[]> {
  const stage = createStage({ ...options, batch: Math.min(batch, MOST_FAILING) });
  const { account } = stage;
  await ready(stage, MAGIC_AMOUNTS.stored500.amountMinor);
  const worker = () => deliverBatch(account, 'capture-payment');
  const first = await count(stage, ['failure', 'a failed attempt, the first of its job'], { worker });
  await account.pass(HOUR_MS);
  const later = await count(stage, ['later-failure', 'a failed attempt, a later one: the provider is asked first'], { worker });
  return [first, later];
}

async function countDeclined(options: CountOptions): Promise<OutcomeCount> {
  const stage = createStage(options);
  return count(stage, ['declined', 'an order, created → declined'], {
    entrance: () => placeOrders(stage.account, stage.batch, MAGIC_AMOUNTS.decline.amountMinor),
    stream: () => stage.carry('dispatch-outbox'),
    worker: () => deliverBatch(stage.account, 'capture-payment'),
  });
}

async function countRefund(options: CountOptions): Promise<OutcomeCount> {
  const stage = createStage(options);
  const { account, carry } = stage;
  const orders = await ready(stage);
  await deliverBatch(account, 'capture-payment');
  await carry('dispatch-outbox');
  return count(stage, ['refund', 'a refund, asked for → refunded'], {
    async entrance() {
      for (const { userId, orderId } of orders)
        await ask(account, 'accept-refund', { path: { userId, orderId }, key: `refund-${orderId}` });
    },
    stream: () => carry('dispatch-outbox'),
    worker: () => deliverBatch(account, 'refund-payment'),
  });
}

async function countDeadLetter(options: CountOptions): Promise<OutcomeCount> {
  const stage = createStage(options);
  await ready(stage, MAGIC_AMOUNTS.wrongAmount.amountMinor);
  return count(stage, ['dead-letter', 'a job that ends as a dead letter'], {
    worker: () => deliverBatch(stage.account, 'capture-payment'),
  });
}

async function countFifo(options: CountOptions): Promise<OutcomeCount> {
  const stage = createStage(options);
  const { account, carry } = stage;
  return count(stage, ['fifo', 'a stock adjustment, asked for → done: FIFO, two items in a transaction'], {
    async entrance() {
      for (let number = 1; number <= stage.batch; number++)
        await ask(account, 'accept-stock-adjustment', { path: { sku: `sku-${number}` }, key: `adjustment-${number}`, body: { delta: 5 } });
    },
    stream: () => carry('dispatch-outbox'),
    worker: () => deliverBatch(account, 'adjust-stock'),
  });
}

/** Its queue hands out one message at a time. */
async function countExport(options: CountOptions): Promise<OutcomeCount> {
  const stage = createStage(options);
  const { account, carry } = stage;
  const orders = await ready(stage);
  return count(stage, ['export', 'an export of one order: two objects'], {
    async entrance() {
      for (const { userId } of orders) await ask(account, 'accept-export', { path: { userId }, key: `export-${userId}` });
    },
    stream: () => carry('dispatch-outbox'),
    async worker() {
      for (let number = 0; number < stage.batch; number++) await deliverBatch(account, 'export-orders');
    },
  });
}

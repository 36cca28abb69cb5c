import { type MessageAttributeValue, PurgeQueueCommand, SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { createControlTable } from '#shared/aws/control-table.ts';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { orderItemKey, stockItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { type AuditEntry, readAudit } from '#shared/dead-letter/audit.ts';
import { LETTER_ATTRIBUTE, writeLetter } from '#shared/dead-letter/letter.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { intentHash } from '#shared/idempotency/intent-hash.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { itemExists, orderIsNew } from '#shared/item/conditions.ts';
import { putWrite, updateWrite } from '#shared/item/expression.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { job } from '#shared/worker/define-job.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { dynamodb, sqs } from './aws-clients.ts';
import { allQueueUrls, output, outputsOfKind } from './deployment.ts';
import { inParallel } from './in-parallel.ts';
import { captureMessage, depthOf, sendBodies } from './queues.ts';
import { waitUntil } from './wait-until.ts';

const store = createItemStore(createDynamoDbClient(), output(STACK_OUTPUTS.stateTable));
const WRITERS = 8;
const USERS = 5;

export interface NamedOrder {
  readonly userId: string;
  readonly orderId: string;
}

export const ordersNamed = (run: string, part: string, count: number): NamedOrder[] =>
  Array.from({ length: count }, (_, index) => ({ userId: `${run}-${index % USERS}`, orderId: `${part}-${index}` }));

/** An order of an earlier day; the only message for it is the one a test sends. */
export const createOrders = (orders: readonly NamedOrder[]): Promise<unknown> =>
  inParallel(orders, WRITERS, async ({ userId, orderId }) => {
    const { version: _, ...order } = newOrder(userId, orderId, { amountMinor: 2_000, currency: 'EUR' }, Date.now());
    await store.write(acceptWrite(orderItemKey(userId, orderId), order, [], Date.now()));
  });

/** Cause: the orders do not exist. The worker itself writes the letters. */
export async function lettersForMissingOrders(orders: readonly NamedOrder[]): Promise<void> {
  const { queueUrl, deadLetterQueueUrl } = outputsOfKind(capturePayment.kind);
  const before = await depthOf(deadLetterQueueUrl);
  await sendBodies(
    queueUrl,
    orders.map(({ userId, orderId }) => captureMessage(userId, orderId)),
  );
  await untilDepth(deadLetterQueueUrl, before + orders.length);
}

/** Cause: six attempts failed and nothing went out. Items and letters as the worker leaves them; doing it takes it half an hour. */
export async function lettersOfSpentCaptures(orders: readonly NamedOrder[]): Promise<void> {
  await createOrders(orders);
  await inParallel(orders, WRITERS, async ({ userId, orderId }) => {
    const key = orderItemKey(userId, orderId);
    const record = {
      status: 'discarded',
      reason: 'attempts-spent',
      hash: intentHash({ attempt: 1 }),
      atMs: Date.now(),
      by: 'w',
      fence: 6,
      tries: 6,
      buried: true,
    };
    await store.write(updateWrite(key, { set: { fence: 6, 'op:capture:1': record, 'try:capture:1': 6 } }, itemExists));
  });
  const { deadLetterQueueUrl } = outputsOfKind(capturePayment.kind);
  await sendLetters(
    deadLetterQueueUrl,
    orders.map(({ userId, orderId }) => captureMessage(userId, orderId)),
    'attempts-spent',
  );
}

/** Takes one of each SKU away, in order by SKU. */
export async function sendAdjustments(skus: readonly string[]): Promise<void> {
  const { queueUrl } = outputsOfKind(adjustStock.kind);
  const messages = skus.map((sku, index) => outboxMessage(job(adjustStock, { sku, adjustmentId: `a-${index}`, delta: -1 }), Date.now()));
  for (let start = 0; start < messages.length; start += 10) {
    const Entries = messages.slice(start, start + 10).map((message, index) => {
      const ids = fifoIds(message, jobOfKind);
      return {
        Id: String(index),
        MessageBody: JSON.stringify(message),
        MessageGroupId: ids?.group,
        MessageDeduplicationId: ids?.deduplicationId,
      };
    });
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

/** Cause: not enough in stock. A FIFO queue; the worker itself writes the letters. */
export async function lettersForMissingStock(run: string, count: number): Promise<Map<string, number>> {
  const { deadLetterQueueUrl } = outputsOfKind(adjustStock.kind);
  const before = await depthOf(deadLetterQueueUrl);
  const skus = Array.from({ length: count }, (_, index) => `${run}-${index % USERS}`);
  await sendAdjustments(skus);
  await untilDepth(deadLetterQueueUrl, before + count);
  return new Map([...Map.groupBy(skus, (sku) => sku)].map(([sku, all]) => [sku, all.length]));
}

export const fillStock = (skus: Iterable<string>, quantity: number): Promise<unknown> =>
  inParallel([...skus], WRITERS, (sku) => store.write(putWrite(stockItemKey(sku), { quantity, version: 1, lease: 'free' }, orderIsNew)));

export const stockOf = async (sku: string): Promise<unknown> => (await store.read(stockItemKey(sku)))?.['quantity'];

/** Cause: nobody wrote one. Receipts whose messages somebody moved here by hand. */
export const lettersOfMovedReceipts = (orders: readonly NamedOrder[]): Promise<void> =>
  sendLetters(
    outputsOfKind(sendReceipt.kind).deadLetterQueueUrl,
    orders.map(({ userId, orderId }) =>
      JSON.stringify(
        outboxMessage(
          job(sendReceipt, { userId, orderId, attempt: 1, amountMinor: 2_000, currency: 'EUR', captureId: `c-${orderId}` }),
          Date.now(),
        ),
      ),
    ),
  );

async function sendLetters(queueUrl: string, bodies: readonly string[], reason?: string): Promise<void> {
  const seen = { firstSeenAtMs: Date.now(), lastSeenAtMs: Date.now() };
  const letter = reason === undefined ? undefined : writeLetter({ kind: capturePayment.kind, reason, attempts: 6, ...seen });
  const attribute: MessageAttributeValue = { DataType: 'String', StringValue: JSON.stringify(letter) };
  for (let start = 0; start < bodies.length; start += 10) {
    const Entries = bodies.slice(start, start + 10).map((body, index) => ({
      Id: String(index),
      MessageBody: body,
      ...(letter === undefined ? {} : { MessageAttributes: { [LETTER_ATTRIBUTE]: attribute } }),
    }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  }
}

const untilDepth = (queueUrl: string, depth: number): Promise<boolean> =>
  waitUntil({ what: `${depth} letters`, withinMs: 240_000, everyMs: 250 }, async (note) => {
    const now = await depthOf(queueUrl);
    note(now);
    return now >= depth;
  });

/** Letters that earlier tests left belong to nobody. */
export async function emptyDeadLetterQueues(): Promise<void> {
  const urls = [...allQueueUrls()].filter(([name]) => name.includes('DeadLetter')).map(([, url]) => url);
  await Promise.all(urls.map((QueueUrl) => sqs.send(new PurgeQueueCommand({ QueueUrl }))));
}

/** Everything anybody did to letters whose key names the run, today or since yesterday. */
export async function auditOf(run: string): Promise<AuditEntry[]> {
  const control = createControlTable(dynamodb, output(STACK_OUTPUTS.controlTable));
  const entries: AuditEntry[] = [];
  for (const day of new Set([Date.now() - 3_600_000, Date.now()].map((ms) => new Date(ms).toISOString().slice(0, 10))))
    for await (const entry of readAudit(control, day)) if (entry.key?.includes(run) === true) entries.push(entry);
  return entries;
}

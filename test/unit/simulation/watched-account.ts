import { fromAttributeValues, toAttributeValues } from '#shared/aws/attribute-values.ts';
import { conditionOf } from '#shared/aws/condition-of.ts';
import { type ItemKey, orderItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import type { OperationRecord } from '#shared/item/attributes.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { commitWrite } from '#shared/item/commit.ts';
import type { ItemWrite } from '#shared/item/expression.ts';
import { discardWrite } from '#shared/item/settle.ts';
import { jobOfKind, jobs } from '#shared/jobs/index.ts';
import type { Effect } from '#shared/payments/sandbox-ledger.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { deadLetterQueueOf, OUTBOX_FAILED, queueOfKind, TABLES } from '../../simulation/cloud/names.ts';
import type { Invariant } from '../../simulation/invariant.ts';
import type { Observer } from '../../simulation/observer.ts';
import { createMemoryLedger } from '../../simulation/provider/memory-ledger.ts';
import type { ProviderCall } from '../../simulation/provider/provider-requests.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { createFakeDynamodb } from '../../support/fake-aws/fake-dynamodb.ts';
import { createFakeSqs } from '../../support/fake-aws/fake-sqs.ts';
import { plainTable, stateTable } from '../../support/fake-aws/project-tables.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import type { Call } from '../../support/fake-aws/wire.ts';

export const REFERENCE = 'u-1/ord-1';
export const ORDER = orderItemKey('u-1', 'ord-1');
export const WORKER = 'execute-job/capture-payment#1';
export const AMOUNT = { amountMinor: 4_999, currency: 'EUR' };
const START_MS = Date.parse('2026-11-30T10:00:00.000Z');

/** A table, queues and a provider's books under the eyes of one checker, changed by hand. */
export type WatchedAccount = ReturnType<typeof watchAccount>;

export function watchAccount(invariant: Invariant) {
  let nowMs = START_MS;
  const now = (): number => nowMs;
  const dynamodb = createFakeDynamodb({ now });
  const sqs = createFakeSqs({ now, staleReceipt: 'ignore' });
  dynamodb.createTable(stateTable(TABLES.state));
  dynamodb.createTable(plainTable(TABLES.control, ['id']));
  const jobQueues = jobs.map((definition) => ({
    definition,
    queueName: queueOfKind(definition.kind, definition.queue.fifoGroup !== undefined),
  }));
  for (const name of [...jobQueues.map(({ queueName }) => queueName), OUTBOX_FAILED]) createPair(sqs, name);
  const dispatcher = { definition: { functionName: 'dispatch-outbox' }, waiting: 0, lostUntilMs: 0 };
  const violations: string[] = [];
  const ledger = createMemoryLedger((movement) => observer.providerMoved?.(movement));
  const world = {
    get nowMs() {
      return nowMs;
    },
  };
  const simulation = { dynamodb, sqs, ledger, world, jobQueues, streams: [dispatcher] } as unknown as Simulation;
  const observer: Observer = invariant.watch(simulation, (how) => violations.push(how));

  const carryOut = (call: Call, by: string | undefined, ids: readonly ItemKey[]): void => {
    const olds = ids.map((key) => imageOf(key));
    const answer = dynamodb.handle(call.operation, call.input);
    if ('error' in answer) throw answer.error;
    ids.forEach((key, index) => {
      observer.itemWritten?.({
        table: TABLES.state,
        id: `${key.pk}|${key.sk}`,
        old: olds[index],
        next: imageOf(key),
        by,
        call,
        atMs: nowMs,
      });
    });
  };
  const imageOf = ({ pk, sk }: ItemKey) => {
    const item = dynamodb.item(TABLES.state, { pk: { S: pk }, sk: { S: sk } });
    return item && fromAttributeValues(item as never);
  };
  const account = {
    simulation,
    observer,
    violations,
    ledger,
    dispatcher,
    now,
    imageOf,
    pass(durationMs: number): void {
      nowMs += durationMs;
    },
    /** Sends one of the protocol's writes, or what is left of it. */
    write(write: ItemWrite, by = WORKER): void {
      const { input, operation } = requestOf(write);
      carryOut({ service: 'dynamodb', operation, input }, by, [write.key]);
    },
    writeTogether(writes: readonly ItemWrite[], by = WORKER): void {
      const TransactItems = writes.map((write) => ({ Update: requestOf(write).input }));
      carryOut(
        { service: 'dynamodb', operation: 'TransactWriteItems', input: { TransactItems } },
        by,
        writes.map(({ key }) => key),
      );
    },
    /** As the service itself changes an item: a restore. */
    restore(key: ItemKey, attributes: Record<string, unknown> | undefined): void {
      const call =
        attributes === undefined
          ? { operation: 'DeleteItem', input: { TableName: TABLES.state, Key: toAttributeValues({ ...key }) } }
          : { operation: 'PutItem', input: { TableName: TABLES.state, Item: toAttributeValues({ ...attributes, ...key }) } };
      const old = imageOf(key);
      dynamodb.handle(call.operation, call.input);
      observer.itemWritten?.({
        table: TABLES.state,
        id: `${key.pk}|${key.sk}`,
        old,
        next: imageOf(key),
        by: undefined,
        call: undefined,
        atMs: nowMs,
      });
    },
    audit(what: 'replay' | 'discard', messageId: string, key: string): void {
      const id = `audit:run:${messageId}`;
      const act = { what, who: 'a person', why: 'for a test', queue: 'capture-payment-dlq', messageId, key };
      const next = { id, atMs: nowMs, acts: [act] };
      observer.itemWritten?.({ table: TABLES.control, id, old: undefined, next, by: 'operator', call: undefined, atMs: nowMs });
    },
    /** @returns the message's id */
    send(queueName: string, body: string, by = 'dispatch-outbox#1'): string {
      queueCall(queueName, 'SendMessage', { MessageBody: body }, by);
      return sqs.messages(queueName).at(-1)?.id ?? '';
    },
    /** Receives everything and acknowledges it, as a mapping does. */
    acknowledge(queueName: string): void {
      const received = sqs.handle('ReceiveMessage', { QueueUrl: urlOf(queueName), MaxNumberOfMessages: 10 }) as {
        output: { Messages?: { MessageId: string; ReceiptHandle: string; Body: string }[] };
      };
      for (const { MessageId, ReceiptHandle, Body } of received.output.Messages ?? []) {
        sqs.handle('DeleteMessage', { QueueUrl: urlOf(queueName), ReceiptHandle });
        const attributes = { ApproximateFirstReceiveTimestamp: String(nowMs) };
        observer.messageDeleted?.(queueName, { messageId: MessageId, body: Body, attributes } as never);
      }
    },
    /** Takes all letters out of a dead-letter queue, as an operator's tool does. */
    removeLetters(queueName: string): void {
      const { output } = sqs.handle('ReceiveMessage', { QueueUrl: urlOf(queueName), MaxNumberOfMessages: 10 }) as {
        output: { Messages?: { ReceiptHandle: string }[] };
      };
      const Entries = (output.Messages ?? []).map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      queueCall(queueName, 'DeleteMessageBatch', { Entries }, 'operator');
    },
    purge(queueName: string): void {
      const bodies = sqs.messages(queueName).map(({ body }) => body);
      sqs.handle('PurgeQueue', { QueueUrl: urlOf(queueName) });
      observer.messagesLost?.(queueName, bodies, 'purged');
    },
    async move(effect: Effect, key: string): Promise<void> {
      await ledger.claimKey({ key, owner: key, bodyHash: '', nowMs, lockedUntilMs: nowMs, expiresAtMs: nowMs });
      await ledger.settle({ key, owner: key, nowMs, status: 200, body: '', effect });
    },
    calls(call: Partial<ProviderCall> & Pick<ProviderCall, 'operation'>, status = 200): void {
      const whole = { paymentIntentId: 'pi-ord-1-1', key: CAPTURE_KEY, body: BODY, atMs: nowMs, sentAtMs: nowMs, from: WORKER, ...call };
      observer.providerCalled?.(whole);
      observer.providerAnswered?.(whole, { status, retryAfterSeconds: undefined });
    },
  };
  const queueCall = (queueName: string, operation: string, input: object, by: string): void => {
    const call = { service: 'sqs' as const, operation, input: { ...input, QueueUrl: urlOf(queueName) } };
    const answer = sqs.handle(operation, call.input);
    if ('error' in answer) throw answer.error;
    observer.queueCalled?.(call, by);
  };
  return account;
}

export const CAPTURE_KEY = `capture:${REFERENCE}:1`;
const BODY = JSON.stringify({ reference: REFERENCE, ...AMOUNT });

function createPair(sqs: ReturnType<typeof createFakeSqs>, QueueName: string): void {
  const Attributes = QueueName.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
  sqs.createQueue({ QueueName, Attributes });
  sqs.createQueue({ QueueName: deadLetterQueueOf(QueueName), Attributes });
}

function requestOf(write: ItemWrite) {
  const { ConditionExpression, ...rest } = conditionOf(TABLES.state, write);
  const condition = { ...rest, ...(ConditionExpression === '' ? {} : { ConditionExpression }) };
  if (write.item !== undefined) return { operation: 'PutItem', input: { ...condition, Item: toAttributeValues(write.item) } };
  return { operation: 'UpdateItem', input: { ...condition, Key: toAttributeValues({ ...write.key }), UpdateExpression: write.update } };
}

const payload = { userId: 'u-1', orderId: 'ord-1', attempt: 1 };

export const message = (kind: string, given: object, nowMs = START_MS): JobMessage => {
  const definition = jobOfKind(kind);
  if (definition === undefined) throw new Error(`no kind ${kind}`);
  return outboxMessage(job(definition, given), nowMs);
};
export const captureMessage = message('capture-payment', payload);
export const receiptMessage = message('send-receipt', { ...payload, ...AMOUNT, captureId: 'cap-1' });

/** The protocol's own writes on the one order, each with a hand on what it says. */
export const acceptOrder = (nowMs: number, outbox = [captureMessage]): ItemWrite =>
  acceptWrite(ORDER, newOrder('u-1', 'ord-1', AMOUNT, nowMs), outbox, nowMs);

export const claim = (nowMs: number, owner = 'owner-1', operation = 'capture:1'): ItemWrite =>
  claimWrite({ key: ORDER, operation, owner, intentHash: 'hash', nowMs, leaseUntilMs: nowMs + 27_000 });

const recordOf = (status: 'completed' | 'discarded', nowMs: number, holder: Holder): Omit<OperationRecord, 'result' | 'reason'> => ({
  status,
  hash: 'hash',
  atMs: nowMs,
  by: holder.owner,
  fence: holder.fence,
  tries: 1,
});

interface Holder {
  readonly owner: string;
  readonly fence: number;
}
const HOLDER: Holder = { owner: 'owner-1', fence: 1 };

export const commitPaid = (nowMs: number, { holder = HOLDER, outbox = [receiptMessage], captureId = 'cap-1' } = {}): ItemWrite =>
  commitWrite({
    key: ORDER,
    operation: 'capture:1',
    holder,
    record: { ...recordOf('completed', nowMs, holder), result: { captureId } },
    change: { set: { status: 'paid', captureId } },
    outbox,
    guard: { attribute: 'status', equals: 'pending_payment' },
    keepOverdue: false,
    ownItem: false,
    recordOnly: false,
    nowMs,
  });

export const commitDeclined = (nowMs: number, declineReason: string): ItemWrite =>
  commitWrite({
    key: ORDER,
    operation: 'capture:1',
    holder: HOLDER,
    record: { ...recordOf('completed', nowMs, HOLDER), result: { declineReason } },
    change: { set: { status: 'payment_declined', declineReason } },
    outbox: [],
    guard: { attribute: 'status', equals: 'pending_payment' },
    keepOverdue: false,
    ownItem: false,
    recordOnly: false,
    nowMs,
  });

export const discard = (nowMs: number, reason: string, holder = HOLDER): ItemWrite =>
  discardWrite({
    key: ORDER,
    operation: 'capture:1',
    holder,
    record: { ...recordOf('discarded', nowMs, holder), reason },
    notSent: false,
    overdueAtMs: nowMs + 300_000,
  });

export const charge = (captureId = 'cap-1', money = AMOUNT): Effect => ({
  kind: 'charge',
  paymentIntentId: 'pi-ord-1-1',
  reference: REFERENCE,
  captureId,
  money,
});

/** The same write under another condition, and without the names and values that it then no longer uses. */
export function withCondition(write: ItemWrite, condition: string): ItemWrite {
  const text = `${write.update ?? ''} ${condition}`;
  const used = <Value>(given: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(given).filter(([name]) => new RegExp(`${name}(?!\\w)`).test(text)));
  return { ...write, condition, names: used(write.names), values: used(write.values) };
}

/** Nothing asks whether it may. */
export const unconditional = (write: ItemWrite): ItemWrite => withCondition(write, '');

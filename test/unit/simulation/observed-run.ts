import { marshall } from '@aws-sdk/util-dynamodb';
import { jobs } from '#shared/jobs/index.ts';
import { jobQueueOf } from '../../simulation/cloud/functions.ts';
import { deadLetterQueueOf, INVALIDATION_RETRY, OUTBOX_FAILED, TABLES } from '../../simulation/cloud/names.ts';
import type { Invariant } from '../../simulation/invariant.ts';
import { createProcess, type Process } from '../../simulation/kernel/process.ts';
import type { ItemWritten, Observer } from '../../simulation/observer.ts';
import type { ProviderCall } from '../../simulation/provider/provider-requests.ts';
import type { Simulation } from '../../simulation/simulation.ts';
import { createFakeDynamodb } from '../../support/fake-aws/fake-dynamodb.ts';
import { createFakeSqs } from '../../support/fake-aws/fake-sqs.ts';
import { plainTable, stateTable } from '../../support/fake-aws/project-tables.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import type { Call } from '../../support/fake-aws/wire.ts';

type Values = Readonly<Record<string, unknown>>;

/** A run made of observations written by hand, and what one checker says about it. Nothing runs and nothing is random. */
export type ObservedRun = ReturnType<typeof observe>;

export const START_MS = Date.parse('2026-11-30T10:00:00.000Z');

export function observe(invariant: Invariant) {
  const violations: string[] = [];
  const run = { nowMs: START_MS };
  const now = (): number => run.nowMs;
  const dynamodb = createFakeDynamodb({ now });
  const sqs = createFakeSqs({ now });
  dynamodb.createTable(stateTable(TABLES.state));
  dynamodb.createTable(plainTable(TABLES.control, ['id']));
  dynamodb.createTable(plainTable(TABLES.cache, ['key']));
  const jobQueues = jobs.map(jobQueueOf);
  for (const name of [...jobQueues.map(({ queueName }) => queueName), OUTBOX_FAILED, INVALIDATION_RETRY])
    for (const QueueName of [name, deadLetterQueueOf(name)])
      sqs.createQueue({ QueueName, ...(QueueName.endsWith('.fifo') ? { Attributes: { FifoQueue: 'true' } } : {}) });
  const injected: { index: number; label: string; fault: string; atMs: number }[] = [];
  const situations: Record<string, number> = {};
  const simulation = {
    world: {
      get nowMs() {
        return run.nowMs;
      },
    },
    faults: { injected },
    dynamodb,
    sqs,
    jobQueues,
    mappings: new Map(jobQueues.map(({ queueName }) => [queueName, { enabled: true }])),
    streams: [{ definition: { functionName: 'dispatch-outbox' }, waiting: 0 }],
    violations: [],
    situations,
    happened: (situation: string) => {
      situations[situation] = (situations[situation] ?? 0) + 1;
    },
  } as unknown as Simulation;
  const watching = invariant.watch(simulation, (how) => void violations.push(how));
  const see = new Proxy({} as Required<Observer>, {
    get:
      (_, name: keyof Observer) =>
      (...given: never[]) =>
        (watching[name] as ((...given: never[]) => void) | undefined)?.(...given),
  });
  return Object.assign(acts({ run, see, simulation, injected }), { violations, situations, see, simulation });
}

interface Parts {
  readonly run: { nowMs: number };
  readonly see: Required<Observer>;
  readonly simulation: Simulation;
  readonly injected: { index: number; label: string; fault: string; atMs: number }[];
}

function acts({ run, see, simulation, injected }: Parts) {
  const images = new Map<string, Values>();
  const processes = new Map<string, Process>();
  let calls = 0;
  const queueCalled = (operation: string, input: Values, by: string): void =>
    see.queueCalled({ service: 'sqs', operation, input } as Call, by);
  return {
    get nowMs() {
      return run.nowMs;
    },
    set nowMs(nowMs: number) {
      run.nowMs = nowMs;
    },
    /** Replaces an item of a table and tells of it; `undefined` takes it away. */
    write(table: string, id: string, next: Values | undefined, by = 'execute-job/capture-payment#1'): void {
      const key = keyOf(table, id);
      const old = images.get(`${table} ${id}`);
      if (next === undefined) simulation.dynamodb.handle('DeleteItem', { TableName: table, Key: marshall(key) });
      else
        simulation.dynamodb.handle('PutItem', { TableName: table, Item: marshall({ ...next, ...key }, { removeUndefinedValues: true }) });
      if (next === undefined) images.delete(`${table} ${id}`);
      else images.set(`${table} ${id}`, { ...next, ...key });
      const written: ItemWritten = { table, id, old, next: images.get(`${table} ${id}`), by, call: undefined, atMs: run.nowMs };
      see.itemWritten(written);
    },
    call(call: Partial<ProviderCall>): ProviderCall {
      const made: ProviderCall = {
        operation: 'capture',
        paymentIntentId: 'pi-o1-1',
        key: 'capture:u1/o1:1',
        body: '',
        from: 'execute-job/capture-payment#1',
        atMs: run.nowMs,
        sentAtMs: run.nowMs + ++calls / 1_000_000,
        ...call,
      };
      see.providerCalled(made);
      return made;
    },
    /** An invocation of this process is over. */
    end(name: string, changes: Partial<Process> = {}): void {
      const process = Object.assign(processes.get(name) ?? createProcess(name, changes.clockAheadMs ?? 0), changes);
      processes.set(name, process);
      see.invocationEnded(name.split('#')[0] ?? name, process, { how: 'returned', value: undefined });
    },
    send(queueName: string, ...bodies: readonly string[]): void {
      const entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
      simulation.sqs.handle('SendMessageBatch', { QueueUrl: urlOf(queueName), Entries: entries });
      queueCalled('SendMessageBatch', { QueueUrl: urlOf(queueName), Entries: entries }, 'dispatch-outbox#1');
    },
    handBack(by: string, ReceiptHandle: string, VisibilityTimeout: number): void {
      queueCalled('ChangeMessageVisibilityBatch', { Entries: [{ Id: '0', ReceiptHandle, VisibilityTimeout }] }, by);
    },
    /** One batch; a body is its own message id and receipt. */
    deliver(queueName: string, bodies: readonly string[], receiveCount = 1): void {
      const attributes = { ApproximateReceiveCount: String(receiveCount) };
      see.messagesDelivered(queueName, bodies.map((body) => ({ messageId: body, receiptHandle: body, body, attributes })) as never);
    },
    inject(label: string, fault = 'crash-after'): void {
      injected.push({ index: injected.length, label, fault, atMs: run.nowMs });
    },
    /** Another checker has found something. */
    blame(invariant: string): void {
      simulation.violations.push({ invariant, how: 'seen by another', atMs: run.nowMs });
    },
  };
}

function keyOf(table: string, id: string): Record<string, string> {
  if (table === TABLES.control) return { id };
  if (table === TABLES.cache) return { key: id };
  const [pk = '', sk = ''] = id.split('|');
  return { pk, sk };
}

export const ORDER_ID = 'USER#u1|ORDER#o1';
export const ORDER = {
  userId: 'u1',
  orderId: 'o1',
  status: 'pending_payment',
  version: 1,
  fence: 0,
  lease: 'free',
  attempt: 1,
  amountMinor: 4_999,
  currency: 'EUR',
  createdAtMs: START_MS,
} as const;

export const messageOf = (kind: string, idempotencyKey: string, version = 1): string =>
  JSON.stringify({ kind, version, idempotencyKey, payload: {}, enqueuedAt: '2026-11-30T10:00:00.000Z' });

import type { SQSRecord } from 'aws-lambda';
import type { Call } from '../../support/fake-aws/wire.ts';
import type { InvocationEnd } from '../cloud/lambda.ts';
import type { Invariant } from '../invariant.ts';
import { numberOf, recordedOperations, recordOf, referenceOf } from '../invariants/item-views.ts';
import type { Process } from '../kernel/process.ts';
import type { ItemWritten, Observer } from '../observer.ts';
import type { ProviderCall } from '../provider/provider-requests.ts';
import type { Simulation } from '../simulation.ts';

type Note = (situation: string) => void;

/** Counts what came about, so that a campaign in which nothing interesting happened is not taken for a proof. Never violates. */
export const situations: Invariant = {
  id: 'situations',
  promise: 'is no promise',
  watch(simulation) {
    const note: Note = (situation) => simulation.happened(situation);
    const parts: Observer[] = [watchLeases(note), watchOrders(note), watchFills(note), watchSurroundings(simulation, note)];
    const all =
      <Given extends unknown[]>(name: keyof Observer) =>
      (...given: Given): void => {
        for (const part of parts) (part[name] as ((...given: Given) => void) | undefined)?.(...given);
      };
    return {
      itemWritten: all('itemWritten'),
      providerCalled: all('providerCalled'),
      providerAnswered: all('providerAnswered'),
      providerMoved: all('providerMoved'),
      queueCalled: all('queueCalled'),
      messagesDelivered: all('messagesDelivered'),
      messagesLost: all('messagesLost'),
      streamRecordLost: all('streamRecordLost'),
      invocationEnded: all('invocationEnded'),
      apiAnswered: all('apiAnswered'),
      counted: all('counted'),
      disturbed: all('disturbed'),
    };
  },
};

interface Lease {
  readonly by: string;
  readonly operation: string;
  hasCalled: boolean;
}

/** Who holds what, who lost it, and whether the one who lost it woke up. */
function watchLeases(note: Note): Observer {
  const leases = new Map<string, Lease>();
  const bereft = new Set<string>();
  return {
    itemWritten({ table, id, old, next, by = '' }) {
      if (table !== 'State') return;
      const isClaim = next?.['lease'] === 'held' && next['fence'] !== old?.['fence'];
      if (!isClaim) return void (next?.['lease'] === 'held' || leases.delete(id));
      const lost = old?.['lease'] === 'held' ? leases.get(id) : undefined;
      leases.set(id, { by, operation: String(next['leaseOp']), hasCalled: false });
      if (lost === undefined) return;
      bereft.add(lost.by);
      note('lease taken over');
      if (lost.hasCalled) note(`lease lost mid-${lost.operation.split(':')[0]}`);
    },
    providerCalled({ from, paymentIntentId, operation }: ProviderCall) {
      if (operation === 'find') return;
      const orderId = /^pi-(.+)-\d+$/.exec(paymentIntentId)?.[1] ?? '';
      for (const [id, lease] of leases) if (lease.by === from && id.endsWith(orderId)) lease.hasCalled = true;
    },
    invocationEnded(_functionName, process: Process, end: InvocationEnd) {
      if (!bereft.delete(process.name)) return;
      note(end.how === 'returned' ? 'a late worker ends after its successor began' : 'a worker that lost its lease is gone');
    },
  };
}

/** The ways of an order, and what was known of its money on the way. */
function watchOrders(note: Note): Observer {
  /** The last thing each process asked the provider about an intent. */
  const asked = new Map<string, ProviderCall['operation']>();
  return {
    providerCalled: ({ from, paymentIntentId, operation }) => void asked.set(`${from} ${paymentIntentId}`, operation),
    providerMoved: ({ effect }) => note(`provider: ${effect.kind}`),
    providerAnswered: (_call, { status, retryAfterSeconds, body = '' }) => {
      note(`provider answers ${status}`);
      if (body.includes(OTHER_CURRENCY)) note('the provider tells of another currency');
      if (retryAfterSeconds !== undefined && retryAfterSeconds > 60) note('the provider asks for a long pause');
    },
    itemWritten({ table, id, old, next, by = '' }: ItemWritten) {
      if (table !== 'State' || next === undefined) return;
      for (const operation of recordedOperations(next)) {
        const record = recordOf(next, operation);
        if (record?.status !== 'discarded' || recordOf(old, operation)?.status === 'discarded') continue;
        note(`given up: ${record.reason}`);
      }
      for (const name in next)
        if (name.startsWith('try:') && numberOf(next, name) > numberOf(old, name)) noteTry(numberOf(next, name), note);
      if (referenceOf(id) === undefined || old?.['status'] === next['status']) return;
      note(old === undefined ? 'order: new' : `order: ${old['status']} → ${next['status']}`);
      const last = asked.get(`${by} ${old?.['paymentIntentId']}`);
      if (last === 'find' && next['status'] === 'paid' && old?.['status'] === 'pending_payment') note('unknown resolved as paid');
      if (last === 'find' && next['status'] === 'refunded') note('unknown resolved as refunded');
    },
  };
}

/** Every order is in euros. */
const OTHER_CURRENCY = '"currency":"USD"';

const MOST_TRIES = 6;
function noteTry(tries: number, note: Note): void {
  if (tries === 2) note('a job is tried again');
  if (tries === MOST_TRIES) note('a job has its last attempt');
}

/** A fill token that somebody deletes before its holder fills. */
function watchFills(note: Note): Observer {
  const holders = new Map<string, string>();
  const losers = new Set<string>();
  return {
    itemWritten({ table, id, old, next, by = '' }: ItemWritten) {
      if (table !== 'Cache') return;
      const holder = holders.get(id);
      if (next?.['token'] !== undefined && next['token'] !== old?.['token']) return void holders.set(id, by);
      holders.delete(id);
      if (next?.['value'] !== undefined) return note('cache filled');
      if (old?.['value'] !== undefined) note('cache invalidated');
      else if (holder !== undefined && holder !== by) losers.add(holder);
    },
    invocationEnded(_functionName, process, end) {
      if (losers.delete(process.name) && end.how === 'returned') note('fill lost the race');
    },
  };
}

const SENDERS = new Set(['rescue-jobs', 'sweep-state', 'retry-outbox', 'dispatch-outbox']);

function watchSurroundings({ jobQueues }: Simulation, note: Note): Observer {
  const jobs = new Set(jobQueues.map(({ queueName }) => queueName));
  return {
    queueCalled({ operation, input }: Call, by: string) {
      const queueName = String(input.QueueUrl).split('/').at(-1) ?? '';
      const sender = by.split('#')[0] ?? '';
      if (operation === 'ChangeMessageVisibility' || operation === 'ChangeMessageVisibilityBatch') note('a message is handed back');
      if (!operation.startsWith('SendMessage')) return;
      if (jobs.has(queueName) && SENDERS.has(sender)) note(`${sender} sends a job`);
      else if (/-dlq(?:\.fifo)?$/.test(queueName)) note(`letter: ${reasonIn(input)}`);
      else if (!jobs.has(queueName)) note(`${queueName} gets work`);
    },
    messagesDelivered(_queueName: string, records: readonly SQSRecord[]) {
      if (records.length > 1) note('a batch of several');
      const groups = records.flatMap(({ attributes }) => attributes.MessageGroupId ?? []);
      if (new Set(groups).size < groups.length) note('a batch holds several of one FIFO group');
      for (const { attributes } of records) if (Number(attributes.ApproximateReceiveCount) > 1) note('a message comes again');
    },
    messagesLost: (_queueName, _bodies, why) => note(`messages lost: ${why}`),
    streamRecordLost: (functionName) => note(`a stream record for ${functionName} is lost`),
    invocationEnded: (functionName, _process, end) => {
      if (end.how !== 'returned') note(`${functionName.split('/')[0]} ${end.how}`);
    },
    apiAnswered: ({ functionName, answer }) => note(`${functionName} answers ${answer.statusCode}`),
    counted: (service, name) => note(`${service.split('/')[0]} counts ${name}`),
    disturbed: (what) => note(`disturbance: ${what}`),
  };
}

function reasonIn(input: Call['input']): string {
  const text = (input.MessageAttributes?.andal ?? input.Entries?.[0]?.MessageAttributes?.andal)?.StringValue as string | undefined;
  return text === undefined ? 'none' : String((JSON.parse(text) as { readonly reason?: string }).reason);
}

import type { SQSRecord } from 'aws-lambda';
import type { Call } from '../../support/fake-aws/wire.ts';
import { workerOfKind } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { idOf, jobOf, keyIn, outboxKeys } from './item-views.ts';
import { isPoison, isPoisonChange } from './poison.ts';

/** In calm weather a change reaches its queue within seconds. */
const CARRIED_MS = 60_000;
/** A poison record that is not set aside is tried again for as long as the stream keeps it. */
const POISONED_MS = 60 * 60_000;
/** A lagging stream, a frozen process or a delete that was lost shows this much later. */
const LONGEST_EFFECT_MS = 15 * 60_000;

/** Judged where nothing else went wrong with those concerned: what a fault does to a batch is no poison's doing. */
export const isolation: Invariant = {
  id: 'S21',
  promise: 'a poison message fails alone in its batch, a poison stream record delays no other key',
  watch(simulation, violate) {
    const batches = watchBatches(simulation, violate);
    const records = watchRecords(simulation, violate);
    return {
      messagesDelivered: batches.messagesDelivered,
      disturbed: records.disturbed,
      itemWritten(written) {
        batches.itemWritten(written);
        records.itemWritten(written);
      },
      queueCalled(call, by) {
        batches.queueCalled(call, by);
        records.queueCalled(call);
      },
    };
  },
};

interface Delivered {
  readonly atMs: number;
  handedBack: boolean;
}

/** What came with poison, and whether it comes back. */
function watchBatches(simulation: Simulation, violate: (how: string) => void) {
  const { world } = simulation;
  const { isOurs, hadFault } = watchFaults(simulation);
  const beside = new Map<string, Delivered>();
  const receipts = new Map<string, Delivered>();
  const finishedAtMs = new Map<string, number>();
  const strange = new Set<string>();
  const gate = watchGate();
  const isPoisoned = (body: string): boolean => strange.has(body) || isPoison(body);
  const judgeAgain = (queueName: string, { messageId, body }: SQSRecord): void => {
    const before = beside.get(messageId);
    if (before === undefined || hadFault(queueName, before.atMs)) return;
    // What can be read goes the way of all jobs: a pause or an open circuit puts it off, too.
    if (!isPoison(body) && before.handedBack && gate.wasShut(before.atMs)) return;
    if (isPoisoned(body)) return violate(`the poison message ${messageId} came back instead of being set aside`);
    const job = jobOf(keyIn(body) ?? '');
    const endedMs = job && finishedAtMs.get(`${idOf(job.item)} ${job.operation}`);
    if (endedMs !== undefined && endedMs > before.atMs && !before.handedBack)
      violate(`${job?.key} was finished, and came back with the poison of its batch`);
  };
  return {
    messagesDelivered(queueName: string, records: readonly SQSRecord[]): void {
      if (!isOurs(queueName)) return;
      for (const record of records) judgeAgain(queueName, record);
      const poisoned = records.filter(({ body }) => isPoisoned(body)).length;
      for (const { messageId } of records) beside.delete(messageId);
      if (poisoned === 0) return;
      simulation.happened(poisoned < records.length ? 'poison in a batch with others' : 'poison alone in its batch');
      for (const { messageId, receiptHandle } of records) {
        const delivered = { atMs: world.nowMs, handedBack: false };
        beside.set(messageId, delivered);
        receipts.set(receiptHandle, delivered);
      }
    },
    itemWritten(written: ItemWritten): void {
      gate.itemWritten(written);
      const finished = slotFinishedBy(written);
      if (finished !== undefined) finishedAtMs.set(finished, written.atMs);
    },
    queueCalled({ operation, input }: Call, by: string): void {
      // Processes of ours are numbered; whatever anybody else puts into a queue is strange.
      if (operation === 'SendMessage' && !by.includes('#')) strange.add(String(input.MessageBody));
      if (operation !== 'ChangeMessageVisibilityBatch' || receipts.size === 0) return;
      for (const { ReceiptHandle } of input.Entries as { ReceiptHandle: string }[]) {
        const delivered = receipts.get(ReceiptHandle);
        if (delivered !== undefined) delivered.handedBack = true;
      }
    },
  };
}

function slotFinishedBy({ table, id, old, next }: ItemWritten): string | undefined {
  if (table !== 'State' || next === undefined || old?.['lease'] !== 'held') return undefined;
  const operation = String(old['leaseOp']);
  return old[`op:${operation}`] === undefined && next[`op:${operation}`] !== undefined ? `${id} ${operation}` : undefined;
}

/** Whatever else may have kept a message from its end. */
function watchFaults({ faults, jobQueues }: Simulation) {
  const workerOf = new Map(jobQueues.map(({ definition: { kind }, queueName }) => [queueName, workerOfKind(kind)]));
  return {
    isOurs: (queueName: string): boolean => workerOf.has(queueName),
    hadFault: (queueName: string, atMs: number): boolean =>
      faults.injected.some(
        (fault) =>
          fault.atMs >= atMs - LONGEST_EFFECT_MS &&
          (fault.label.startsWith(`${workerOf.get(queueName)} `) || fault.label === `mapping takes ${queueName}`),
      ),
  };
}

/** Pauses and circuits: what stands between a message and its claim. */
function watchGate() {
  const standing = new Set<string>();
  let changedAtMs = Number.NEGATIVE_INFINITY;
  return {
    itemWritten({ table, id, next, atMs }: ItemWritten): void {
      if (table !== 'Control' || !/^(?:pause|breaker):/.test(id)) return;
      changedAtMs = atMs;
      if (next === undefined) standing.delete(id);
      else standing.add(id);
    },
    /** At any time since then; a row is known a second later. */
    wasShut: (sinceMs: number): boolean => standing.size > 0 || changedAtMs >= sinceMs - ROW_AGE_MS,
  };
}
const ROW_AGE_MS = 1_100;

/** How long each change's jobs take to their queues once a poison record is about. */
function watchRecords(simulation: Simulation, violate: (how: string) => void) {
  const { faults, world } = simulation;
  /** When each job's commit was written, by its key. */
  const leaving = new Map<string, number>();
  let poisonedAtMs = Number.NEGATIVE_INFINITY;
  const isDelayed = (atMs: number): boolean =>
    world.nowMs - atMs > CARRIED_MS &&
    faults.injected.every((fault) => fault.atMs < atMs - LONGEST_EFFECT_MS || !/^(?:dispatch-outbox |stream delivers)/.test(fault.label));
  return {
    itemWritten({ table, old, next, by, atMs }: ItemWritten): void {
      if (table !== 'State' || next?.['outbox'] === undefined || next['version'] === old?.['version']) return;
      if (isPoisonChange(old, next)) {
        poisonedAtMs = atMs;
        simulation.happened('a poison stream record');
      } else if (
        by !== undefined &&
        atMs - poisonedAtMs < POISONED_MS &&
        !simulation.streams.some(({ lostUntilMs }) => lostUntilMs > atMs)
      ) {
        for (const key of outboxKeys(next)) leaving.set(key, atMs);
      }
    },
    /** What the stream had is gone with the old table, and what is put back was never in the new one's; the daily sweep brings it. */
    disturbed: (what: string): void => {
      if (what === 'restore') leaving.clear();
    },
    queueCalled({ operation, input }: Call): void {
      if (leaving.size === 0 || operation !== 'SendMessageBatch') return;
      for (const { MessageBody } of input.Entries as { MessageBody: string }[]) {
        const key = keyIn(MessageBody) ?? '';
        const committedAtMs = leaving.get(key);
        if (committedAtMs !== undefined && isDelayed(committedAtMs))
          violate(`${key} left ${Math.round(world.nowMs - committedAtMs)} ms after its commit, behind a poison record`);
        leaving.delete(key);
      }
    },
  };
}

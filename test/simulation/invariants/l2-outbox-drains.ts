import { INVALIDATION_RETRY, OUTBOX_FAILED } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { carriesOutbox, imageOf, imageOfReference, jobOf, keyIn, numberOf, outboxKeys, recordOf } from './item-views.ts';
import { isPoisonChange } from './poison.ts';
import { standingOf } from './promised-jobs.ts';

/** An entry has left when anybody sent its message; what a lost stream record took with it, the daily scan sends. */
export const outboxDrains: Invariant = {
  id: 'L2',
  promise: 'once the faults stop, every job in an outbox reaches its queue, and neither the stream nor its retry queues keep anything',
  watch(simulation, violate) {
    const waiting = new Set<string>();
    let wasRestored = false;
    const look = (): void => {
      for (const { definition, waiting: records } of simulation.streams)
        if (records > 0) violate(`${records} stream records still wait for ${definition.functionName}`);
      for (const queueName of [OUTBOX_FAILED, INVALIDATION_RETRY]) {
        const left = simulation.sqs.messages(queueName).length;
        if (left > 0) violate(`${queueName} still holds ${left} messages`);
      }
      for (const key of waiting) if (!isOver(key)) violate(`${key} never left its outbox`);
    };
    /** Done by another way, or the item has moved on. */
    const isOver = (key: string): boolean => {
      const job = jobOf(key);
      if (wasRestored && job !== undefined && imageOf(simulation, job.item) === undefined && isForgotten(key)) return true;
      if (job === undefined || standingOf(simulation, job) !== 'unfinished') return true;
      const current = numberOf(imageOf(simulation, job.item), job.kind === 'refund-payment' ? 'refundAttempt' : 'attempt');
      return job.attempt !== undefined && current !== job.attempt;
    };
    /** By a restored table: the job's own item, or for a receipt the capture it is about. */
    const isForgotten = (key: string): boolean => {
      const [kind, reference = '', attempt] = key.split(':');
      return kind !== 'receipt' || recordOf(imageOfReference(simulation, reference), `capture:${attempt}`) === undefined;
    };
    return {
      itemWritten({ table, old, next }) {
        if (table !== 'State' || !carriesOutbox(old, next) || isPoisonChange(old, next)) return;
        for (const key of outboxKeys(next)) waiting.add(key);
      },
      queueCalled({ operation, input }) {
        if (operation !== 'SendMessageBatch' || waiting.size === 0 || String(input.QueueUrl).endsWith(OUTBOX_FAILED)) return;
        for (const { MessageBody } of input.Entries as { MessageBody: string }[]) waiting.delete(keyIn(MessageBody) ?? '');
      },
      disturbed(what) {
        wasRestored ||= what === 'restore';
      },
      rested: look,
      finished: look,
    };
  },
};

import { targetOf } from '#shared/worker/job-target.ts';
import { deadLetterQueueOf, TABLES, workerOfKind } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { idOf, recordOf } from '../invariants/item-views.ts';
import { definitionOf, type OwnKind } from '../scenario/own-kind.ts';

/**
 * An unknown outcome is asked about every hour for two days, and what is put off longest comes back every ten minutes: an honest job
 * of three copies has ended long before.
 */
const MOST_DELIVERIES = 300;

/**
 * A job that is put off for ever costs no attempt and would be delivered for all the virtual days of a run, which takes minutes of real
 * time. Once it has come this often its worker is called no more: what the run can tell it has told.
 *
 * Does not protect against a run in which time does not pass; its real time limit does.
 */
export const goesRound = (own: OwnKind): Invariant => ({
  id: 'L1',
  promise: 'the job ends, and is not delivered again and again for ever',
  watch({ jobQueues, lambda }, violate) {
    const definition = definitionOf(own.kind);
    const { key, operation } = targetOf(definition, definition.payload.parse(own.payload));
    const queueName = jobQueues.find((queue) => queue.definition === definition)?.queueName ?? own.kind;
    const invoke = lambda.invoke;
    let deliveries = 0;
    Object.assign(lambda, {
      invoke(...[functionName, event, ended]: Parameters<typeof invoke>) {
        if (deliveries <= MOST_DELIVERIES || functionName !== workerOfKind(own.kind)) invoke(functionName, event, ended);
      },
    });
    return {
      messagesDelivered(from, records) {
        if (from !== queueName || deliveries > MOST_DELIVERIES) return;
        deliveries += records.length;
        if (deliveries > MOST_DELIVERIES) violate(`${own.kind} was delivered ${deliveries} times and was neither done nor given up`);
      },
      itemWritten({ table, id, old, next }) {
        if (table !== TABLES.state || id !== idOf(key)) return;
        const [before, after] = [recordOf(old, operation), recordOf(next, operation)];
        if (after !== undefined && (before === undefined || before.fence !== after.fence)) deliveries = 0;
      },
      // A job that touches no item has nothing but its letter.
      queueCalled({ operation: call, input }) {
        if (call.startsWith('SendMessage') && String(input.QueueUrl).endsWith(`/${deadLetterQueueOf(queueName)}`)) deliveries = 0;
      },
    };
  },
});

import type { Invariant } from '../invariant.ts';
import { createHealthyTimes } from './healthy-times.ts';
import { keyIn } from './item-views.ts';
import { isPoison } from './poison.ts';

const MOST_DELIVERIES = 2;

export const noSelfLockout: Invariant = {
  id: 'L5',
  promise: 'in healthy times no message is delivered more than twice and no job is sent to its queue a second time',
  watch(simulation, violate) {
    const times = createHealthyTimes(simulation);
    const sent = new Set<string>();
    const jobQueues = new Set(simulation.jobQueues.map(({ queueName }) => queueName));
    return {
      ...times.watch,
      messagesDelivered(queueName, records) {
        if (!times.last || !jobQueues.has(queueName)) return;
        for (const { body, attributes } of records) {
          const deliveries = Number(attributes.ApproximateReceiveCount);
          if (deliveries > MOST_DELIVERIES && !isPoison(body)) violate(`${keyIn(body)} is delivered ${deliveries} times in healthy times`);
        }
      },
      queueCalled({ operation, input }) {
        if (!times.last || operation !== 'SendMessageBatch' || !jobQueues.has(String(input.QueueUrl).split('/').at(-1) ?? '')) return;
        for (const { MessageBody } of input.Entries as { MessageBody: string }[]) {
          const key = keyIn(MessageBody) ?? '';
          if (sent.has(key)) violate(`${key} is sent a second time in healthy times`);
          sent.add(key);
        }
      },
    };
  },
};

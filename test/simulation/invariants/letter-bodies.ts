import type { SQSRecord } from 'aws-lambda';
import type { Call } from '../../support/fake-aws/wire.ts';
import { deadLetterQueueOf } from '../cloud/names.ts';
import { nameOfQueue } from '../network/labels.ts';
import type { Simulation } from '../simulation.ts';
import { keyIn } from './item-views.ts';
import { bodiesOf } from './job-whereabouts.ts';

export interface LetterBodies {
  messagesDelivered(queueName: string, records: readonly SQSRecord[]): void;
  /** @returns what is wrong with a letter that a worker has just sent */
  queueCalled(call: Call, by: string): string | undefined;
}

/** A worker's letter is a message it was given, to the byte: whoever reads it, or replays it, has nothing else. */
export function trackLetterBodies({ jobQueues }: Pick<Simulation, 'jobQueues'>): LetterBodies {
  const delivered = new Map(jobQueues.map(({ queueName }) => [deadLetterQueueOf(queueName), new Set<string>()]));
  return {
    messagesDelivered(queueName, records) {
      for (const { body } of records) delivered.get(deadLetterQueueOf(queueName))?.add(body);
    },
    queueCalled({ operation, input }, by) {
      const known =
        by.startsWith('execute-job/') && operation.startsWith('SendMessage')
          ? delivered.get(nameOfQueue(String(input.QueueUrl)))
          : undefined;
      const other = known && bodiesOf(input).find((body) => !known.has(body));
      return other === undefined
        ? undefined
        : `the letter of ${keyIn(other) ?? 'an unreadable message'} is not the message ${by} was given, byte for byte`;
    },
  };
}

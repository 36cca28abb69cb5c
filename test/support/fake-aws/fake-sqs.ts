import { type Answer, AwsError, answerOf } from './aws-error.ts';
import { createSqsOperations } from './sqs/operations.ts';
import { createQueue, dropExpired, type Message, type Queue, type QueueDefinition, urlOf } from './sqs/queue.ts';
import type { StaleReceipt } from './sqs/receipt.ts';

export type { Message, QueueDefinition };

/**
 * SQS as a state machine: an operation and its input give an answer, at once; time is only read.
 *
 * Does not protect against what a standard queue may do at any moment: delivering twice, out of order or late. Receiving is
 * in order of arrival here; tests that need disorder receive with `VisibilityTimeout: 0` or use the fault hook.
 */
export interface FakeSqs {
  /** Returns the queue's URL. */
  createQueue(definition: QueueDefinition): string;
  handle(operation: string, input: Record<string, unknown>): Answer;
  /** Every message not deleted and not expired, visible or not, in order of arrival; for assertions. */
  messages(queueName: string): readonly Message[];
}

/**
 * @param options.now epoch milliseconds
 * @param options.staleReceipt what DeleteMessage does with an outdated receipt handle, `refuse` if not said
 */
export function createFakeSqs({
  now,
  staleReceipt = 'refuse',
}: {
  readonly now: () => number;
  readonly staleReceipt?: StaleReceipt;
}): FakeSqs {
  const queues = new Map<string, Queue>();
  let count = 0;
  const queueNamed = (name: string): Queue => {
    const queue = queues.get(name);
    if (!queue) throw new AwsError('QueueDoesNotExist', 'The specified queue does not exist.');
    dropExpired(queue, now());
    return queue;
  };
  const operations = createSqsOperations({ queueNamed, now, staleReceipt, counter: { next: () => ++count } });
  return {
    createQueue(definition) {
      queues.set(definition.QueueName, createQueue(definition, now()));
      return urlOf(definition.QueueName);
    },
    handle: (operation, input) =>
      answerOf(() => {
        const run = operations[operation];
        if (!run) throw new AwsError('UnknownOperationException', `fake SQS does not know ${operation}`);
        return run(input);
      }),
    messages: (queueName) => [...queueNamed(queueName).messages.values()],
  };
}

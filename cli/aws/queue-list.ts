import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { LetterSource } from '#shared/dead-letter/read-letter.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import type { StackOutputs } from './deployment.ts';
import { queueName } from './queues.ts';

export interface NamedQueue {
  /** Job kind, or what the queue is for. */
  readonly name: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string | undefined;
  /** Undefined where the messages are no jobs. */
  readonly definition: AnyJobDefinition | undefined;
}

const NAMED_OUTPUTS = [
  ...jobs.map((definition) => ({ name: definition.kind, ...jobOutputs(definition.kind), definition })),
  {
    name: 'outbox-failed',
    queueUrl: STACK_OUTPUTS.outboxFailedQueueUrl,
    deadLetterQueueUrl: STACK_OUTPUTS.outboxFailedDeadLetterQueueUrl,
    definition: undefined,
  },
  {
    name: 'invalidation-retry',
    queueUrl: STACK_OUTPUTS.invalidationRetryQueueUrl,
    deadLetterQueueUrl: STACK_OUTPUTS.invalidationDeadLetterQueueUrl,
    definition: undefined,
  },
];

/** What a person calls a queue: a job's kind, or what else the queue carries. */
export const QUEUE_NAMES: readonly string[] = NAMED_OUTPUTS.map(({ name }) => name);

/** Every queue of a deployment with its dead-letter queue, as the outputs name them. */
export function queuesOf(outputs: StackOutputs): NamedQueue[] {
  return NAMED_OUTPUTS.flatMap(({ name, queueUrl, deadLetterQueueUrl, definition }) => {
    const url = outputs[queueUrl];
    return url === undefined ? [] : [{ name, queueUrl: url, deadLetterQueueUrl: outputs[deadLetterQueueUrl], definition }];
  });
}

/** A dead-letter queue by the name of the queue it belongs to. */
export interface NamedLetterQueue {
  readonly name: string;
  readonly deadLetterQueueUrl: string;
  readonly source: LetterSource;
}

export const letterQueuesOf = (outputs: StackOutputs): NamedLetterQueue[] =>
  queuesOf(outputs).flatMap(({ name, queueUrl, deadLetterQueueUrl, definition }) =>
    deadLetterQueueUrl === undefined
      ? []
      : [
          {
            name,
            deadLetterQueueUrl,
            source: {
              deadLetterQueueName: queueName(deadLetterQueueUrl),
              queueUrl,
              fifo: queueUrl.endsWith('.fifo'),
              definition,
            },
          },
        ],
  );

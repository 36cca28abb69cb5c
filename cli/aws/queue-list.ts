import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { StackOutputs } from './deployment.ts';

export interface NamedQueue {
  /** Job kind, or what the queue is for. */
  readonly name: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string | undefined;
}

/** Every queue of a deployment with its dead-letter queue, as the outputs name them. */
export function queuesOf(outputs: StackOutputs): NamedQueue[] {
  const named = [
    ...jobs.map(({ kind }) => ({ name: kind, ...jobOutputs(kind) })),
    {
      name: 'outbox-failed',
      queueUrl: STACK_OUTPUTS.outboxFailedQueueUrl,
      deadLetterQueueUrl: STACK_OUTPUTS.outboxFailedDeadLetterQueueUrl,
    },
    {
      name: 'invalidation-retry',
      queueUrl: STACK_OUTPUTS.invalidationRetryQueueUrl,
      deadLetterQueueUrl: STACK_OUTPUTS.invalidationDeadLetterQueueUrl,
    },
  ];
  return named.flatMap(({ name, queueUrl, deadLetterQueueUrl }) => {
    const url = outputs[queueUrl];
    return url === undefined ? [] : [{ name, queueUrl: url, deadLetterQueueUrl: outputs[deadLetterQueueUrl] }];
  });
}

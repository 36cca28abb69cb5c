import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { CacheInvalidator } from './constructs/cache-invalidator.ts';
import { JobQueue } from './constructs/job-queue.ts';
import { JobWorker } from './constructs/job-worker.ts';
import { OrderApi } from './constructs/order-api.ts';
import { OutboxDispatcher } from './constructs/outbox-dispatcher.ts';
import type { DataStack } from './data-stack.ts';
import type { Settings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';

interface PipelineStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  readonly paymentProviderUrl: string;
}

/** The kinds that hand out mail; the others get no right to the mail table. */
const SENDS_MAIL: readonly string[] = [sendReceipt.kind];

/** What happens to an order, in order: it comes in, its jobs are queued, they run, the cache follows. */
export class PipelineStack extends Stack {
  constructor(scope: Construct, id: string, { settings, data, paymentProviderUrl, ...props }: PipelineStackProps) {
    super(scope, id, props);
    const { stateTable, cacheTable, mailTable } = data;

    const api = new OrderApi(this, 'OrderApi', { settings, stateTable, cacheTable });
    const jobQueues = jobs.map((definition) => new JobQueue(this, `Queue-${definition.kind}`, { settings, definition }));
    const outbox = new OutboxDispatcher(this, 'OutboxDispatcher', { settings, stateTable, jobQueues });
    for (const jobQueue of jobQueues) {
      const { kind } = jobQueue.definition;
      const sendsMail = SENDS_MAIL.includes(kind);
      const worker = new JobWorker(this, `Worker-${kind}`, { settings, jobQueue, stateTable, mailTable, sendsMail, paymentProviderUrl });
      this.addJobOutputs(jobQueue, worker);
    }
    const cache = new CacheInvalidator(this, 'CacheInvalidator', { settings, stateTable, cacheTable });

    addOutputs(this, {
      [STACK_OUTPUTS.orderApiUrl]: api.url,
      [STACK_OUTPUTS.acceptOrderFunction]: api.acceptOrder.lambda.functionName,
      [STACK_OUTPUTS.readOrderFunction]: api.readOrder.lambda.functionName,
      [STACK_OUTPUTS.dispatchOutboxFunction]: outbox.dispatchOutbox.lambda.functionName,
      [STACK_OUTPUTS.retryOutboxFunction]: outbox.retryOutbox.lambda.functionName,
      [STACK_OUTPUTS.outboxFailedQueueUrl]: outbox.failed.queue.queueUrl,
      [STACK_OUTPUTS.outboxFailedDeadLetterQueueUrl]: outbox.failed.deadLetterQueue.queueUrl,
      [STACK_OUTPUTS.invalidateCacheFunction]: cache.invalidateCache.lambda.functionName,
      [STACK_OUTPUTS.retryInvalidationFunction]: cache.retryInvalidation.lambda.functionName,
      [STACK_OUTPUTS.invalidationRetryQueueUrl]: cache.retry.queue.queueUrl,
      [STACK_OUTPUTS.invalidationDeadLetterQueueUrl]: cache.retry.deadLetterQueue.queueUrl,
    });
  }

  private addJobOutputs({ definition, queue, deadLetterQueue }: JobQueue, worker: JobWorker): void {
    const names = jobOutputs(definition.kind);
    addOutputs(this, {
      [names.queueUrl]: queue.queueUrl,
      [names.deadLetterQueueUrl]: deadLetterQueue.queueUrl,
      [names.functionName]: worker.lambda.functionName,
    });
  }
}

import { Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { exportOrders } from '#shared/jobs/export-orders.ts';
import { jobs } from '#shared/jobs/index.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { CacheInvalidator } from './constructs/cache-invalidator.ts';
import { CacheVerifier } from './constructs/cache-verifier.ts';
import { Governor } from './constructs/governor.ts';
import { JobQueue } from './constructs/job-queue.ts';
import { JobWorker, type PaymentProvider, type Reach } from './constructs/job-worker.ts';
import type { AnyNodeFunction } from './constructs/node-function.ts';
import { OrderApi } from './constructs/order-api.ts';
import { OutboxDispatcher } from './constructs/outbox-dispatcher.ts';
import { askForProviderUrl } from './constructs/provider-url.ts';
import { Rescuer } from './constructs/rescuer.ts';
import { Rollout } from './constructs/rollout.ts';
import { cacheInTable } from './constructs/stage-cache.ts';
import { ValkeyCache } from './constructs/valkey-cache.ts';
import type { DataStack } from './data-stack.ts';
import type { Settings } from './settings.ts';
import { addOutputs } from './stack-outputs.ts';

interface PipelineStackProps extends StackProps {
  readonly settings: Settings;
  readonly data: DataStack;
  /** Whom to charge where the stage brings its own provider. */
  readonly sandbox: PaymentProvider | undefined;
}

/** Kinds left out reach their own items and the payment provider only. */
const REACHES: Readonly<Record<string, readonly Reach[]>> = {
  [sendReceipt.kind]: ['mail'],
  [exportOrders.kind]: ['orders', 'exports'],
  [adjustStock.kind]: ['stock'],
};

/** What happens to an order, in order: it comes in, its jobs are queued, they run, the cache follows. */
export class PipelineStack extends Stack {
  readonly api: OrderApi;
  readonly jobQueues: readonly JobQueue[];
  readonly outbox: OutboxDispatcher;
  readonly workers: readonly JobWorker[];
  readonly governor: Governor;
  readonly rescuer: Rescuer;
  readonly cache: CacheInvalidator;
  /** Where the cache is a table; rows of a server cannot be sampled as cheaply. */
  readonly verifier: CacheVerifier | undefined;

  constructor(scope: Construct, id: string, { settings, data, sandbox, ...props }: PipelineStackProps) {
    super(scope, id, props);
    const { stateTable, controlTable, cacheTable } = data;
    const paymentProvider = sandbox ?? { url: settings.paymentProviderUrl ?? askForProviderUrl(this) };

    const cache = settings.cache === 'valkey' ? new ValkeyCache(this, 'ValkeyCache', { settings }) : cacheInTable(cacheTable);
    this.api = new OrderApi(this, 'OrderApi', { settings, stateTable, cacheTable, cache });
    this.jobQueues = jobs.map((definition) => new JobQueue(this, `Queue-${definition.kind}`, { settings, definition }));
    const { jobQueues } = this;
    this.outbox = new OutboxDispatcher(this, 'OutboxDispatcher', { settings, stateTable, jobQueues });
    this.workers = jobQueues.map((jobQueue) => {
      const { kind } = jobQueue.definition;
      const worker = new JobWorker(this, `Worker-${kind}`, { settings, jobQueue, data, reaches: REACHES[kind] ?? [], paymentProvider });
      this.addJobOutputs(jobQueue, worker);
      return worker;
    });
    const { workers } = this;
    this.governor = new Governor(this, 'Governor', { settings, controlTable, workers });
    this.rescuer = new Rescuer(this, 'Rescuer', { settings, stateTable, controlTable, jobQueues, mappings: workers });
    this.cache = new CacheInvalidator(this, 'CacheInvalidator', { settings, stateTable, cacheTable, cache });
    const parts = { settings, stateTable, cacheTable };
    this.verifier = settings.cache === 'dynamodb' ? new CacheVerifier(this, 'CacheVerifier', parts) : undefined;
    if (settings.rollout === 'canary') new Rollout(this, 'Rollout', { workers, others: this.functionsWithoutKind() });
    this.addAllOutputs();
  }

  private functionsWithoutKind(): readonly AnyNodeFunction[] {
    const { api, outbox, governor, rescuer, cache, verifier } = this;
    return [
      ...[api.acceptOrder, api.acceptPaymentAttempt, api.acceptRefund, api.acceptExport, api.acceptStockAdjustment, api.readOrder],
      ...[outbox.dispatchOutbox, outbox.retryOutbox, cache.invalidateCache, cache.retryInvalidation],
      ...[governor.governQueues, rescuer.rescueJobs, rescuer.sweepState],
      ...(verifier === undefined ? [] : [verifier.verifyCache]),
    ];
  }

  private addAllOutputs(): void {
    const { api, outbox, governor, rescuer, cache, verifier } = this;

    addOutputs(this, {
      [STACK_OUTPUTS.orderApiUrl]: api.url,
      [STACK_OUTPUTS.outboxFailedQueueUrl]: outbox.failed.queue.queueUrl,
      [STACK_OUTPUTS.outboxFailedDeadLetterQueueUrl]: outbox.failed.deadLetterQueue.queueUrl,
      [STACK_OUTPUTS.invalidationRetryQueueUrl]: cache.retry.queue.queueUrl,
      [STACK_OUTPUTS.invalidationDeadLetterQueueUrl]: cache.retry.deadLetterQueue.queueUrl,
    });
    this.addFunctionOutputs({
      acceptOrderFunction: api.acceptOrder,
      readOrderFunction: api.readOrder,
      acceptExportFunction: api.acceptExport,
      acceptStockAdjustmentFunction: api.acceptStockAdjustment,
      dispatchOutboxFunction: outbox.dispatchOutbox,
      retryOutboxFunction: outbox.retryOutbox,
      governQueuesFunction: governor.governQueues,
      rescueJobsFunction: rescuer.rescueJobs,
      sweepStateFunction: rescuer.sweepState,
      invalidateCacheFunction: cache.invalidateCache,
      retryInvalidationFunction: cache.retryInvalidation,
      ...(verifier === undefined ? {} : { verifyCacheFunction: verifier.verifyCache }),
    });
  }

  private addFunctionOutputs(
    functions: Readonly<Partial<Record<keyof typeof STACK_OUTPUTS, { readonly lambda: { readonly functionName: string } }>>>,
  ): void {
    for (const [name, { lambda }] of Object.entries(functions))
      addOutputs(this, { [STACK_OUTPUTS[name as keyof typeof STACK_OUTPUTS]]: lambda.functionName });
  }

  private addJobOutputs({ definition, queue, deadLetterQueue }: JobQueue, worker: JobWorker): void {
    const names = jobOutputs(definition.kind);
    addOutputs(this, {
      [names.queueUrl]: queue.queueUrl,
      [names.deadLetterQueueUrl]: deadLetterQueue.queueUrl,
      [names.functionName]: worker.lambda.functionName,
      [names.mappingId]: worker.mappingId,
    });
  }
}

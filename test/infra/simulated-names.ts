import { jobs } from '#shared/jobs/index.ts';
import { INVALIDATION_RETRY, OUTBOX_FAILED, queueOfKind, workerOfKind } from '../simulation/cloud/names.ts';

/** Functions of the simulated account → how their logical ids begin. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  'accept-order': 'OrderApiAcceptOrder',
  'accept-refund': 'OrderApiAcceptRefund',
  'accept-payment-attempt': 'OrderApiAcceptPaymentAttempt',
  'accept-export': 'OrderApiAcceptExport',
  'accept-stock-adjustment': 'OrderApiAcceptStockAdjustment',
  'read-order': 'OrderApiReadOrder',
  'dispatch-outbox': 'OutboxDispatcherDispatchOutbox',
  'retry-outbox': 'OutboxDispatcherRetryOutbox',
  'invalidate-cache': 'CacheInvalidatorInvalidateCache',
  'retry-invalidation': 'CacheInvalidatorRetryInvalidation',
  'verify-cache': 'CacheVerifierVerifyCache',
  'rescue-jobs': 'RescuerRescueJobs',
  'sweep-state': 'RescuerSweepState',
  'govern-queues': 'GovernorGovernQueues',
  ...Object.fromEntries(jobs.map(({ kind }) => [workerOfKind(kind), `Worker${kind.replaceAll('-', '')}`])),
};

/** Queues of the simulated account → how the logical ids of the queue and its dead-letter queue begin. */
export const QUEUES: Readonly<Record<string, string>> = {
  [OUTBOX_FAILED]: 'OutboxDispatcherOutboxFailed',
  [INVALIDATION_RETRY]: 'CacheInvalidatorInvalidationRetry',
  ...Object.fromEntries(
    jobs.map(({ kind, queue }) => [queueOfKind(kind, queue.fifoGroup !== undefined), `Queue${kind.replaceAll('-', '')}`]),
  ),
};

import { MAX_RECEIVE_COUNT } from '#shared/contract/limits.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import type { System } from '#shared/runtime/system.ts';
import type { AnyJobDefinition } from '#shared/worker/define-job.ts';
import { wire as acceptExport } from '../../../functions/accept-export/wire.ts';
import { wire as acceptOrder } from '../../../functions/accept-order/wire.ts';
import { wire as acceptPaymentAttempt } from '../../../functions/accept-payment-attempt/wire.ts';
import { wire as acceptRefund } from '../../../functions/accept-refund/wire.ts';
import { wire as acceptStockAdjustment } from '../../../functions/accept-stock-adjustment/wire.ts';
import { wire as dispatchOutbox } from '../../../functions/dispatch-outbox/wire.ts';
import { wire as executeJob } from '../../../functions/execute-job/wire.ts';
import { wire as governQueues } from '../../../functions/govern-queues/wire.ts';
import { wire as invalidateCache } from '../../../functions/invalidate-cache/wire.ts';
import { wire as readOrder } from '../../../functions/read-order/wire.ts';
import { wire as rescueJobs } from '../../../functions/rescue-jobs/wire.ts';
import { wire as retryInvalidation } from '../../../functions/retry-invalidation/wire.ts';
import { wire as retryOutbox } from '../../../functions/retry-outbox/wire.ts';
import { wire as sweepState } from '../../../functions/sweep-state/wire.ts';
import { wire as verifyCache } from '../../../functions/verify-cache/wire.ts';
import { urlOf } from '../../support/fake-aws/sqs/queue.ts';
import type { FunctionDefinition } from './lambda.ts';
import {
  deadLetterQueueOf,
  EXPORT_BUCKET,
  INVALIDATION_RETRY,
  mappingIdOf,
  OUTBOX_FAILED,
  PROVIDER_URL,
  queueOfKind,
  TABLES,
  workerOfKind,
} from './names.ts';

/** The parts of a stage's settings that matter to the running pipeline; those of stage prod (infra/settings.ts). */
export const SETTINGS = {
  keyHorizonSeconds: 24 * 3600,
  unresolvedAfterSeconds: 48 * 3600,
  callsPerSecond: { 'payment-provider': 100 },
  cacheTtlSeconds: 300,
} as const;

export interface JobQueueDefinition {
  readonly definition: AnyJobDefinition;
  readonly queueName: string;
  readonly visibilityTimeoutSeconds: number;
  readonly functionTimeoutMs: number;
  readonly maxReceiveCount: number;
}

export function jobQueueOf(definition: AnyJobDefinition): JobQueueDefinition {
  const timing = deriveTiming(definition.timing, { batchingWindowSeconds: definition.queue.batchingWindowSeconds ?? 0 });
  return {
    definition,
    queueName: queueOfKind(definition.kind, definition.queue.fifoGroup !== undefined),
    visibilityTimeoutSeconds: timing.visibilityTimeoutSeconds,
    functionTimeoutMs: timing.functionTimeoutSeconds * 1000,
    maxReceiveCount: MAX_RECEIVE_COUNT,
  };
}

/** Every function of the pipeline with the environment and the time limit its construct gives it (infra/constructs/). */
export function functionsOf(jobQueues: readonly JobQueueDefinition[]): Map<string, FunctionDefinition> {
  const QUEUE_URLS = JSON.stringify(Object.fromEntries(jobQueues.map(({ definition, queueName }) => [definition.kind, urlOf(queueName)])));
  const MAPPING_IDS = JSON.stringify(Object.fromEntries(jobQueues.map(({ definition: { kind } }) => [kind, mappingIdOf(kind)])));
  const state = { STATE_TABLE: TABLES.state };
  const cache = { CACHE_TABLE: TABLES.cache };
  const pace = { TIME_SCALE: '1', PROVIDER_KEY_HORIZON_SECONDS: String(SETTINGS.keyHorizonSeconds) };
  const rescue = { ...state, ...pace, CONTROL_TABLE: TABLES.control, QUEUE_URLS };
  const onStream = { STREAM_FAILURE_MODE: 'report' };
  const workers = jobQueues.map(({ definition: { kind }, queueName, functionTimeoutMs }) =>
    define(workerOfKind(kind), executeJob, functionTimeoutMs, {
      ...state,
      ...pace,
      JOB_KIND: kind,
      CONTROL_TABLE: TABLES.control,
      MAIL_TABLE: TABLES.mail,
      EXPORT_BUCKET,
      QUEUE_URL: urlOf(queueName),
      DEAD_LETTER_QUEUE_URL: urlOf(deadLetterQueueOf(queueName)),
      PAYMENT_PROVIDER_URL: PROVIDER_URL,
      PAYMENT_PROVIDER_AUTHORIZATION: 'none',
      RATE_LIMITS: JSON.stringify(SETTINGS.callsPerSecond),
      UNRESOLVED_AFTER_SECONDS: String(SETTINGS.unresolvedAfterSeconds),
    }),
  );
  const functions = [
    define('accept-order', acceptOrder, 15_000, state),
    define('accept-refund', acceptRefund, 15_000, state),
    define('accept-payment-attempt', acceptPaymentAttempt, 15_000, state),
    define('accept-export', acceptExport, 15_000, state),
    define('accept-stock-adjustment', acceptStockAdjustment, 15_000, state),
    define('read-order', readOrder, 15_000, { ...state, ...cache, CACHE_TTL_SECONDS: String(SETTINGS.cacheTtlSeconds) }),
    define('dispatch-outbox', dispatchOutbox, 60_000, { ...onStream, QUEUE_URLS, OUTBOX_FAILED_QUEUE_URL: urlOf(OUTBOX_FAILED) }),
    define('retry-outbox', retryOutbox, 60_000, { QUEUE_URLS }),
    define('invalidate-cache', invalidateCache, 60_000, { ...onStream, ...cache, INVALIDATION_RETRY_QUEUE_URL: urlOf(INVALIDATION_RETRY) }),
    define('retry-invalidation', retryInvalidation, 10_000, cache),
    define('verify-cache', verifyCache, 120_000, { ...state, ...cache, TIME_SCALE: '1' }),
    define('rescue-jobs', rescueJobs, 50_000, { ...rescue, MAPPING_IDS }),
    define('sweep-state', sweepState, 280_000, { ...rescue, SWEEP_SEGMENTS: '4', SWEEP_READ_UNITS_PER_SECOND: '25' }),
    define('govern-queues', governQueues, 30_000, { TIME_SCALE: '1', CONTROL_TABLE: TABLES.control, MAPPING_IDS, MAX_CONCURRENCY: '1000' }),
    ...workers,
  ];
  return new Map(functions.map((definition) => [definition.name, definition]));
}

const define = (
  name: string,
  wire: (system: System) => unknown,
  timeoutMs: number,
  environment: Readonly<Record<string, string>>,
): FunctionDefinition => ({ name, wire, timeoutMs, environment });

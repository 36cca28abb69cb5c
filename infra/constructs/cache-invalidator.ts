import { Duration } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { FilterRule } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { invalidateCacheEnvironment, retryInvalidationEnvironment } from '#shared/contract/environment.ts';
import { ORDER_PREFIX } from '#shared/contract/item-keys.ts';
import type { Settings } from '../settings.ts';
import { consumeQueue } from './consume-queue.ts';
import { consumeStream } from './consume-stream.ts';
import { NodeFunction } from './node-function.ts';
import { RedrivenQueue } from './redriven-queue.ts';
import type { StageCache } from './stage-cache.ts';

export interface CacheInvalidatorProps {
  readonly settings: Settings;
  readonly stateTable: Table;
  readonly cacheTable: Table;
  readonly cache: StageCache;
}

const STREAM_TIMEOUT = Duration.seconds(60);
const RETRY_TIMEOUT = Duration.seconds(10);
const RETRY_EVERY_SECONDS = 60;
/** What cannot be invalidated by then has expired by itself. */
const RETRY_FOR_CACHE_TTLS = 3;

const MAX_RECORD_AGE = Duration.hours(1);
const RETRY_ATTEMPTS = 100;

const isOrder = { sk: { S: FilterRule.beginsWith(ORDER_PREFIX) } };

/**
 * Takes changed orders out of the cache: those committed (a committed item's lease is free) and those deleted. A failed
 * invalidation is retried from a queue of its own, so it holds up no other key; the cache's TTL bounds the damage.
 */
export class CacheInvalidator extends Construct {
  readonly retry: RedrivenQueue;
  readonly invalidateCache: NodeFunction<typeof invalidateCacheEnvironment>;
  readonly retryInvalidation: NodeFunction<typeof retryInvalidationEnvironment>;

  constructor(scope: Construct, id: string, { settings, stateTable, cacheTable, cache }: CacheInvalidatorProps) {
    super(scope, id);
    this.retry = new RedrivenQueue(this, 'InvalidationRetry', {
      settings,
      visibilityTimeoutSeconds: RETRY_EVERY_SECONDS,
      maxReceiveCount: Math.ceil((RETRY_FOR_CACHE_TTLS * settings.cacheTtlSeconds) / RETRY_EVERY_SECONDS),
    });

    this.invalidateCache = new NodeFunction(this, 'InvalidateCache', {
      settings,
      folder: 'invalidate-cache',
      schema: invalidateCacheEnvironment.extend(cache.schema?.shape ?? {}),
      entry: cache.entry,
      network: cache.network,
      environment: {
        CACHE_TABLE: cacheTable.tableName,
        INVALIDATION_RETRY_QUEUE_URL: this.retry.queue.queueUrl,
        STREAM_FAILURE_MODE: settings.streamFailureMode,
        ...cache.environment,
      },
      timeout: STREAM_TIMEOUT,
    });
    cache.grant(this.invalidateCache, 'invalidate');
    this.invalidateCache.allow(['sqs:SendMessage'], [this.retry.queue.queueArn]);
    consumeStream(this.invalidateCache, stateTable, {
      filters: [
        { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: isOrder, NewImage: { lease: { S: FilterRule.isEqual('free') } } } },
        { eventName: ['REMOVE'], dynamodb: { Keys: isOrder } },
      ],
      retryAttempts: RETRY_ATTEMPTS,
      maxRecordAge: MAX_RECORD_AGE,
      onFailure: this.retry.deadLetterQueue,
    });

    this.retryInvalidation = new NodeFunction(this, 'RetryInvalidation', {
      settings,
      folder: 'retry-invalidation',
      schema: retryInvalidationEnvironment.extend(cache.schema?.shape ?? {}),
      entry: cache.entry,
      network: cache.network,
      environment: { CACHE_TABLE: cacheTable.tableName, ...cache.environment },
      timeout: RETRY_TIMEOUT,
    });
    cache.grant(this.retryInvalidation, 'invalidate');
    consumeQueue(this.retryInvalidation, this.retry, { batchSize: 10, maxConcurrency: 2 });
  }
}

import type { Duration } from 'aws-cdk-lib';
import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb';
import { type Alias, FilterCriteria, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

export interface ConsumeStreamOptions {
  /** A record is delivered when any of these matches. */
  readonly filters: readonly StreamFilter[];
  readonly retryAttempts: number;
  readonly maxRecordAge: Duration;
  /** Gets shard and sequence numbers, not the records, of what was given up. */
  readonly onFailure: IQueue;
}

export interface StreamFilter {
  readonly eventName?: readonly ('INSERT' | 'MODIFY' | 'REMOVE')[];
  readonly dynamodb: Readonly<Record<string, unknown>>;
}

const BATCH_SIZE = 100;

/**
 * Maps the State table's stream to a function: from the oldest record, so that what was written before the mapping existed
 * is not skipped, and with an end to every retry, so that one record cannot hold up its shard for good.
 *
 * AWS lets two consumers read a shard before it throttles; dispatch-outbox and invalidate-cache are those two.
 *
 * Does not protect against an emulator that ignores retry limits and bisecting; the handlers leave no record to the mapping.
 */
export function consumeStream(
  consumer: { readonly live: Alias; allow(actions: string[], resourceArns: string[]): void },
  table: Table,
  { filters, retryAttempts, maxRecordAge, onFailure }: ConsumeStreamOptions,
): void {
  // The mapping reports with the role of its function.
  consumer.allow(['sqs:SendMessage'], [onFailure.queueArn]);
  consumer.live.addEventSource(
    // The class and its interface disagree on one optional member under exactOptionalPropertyTypes.
    new DynamoEventSource(table as ITable, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts,
      maxRecordAge,
      onFailure: { bind: () => ({ destination: onFailure.queueArn }) },
      filters: filters.map((filter) => FilterCriteria.filter(filter)),
    }),
  );
}

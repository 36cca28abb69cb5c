import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { METRIC_NAMESPACE, type MetricName } from '#shared/contract/metric-names.ts';

export const MINUTE = Duration.minutes(1);
export const FIVE_MINUTES = Duration.minutes(5);
export const QUARTER_HOUR = Duration.minutes(15);

/** A metric of one kind, or of the whole stage; as a sum unless something else is asked for. */
export const ownMetric = (metricName: MetricName, kind: string | undefined, period: Duration, statistic: string = Stats.SUM): Metric =>
  new Metric({ namespace: METRIC_NAMESPACE, metricName, period, statistic, ...(kind === undefined ? {} : { dimensionsMap: { kind } }) });

type QueueMetricName =
  | 'ApproximateAgeOfOldestMessage'
  | 'ApproximateNumberOfMessagesVisible'
  | 'ApproximateNumberOfMessagesNotVisible'
  | 'ApproximateNumberOfMessagesDelayed'
  | 'NumberOfMessagesSent'
  | 'NumberOfMessagesReceived'
  | 'NumberOfMessagesDeleted'
  | 'NumberOfEmptyReceives';

/** What SQS says of a queue; the highest unless something else is asked for. */
export const queueMetric = (queue: IQueue, metricName: QueueMetricName, period: Duration, statistic: string = Stats.MAXIMUM): Metric =>
  new Metric({ namespace: 'AWS/SQS', metricName, dimensionsMap: { QueueName: queue.queueName }, period, statistic });

export const functionMetric = (lambda: IFunction, metricName: string, period: Duration, statistic: string): Metric =>
  new Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap: { FunctionName: lambda.functionName }, period, statistic });

export const math = (expression: string, usingMetrics: Record<string, IMetric>, period: Duration, label?: string): MathExpression =>
  new MathExpression({ expression, usingMetrics, period, ...(label === undefined ? {} : { label }) });

/** How large a share `part` is of `part + rest`; 0 while there is too little to tell a share from chance. */
export const shareOf = (part: Metric, rest: Metric, { atLeast, period }: { atLeast: number; period: Duration }): MathExpression =>
  math(`IF(FILL(part, 0) >= ${atLeast}, FILL(part, 0) / (FILL(part, 0) + FILL(rest, 0)), 0)`, { part, rest }, period);

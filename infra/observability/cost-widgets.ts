import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { CfnFunction, type IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { METRICS } from '#shared/contract/metric-names.ts';
import { PRICES } from '#shared/contract/prices.ts';
import { functionMetric, ownMetric, queueMetric } from './measures.ts';

export interface Spender {
  readonly tables: readonly Table[];
  readonly queues: readonly IQueue[];
  readonly functions: readonly IFunction[];
  readonly kinds: readonly string[];
}

const HOUR = Duration.hours(1);
const PER_MILLION = 1_000_000;

/** What the pipeline spends by the hour, and on a million jobs. */
export function costWidgets(spender: Spender): IWidget[][] {
  const parts = { database: databaseCost(spender.tables), queues: queueCost(spender.queues), functions: functionCost(spender.functions) };
  const done = Object.fromEntries(spender.kinds.map((kind, index) => [`done${index}`, ownMetric(METRICS.jobsDone, kind, HOUR)]));
  const perMillion = new MathExpression({
    expression: `(database + queues + functions) / SUM(METRICS("done")) * ${PER_MILLION}`,
    usingMetrics: { ...parts, ...done },
    period: HOUR,
    label: 'USD for a million jobs',
  });
  const money = { height: 6, stacked: true, leftYAxis: { min: 0, label: 'USD an hour', showUnits: false } };
  return [
    [heading()],
    [
      new GraphWidget({ title: 'What an hour costs', width: 16, ...money, left: Object.values(parts) }),
      new SingleValueWidget({ title: 'What a million jobs cost', width: 8, height: 6, metrics: [perMillion], setPeriodToTimeRange: false }),
    ],
  ];
}

const heading = (): TextWidget =>
  new TextWidget({
    width: 24,
    height: 2,
    markdown: [
      '# What does it cost?',
      `List prices of ${PRICES.region}, ${PRICES.asOf} (shared/contract/prices.ts). Not in it: logs, alarms and metrics, ingress, what is stored. SQS counts messages here and bills requests, of which one carries up to ten.`,
    ].join('\n'),
  });

/** Sums of metrics under names that begin alike. */
function named(prefix: string, metrics: readonly IMetric[]): Record<string, IMetric> {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
}

const dollars = (price: number): string => price.toFixed(12);

function databaseCost(tables: readonly Table[]): MathExpression {
  const units = (metricName: string): Metric[] =>
    tables.map(
      ({ tableName: TableName }) =>
        new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName }, statistic: Stats.SUM, period: HOUR }),
    );
  const [writes, reads] = [units('ConsumedWriteCapacityUnits'), units('ConsumedReadCapacityUnits')];
  return new MathExpression({
    expression: `SUM(METRICS("write")) * ${dollars(PRICES.writeUnit)} + SUM(METRICS("read")) * ${dollars(PRICES.readUnit)}`,
    usingMetrics: { ...named('write', writes), ...named('read', reads) },
    period: HOUR,
    label: 'DynamoDB',
  });
}

function queueCost(queues: readonly IQueue[]): MathExpression {
  const names = ['NumberOfMessagesSent', 'NumberOfMessagesReceived', 'NumberOfMessagesDeleted', 'NumberOfEmptyReceives'] as const;
  const requests = queues.flatMap((queue) => names.map((name) => queueMetric(queue, name, HOUR, Stats.SUM)));
  return new MathExpression({
    expression: `SUM(METRICS("request")) * ${dollars(PRICES.queueRequest)}`,
    usingMetrics: named('request', requests),
    period: HOUR,
    label: 'SQS, at most',
  });
}

function functionCost(functions: readonly IFunction[]): MathExpression {
  const invocations = functions.map((lambda) => functionMetric(lambda, 'Invocations', HOUR, Stats.SUM));
  const milliseconds = functions.map((lambda) => functionMetric(lambda, 'Duration', HOUR, Stats.SUM));
  const gigabytes = memoryOfAll(functions) / 1024;
  return new MathExpression({
    expression: `SUM(METRICS("duration")) / 1000 * ${gigabytes} * ${dollars(PRICES.gbSecond)} + SUM(METRICS("invocation")) * ${dollars(PRICES.invocation)}`,
    usingMetrics: { ...named('duration', milliseconds), ...named('invocation', invocations) },
    period: HOUR,
    label: 'Lambda',
  });
}

/** @throws RangeError when functions have memory of different sizes: the sum of their durations would have no one price */
function memoryOfAll(functions: readonly IFunction[]): number {
  const sizes = [
    ...new Set(functions.map(({ node }) => (node.defaultChild instanceof CfnFunction ? node.defaultChild.memorySize : undefined))),
  ];
  const [size] = sizes;
  if (size === undefined || sizes.length > 1)
    throw new RangeError(
      `functions have ${sizes.join(', ')} MiB; the dashboard's cost (infra/observability/cost-widgets.ts) knows one size for all`,
    );
  return size;
}

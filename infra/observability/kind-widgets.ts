import { GraphWidget, type IWidget, MathExpression, Stats, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { CLASS_METRICS, METRIC_NAMESPACE, METRICS } from '#shared/contract/metric-names.ts';
import type { WatchedKind } from './kind-rules.ts';
import { MINUTE, ownMetric, queueMetric } from './measures.ts';
import { lagObjectiveSeconds } from './objectives.ts';

const QUARTER = { width: 6, height: 6 } as const;

/** One row for each kind: what waits, what becomes of it, how long that takes, what goes wrong. */
export const kindWidgets = (kinds: readonly WatchedKind[]): IWidget[][] => [
  [new TextWidget({ width: 24, height: 1, markdown: '# Where is it stuck?' })],
  ...kinds.map((watched) => [waiting(watched), endings(watched), runTimes(watched), failures(watched)]),
];

function waiting({ jobQueue: { definition, queue, deadLetterQueue, timing } }: WatchedKind): GraphWidget {
  return new GraphWidget({
    ...QUARTER,
    title: `${definition.kind}: waiting`,
    left: [
      queueMetric(queue, 'ApproximateNumberOfMessagesVisible', MINUTE).with({ label: 'ready' }),
      queueMetric(queue, 'ApproximateNumberOfMessagesNotVisible', MINUTE).with({ label: 'at work or put off' }),
      queueMetric(deadLetterQueue, 'ApproximateNumberOfMessagesVisible', MINUTE).with({ label: 'letters' }),
    ],
    right: [queueMetric(queue, 'ApproximateAgeOfOldestMessage', MINUTE).with({ label: 'oldest' })],
    leftYAxis: { min: 0, label: 'messages', showUnits: false },
    rightYAxis: { min: 0, label: 'seconds', showUnits: false },
    rightAnnotations: [{ value: lagObjectiveSeconds(timing), label: 'objective' }],
  });
}

function endings({ jobQueue: { definition } }: WatchedKind): GraphWidget {
  const { kind } = definition;
  const sum = (name: (typeof METRICS)[keyof typeof METRICS], label: string) => ownMetric(name, kind, MINUTE).with({ label });
  return new GraphWidget({
    ...QUARTER,
    title: `${kind}: what became of it`,
    stacked: true,
    left: [
      sum(METRICS.jobsDone, 'done'),
      sum(METRICS.jobsFailed, 'without an answer'),
      sum(METRICS.deferred, 'put off'),
      sum(METRICS.contended, 'met another owner'),
      sum(METRICS.duplicates, 'done before'),
    ],
    right: [ownMetric(METRICS.concurrency, kind, MINUTE, Stats.MINIMUM).with({ label: 'batches allowed' })],
    leftYAxis: { min: 0, label: 'jobs', showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
  });
}

function runTimes({ jobQueue: { definition, timing } }: WatchedKind): GraphWidget {
  const time = (statistic: string) => ownMetric(METRICS.runTime, definition.kind, MINUTE, statistic).with({ label: statistic });
  const calls = {
    calls: ownMetric(METRICS.dependencyCalls, definition.kind, MINUTE),
    timeouts: ownMetric(METRICS.dependencyTimeouts, definition.kind, MINUTE),
  };
  const timedOut = new MathExpression({
    expression: '100 * FILL(timeouts, 0) / calls',
    usingMetrics: calls,
    period: MINUTE,
    label: 'calls timed out',
  });
  return new GraphWidget({
    ...QUARTER,
    title: `${definition.kind}: how long a run takes`,
    left: [time('p50'), time('p90'), time('p99')],
    leftYAxis: { min: 0, label: 'ms', showUnits: false },
    leftAnnotations: [{ value: timing.p99Ms, label: 'declared p99' }],
    ...(definition.dependency === undefined ? {} : { right: [timedOut], rightYAxis: { min: 0, max: 100, label: '%', showUnits: false } }),
  });
}

function failures({ jobQueue: { definition } }: WatchedKind): GraphWidget {
  const { kind } = definition;
  const byClass = (metricName: string, label: string) =>
    new MathExpression({
      expression: `SEARCH('{${METRIC_NAMESPACE},errorClass,kind} MetricName="${metricName}" kind="${kind}"', 'Sum', 60)`,
      usingMetrics: {},
      period: MINUTE,
      label,
    });
  return new GraphWidget({
    ...QUARTER,
    title: `${kind}: what goes wrong`,
    left: [byClass(CLASS_METRICS.retries, 'retries:'), byClass(CLASS_METRICS.deadLetters, 'letters:')],
    right: [ownMetric(METRICS.unknownOutcomes, kind, MINUTE).with({ label: 'unknown outcomes' })],
    leftYAxis: { min: 0, showUnits: false },
    rightYAxis: { min: 0, showUnits: false },
  });
}

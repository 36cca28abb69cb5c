import {
  AlarmStatusWidget,
  GraphWidget,
  type IAlarm,
  type IWidget,
  MathExpression,
  SingleValueWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '#shared/contract/metric-names.ts';
import type { PipelineStack } from '../pipeline-stack.ts';
import type { WatchedKind } from './kind-rules.ts';
import { FIVE_MINUTES, functionMetric, MINUTE, ownMetric, QUARTER_HOUR, queueMetric } from './measures.ts';

/** The first screen: whether there is anything to look at further down. */
export function healthWidgets(kinds: readonly WatchedKind[], alarms: readonly IAlarm[]): IWidget[][] {
  const perKind = (metricOf: (watched: WatchedKind) => ReturnType<typeof ownMetric>) =>
    kinds.map((watched) => metricOf(watched).with({ label: watched.jobQueue.definition.kind }));
  const figures = { width: 24, height: 3 } as const;
  return [
    [new TextWidget({ width: 24, height: 1, markdown: '# Is it healthy?' })],
    [new AlarmStatusWidget({ title: 'Alarms; each says what to do', width: 24, height: 6, alarms: [...alarms] })],
    [
      new SingleValueWidget({
        ...figures,
        title: 'Jobs done in a quarter of an hour',
        metrics: perKind(({ jobQueue }) => ownMetric(METRICS.jobsDone, jobQueue.definition.kind, QUARTER_HOUR)),
      }),
    ],
    [
      new SingleValueWidget({
        ...figures,
        title: 'Oldest message, in seconds',
        metrics: perKind(({ jobQueue }) => queueMetric(jobQueue.queue, 'ApproximateAgeOfOldestMessage', MINUTE)),
      }),
    ],
    [
      new SingleValueWidget({
        ...figures,
        title: 'Letters that wait for a person',
        metrics: perKind(({ jobQueue }) => queueMetric(jobQueue.deadLetterQueue, 'ApproximateNumberOfMessagesVisible', MINUTE)),
      }),
    ],
  ];
}

const THIRD = { width: 8, height: 6, leftYAxis: { min: 0, showUnits: false } } as const;

const total = (name: (typeof METRICS)[keyof typeof METRICS], label: string) => ownMetric(name, undefined, MINUTE).with({ label });

/** What lies between the kinds: streams, parked work, the cache, and who looks for the forgotten. */
export const flowWidgets = (pipeline: PipelineStack): IWidget[][] => [[streams(pipeline), cacheHealth(), forgottenWork()]];

function streams({ outbox, cache }: PipelineStack): GraphWidget {
  const consumers = { 'dispatch-outbox': outbox.dispatchOutbox, 'invalidate-cache': cache.invalidateCache };
  const letters = queueMetric(outbox.failed.deadLetterQueue, 'ApproximateNumberOfMessagesVisible', MINUTE);
  return new GraphWidget({
    ...THIRD,
    title: 'Behind the stream, in ms',
    left: Object.entries(consumers).map(([label, { lambda }]) =>
      functionMetric(lambda, 'IteratorAge', MINUTE, Stats.MAXIMUM).with({ label }),
    ),
    right: [total(METRICS.outboxParked, 'parked'), letters.with({ label: 'letters' })],
  });
}

function cacheHealth(): GraphWidget {
  const hitShare = new MathExpression({
    expression: '100 * FILL(hits, 0) / reads',
    usingMetrics: { hits: ownMetric(METRICS.cacheHits, undefined, MINUTE), reads: ownMetric(METRICS.cacheReads, undefined, MINUTE) },
    period: MINUTE,
    label: '% of reads from the cache',
  });
  const wrongShare = new MathExpression({
    expression: '100 * FILL(wrong, 0) / compared',
    usingMetrics: {
      wrong: ownMetric(METRICS.cacheMismatch, undefined, FIVE_MINUTES),
      compared: ownMetric(METRICS.cacheVerified, undefined, FIVE_MINUTES),
    },
    period: FIVE_MINUTES,
    label: '% of the sample wrong',
  });
  return new GraphWidget({
    ...THIRD,
    title: 'The cache',
    left: [total(METRICS.invalidationFailure, 'invalidations failed'), total(METRICS.cacheFailure, 'cache failed')],
    right: [hitShare, wrongShare],
    rightYAxis: { min: 0, max: 100, showUnits: false },
  });
}

const forgottenWork = (): GraphWidget =>
  new GraphWidget({
    ...THIRD,
    title: 'Forgotten work',
    left: [
      total(METRICS.sweepFound, 'jobs found lost'),
      total(METRICS.rescueFailed, 'rescues failed'),
      total(METRICS.rescueUnreadable, 'items unreadable (rescue)'),
      total(METRICS.sweepUnreadable, 'items unreadable (sweep)'),
      total(METRICS.mappingForgotten, 'queues left switched off'),
    ],
  });

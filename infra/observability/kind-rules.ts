import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '#shared/contract/metric-names.ts';
import type { JobQueue } from '../constructs/job-queue.ts';
import type { JobWorker } from '../constructs/job-worker.ts';
import type { AlarmRule } from './alarm-rule.ts';
import { FIVE_MINUTES, functionMetric, MINUTE, math, ownMetric, QUARTER_HOUR, queueMetric, shareOf } from './measures.ts';
import { lagObjectiveSeconds } from './objectives.ts';
import { queueRules } from './queue-rules.ts';

export interface WatchedKind {
  readonly jobQueue: JobQueue;
  readonly worker: JobWorker;
}

/** Fewer of them in five minutes are no trend. */
const ENOUGH = 5;
const FAILED_SHARE = 0.25;
const DUPLICATE_SHARE = 0.2;
const TIMEOUT_SHARE = 0.1;
const BUSY_SHARE = 0.8;
const UNKNOWN_SECONDS = 3_600;

/** Everything that is told of one kind; all of it follows from the kind's definition. */
export function kindRules(watched: WatchedKind): AlarmRule[] {
  const { jobQueue } = watched;
  const { definition, timing } = jobQueue;
  const queue = {
    name: definition.kind,
    queue: jobQueue,
    objectiveSeconds: lagObjectiveSeconds(timing),
    runbook: { lag: 'lag', letters: 'dead-letters-growing' },
  };
  return [
    ...queueRules(queue),
    ...runRules(definition.kind),
    backlogRule(watched),
    ...waitingRules(definition.kind),
    ...(definition.dependency === undefined ? [] : dependencyRules(definition.kind)),
  ];
}

function runRules(kind: string): AlarmRule[] {
  const sumOf = (name: typeof METRICS.jobsDone | typeof METRICS.jobsFailed | typeof METRICS.duplicates) =>
    ownMetric(name, kind, FIVE_MINUTES);
  const enough = { atLeast: ENOUGH, period: FIVE_MINUTES };
  return [
    {
      id: `RetriesSpike-${kind}`,
      says: `A quarter of the runs of ${kind} and more end without an answer.`,
      runbook: 'retry-spike',
      metric: shareOf(sumOf(METRICS.jobsFailed), sumOf(METRICS.jobsDone), enough),
      atLeast: FAILED_SHARE,
    },
    {
      id: `DuplicatesRise-${kind}`,
      says: `A fifth of what arrives for ${kind} and more was done before.`,
      runbook: 'duplicates-rising',
      metric: shareOf(sumOf(METRICS.duplicates), sumOf(METRICS.jobsDone), enough),
      atLeast: DUPLICATE_SHARE,
    },
  ];
}

function backlogRule({ jobQueue: { definition, queue }, worker }: WatchedKind): AlarmRule {
  const { kind } = definition;
  const busy = Math.max(1, Math.floor(definition.queue.maxConcurrency * BUSY_SHARE));
  const backlog = queueMetric(queue, 'ApproximateNumberOfMessagesVisible', FIVE_MINUTES);
  const running = functionMetric(worker.lambda, 'ConcurrentExecutions', FIVE_MINUTES, Stats.MAXIMUM);
  return {
    id: `BacklogGrows-${kind}`,
    says: `More and more jobs of ${kind} wait although its workers are busy.`,
    runbook: 'backlog-growing',
    metric: math(`IF(DIFF(backlog) > 0 AND running >= ${busy}, 1, 0)`, { backlog, running }, FIVE_MINUTES),
    atLeast: 1,
    // A difference needs the period before.
    periods: { breaching: 3, of: 4 },
  };
}

const waitingRules = (kind: string): AlarmRule[] => [
  {
    id: `DeferredForADay-${kind}`,
    says: `Jobs of ${kind} have been put off again and again for a day.`,
    runbook: 'put-off-for-a-day',
    metric: ownMetric(METRICS.deferralOverdue, kind, QUARTER_HOUR),
    atLeast: 1,
  },
  {
    id: `NewerVersion-${kind}`,
    says: `Jobs of ${kind} were written by newer code than what reads them; they wait for it, for a day.`,
    runbook: 'newer-version',
    metric: ownMetric(METRICS.unsupportedVersion, kind, QUARTER_HOUR),
    atLeast: 1,
    // A rollout makes some, for minutes.
    periods: { breaching: 2, of: 3 },
  },
];

function dependencyRules(kind: string): AlarmRule[] {
  const calls = ownMetric(METRICS.dependencyCalls, kind, FIVE_MINUTES);
  const timeouts = ownMetric(METRICS.dependencyTimeouts, kind, FIVE_MINUTES);
  return [
    {
      id: `DependencyTimesOut-${kind}`,
      says: `A tenth of the calls that ${kind} makes and more get no answer in time.`,
      runbook: 'dependency-timeouts',
      metric: math(`IF(FILL(calls, 0) >= ${ENOUGH}, FILL(timeouts, 0) / calls, 0)`, { calls, timeouts }, FIVE_MINUTES),
      atLeast: TIMEOUT_SHARE,
    },
    {
      id: `OutcomeUnknown-${kind}`,
      says: `Nobody has been able to say for an hour how a job of ${kind} ended.`,
      runbook: 'unknown-outcomes',
      metric: ownMetric(METRICS.unknownAge, kind, QUARTER_HOUR, Stats.MAXIMUM),
      atLeast: UNKNOWN_SECONDS,
      // Once its schedule is used up, such a job is looked at every half hour to an hour.
      periods: { breaching: 1, of: 4 },
    },
    {
      id: `CircuitOpen-${kind}`,
      says: `The circuit of the dependency of ${kind} has been open for five minutes.`,
      runbook: 'circuit-open',
      metric: ownMetric(METRICS.breakerOpen, kind, MINUTE, Stats.MAXIMUM),
      atLeast: 1,
      periods: { breaching: 5, of: 6 },
    },
    {
      id: `Mismatch-${kind}`,
      says: `The dependency tells of ${kind} what our own books do not.`,
      runbook: 'reconciliation-mismatch',
      metric: ownMetric(METRICS.reconciliationMismatch, kind, FIVE_MINUTES),
      atLeast: 1,
    },
  ];
}

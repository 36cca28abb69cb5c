import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { METRICS } from '#shared/contract/metric-names.ts';
import type { PipelineStack } from '../pipeline-stack.ts';
import type { AlarmRule } from './alarm-rule.ts';
import { FIVE_MINUTES, functionMetric, MINUTE, math, ownMetric, QUARTER_HOUR } from './measures.ts';
import { queueRules } from './queue-rules.ts';

type Watched = Pick<PipelineStack, 'outbox' | 'cache' | 'governor' | 'rescuer' | 'verifier'>;

const STREAM_BEHIND_MS = 60_000;
/** Tried for the third time. */
const TRIES = 2;
const CACHE_FAILURES = 10;

/** What is told of the stage as a whole: the streams, what they could not deliver, the cache, and what finds forgotten work. */
export const stageRules = ({ outbox, cache, governor, rescuer, verifier }: Watched): AlarmRule[] => [
  ...queueRules({
    name: 'outbox-failed',
    queue: outbox.failed,
    objectiveSeconds: TRIES * outbox.failed.visibilityTimeoutSeconds,
    atOnce: true,
    runbook: { lag: 'outbox-stuck', letters: 'outbox-stuck' },
  }),
  ...queueRules({
    name: 'invalidation-retry',
    queue: cache.retry,
    objectiveSeconds: TRIES * cache.retry.visibilityTimeoutSeconds,
    atOnce: true,
    runbook: { lag: 'stale-cache', letters: 'stale-cache' },
  }),
  ...streamRules({ outbox, cache }),
  ...cacheRules(),
  ...rescueRules(),
  ...scheduleRules({ governor, rescuer, verifier }),
];

function streamRules({ outbox, cache }: Pick<Watched, 'outbox' | 'cache'>): AlarmRule[] {
  const consumers = { 'dispatch-outbox': outbox.dispatchOutbox, 'invalidate-cache': cache.invalidateCache };
  const behind = Object.entries(consumers).map(([name, { lambda }]) => ({
    id: `StreamBehind-${name}`,
    says: `${name} is a minute and more behind the stream of the State table.`,
    runbook: 'stream-behind',
    metric: functionMetric(lambda, 'IteratorAge', MINUTE, Stats.MAXIMUM),
    atLeast: STREAM_BEHIND_MS,
    periods: { breaching: 3, of: 5 },
  }));
  const parked: AlarmRule = {
    id: 'OutboxParked',
    says: 'Jobs could not be brought to their queues and wait in outbox-failed.',
    runbook: 'outbox-stuck',
    metric: ownMetric(METRICS.outboxParked, undefined, QUARTER_HOUR),
    atLeast: 1,
  };
  return [...behind, parked];
}

const cacheRules = (): AlarmRule[] => [
  {
    id: 'InvalidationFails',
    says: 'Changed orders cannot be taken out of the cache; readers may see the old state until it expires.',
    runbook: 'stale-cache',
    metric: ownMetric(METRICS.invalidationFailure, undefined, FIVE_MINUTES),
    atLeast: 1,
    // One that succeeds when it is tried again is nothing to be told of.
    periods: { breaching: 2, of: 3 },
  },
  {
    id: 'CacheFails',
    says: 'The cache does not answer; the table answers instead, slower and at a price.',
    runbook: 'stale-cache',
    metric: ownMetric(METRICS.cacheFailure, undefined, FIVE_MINUTES),
    atLeast: CACHE_FAILURES,
  },
  {
    id: 'CacheMismatch',
    says: 'Cached values differed from the table for a minute and longer; they were taken out of the cache.',
    runbook: 'stale-cache',
    metric: ownMetric(METRICS.cacheMismatch, undefined, FIVE_MINUTES),
    atLeast: 1,
  },
];

function rescueRules(): AlarmRule[] {
  const needed = [METRICS.rescueUnreadable, METRICS.rescueFailed, METRICS.mappingForgotten, METRICS.sweepUnreadable, METRICS.sweepRefused];
  const byName = Object.fromEntries(needed.map((name, index) => [`m${index}`, ownMetric(name, undefined, QUARTER_HOUR)]));
  const sum = Object.keys(byName)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return [
    {
      id: 'RescueNeedsAPerson',
      says: 'What looks for forgotten work met an item it cannot read, a table or queue that refused it, or a queue its governor left switched off.',
      runbook: 'forgotten-work',
      metric: math(sum, byName, QUARTER_HOUR),
      atLeast: 1,
    },
    {
      id: 'JobsWereLost',
      says: 'The daily walk over the table found jobs that nothing else would have brought back, and sent them again.',
      runbook: 'forgotten-work',
      metric: ownMetric(METRICS.sweepFound, undefined, QUARTER_HOUR),
      atLeast: 1,
    },
  ];
}

/** What runs by the clock is missed by nobody: its absence looks like a day without trouble. */
function scheduleRules({ governor, rescuer, verifier }: Pick<Watched, 'governor' | 'rescuer' | 'verifier'>): AlarmRule[] {
  const scheduled = {
    'govern-queues': governor.governQueues,
    'rescue-jobs': rescuer.rescueJobs,
    'sweep-state': rescuer.sweepState,
    ...(verifier === undefined ? {} : { 'verify-cache': verifier.verifyCache }),
  };
  return Object.entries(scheduled).map(([name, { lambda }]) => {
    const runs = functionMetric(lambda, 'Invocations', QUARTER_HOUR, Stats.SUM);
    const failed = functionMetric(lambda, 'Errors', QUARTER_HOUR, Stats.SUM);
    return {
      id: `ScheduleStopped-${name}`,
      says: `${name} runs every few minutes, and not one run has ended well for half an hour.`,
      runbook: 'schedule-stopped',
      metric: math('runs - FILL(failed, 0)', { runs, failed }, QUARTER_HOUR),
      fewerThan: 1,
      periods: { breaching: 2, of: 2 },
    };
  });
}

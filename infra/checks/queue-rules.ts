import { OWN_ITEM_RETENTION_DAYS } from '#shared/contract/limits.ts';
import { deriveTiming } from '#shared/contract/timing.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { type DeployedResource, type Deployment, ofType } from './deployment.ts';
import { fromQueue, mappingsOf, visibilitySecondsOf } from './mappings.ts';
import type { Rule } from './rule.ts';

const SECONDS_PER_DAY = 86_400;
const SQS_DEFAULT_RETENTION_SECONDS = 4 * SECONDS_PER_DAY;

const retentionSecondsOf = (queue: DeployedResource): number => queue.properties['MessageRetentionPeriod'] ?? SQS_DEFAULT_RETENTION_SECONDS;

interface Redriven {
  readonly queue: DeployedResource;
  readonly deadLetterQueue: DeployedResource;
}

/** Queues that redrive, each with where to. */
const redriven = (deployment: Deployment): Redriven[] =>
  ofType(deployment, 'AWS::SQS::Queue').flatMap((queue) => {
    const deadLetterQueue = deployment.refersTo(queue.properties['RedrivePolicy']?.deadLetterTargetArn, queue);
    return deadLetterQueue === undefined ? [] : [{ queue, deadLetterQueue }];
  });

export const lettersOutliveMessages: Rule = {
  name: 'letters-outlive-messages',
  fix: 'Give the dead-letter queue at least the retention of the queue it belongs to.',
  broken: (deployment) =>
    redriven(deployment)
      .filter(({ queue, deadLetterQueue }) => retentionSecondsOf(deadLetterQueue) < retentionSecondsOf(queue))
      .map(({ queue, deadLetterQueue: at }) => ({
        at,
        says: `it keeps letters for ${retentionSecondsOf(at)} s, its queue messages for ${retentionSecondsOf(queue)} s; a letter's age counts from when its message was sent, so late letters would be gone on arrival.`,
      })),
};

export const deadLetterQueuesAreTheirs: Rule = {
  name: 'dead-letter-queues-belong-to-one-queue',
  fix: 'Use RedrivenQueue, which sets redriveAllowPolicy and both retentions.',
  broken: (deployment) => {
    const uses = Map.groupBy(redriven(deployment), ({ deadLetterQueue }) => deadLetterQueue);
    return [...uses].filter(([, sources]) => sources.length > 1).map(([at]) => ({ at, says: 'more than one queue redrives into it.' }));
  },
};

/** A job's own item remembers that it was done for as long as anything could ask again: queue, dead-letter queue, and one replay. */
export const recordsOutliveMessages: Rule = {
  name: 'records-outlive-messages',
  fix: 'Raise OWN_ITEM_RETENTION_DAYS (shared/contract/limits.ts), or shorten the retention of the queues.',
  broken: (deployment) =>
    redriven(deployment).flatMap(({ queue, deadLetterQueue }) => {
      const askedForSeconds = 2 * retentionSecondsOf(queue) + retentionSecondsOf(deadLetterQueue);
      if (askedForSeconds <= OWN_ITEM_RETENTION_DAYS * SECONDS_PER_DAY) return [];
      const days = Math.ceil(askedForSeconds / SECONDS_PER_DAY);
      const says = `a message can come back for ${days} days (queue, dead-letter queue, one replay), but the record that it was done is kept for ${OWN_ITEM_RETENTION_DAYS}.`;
      return [{ at: queue, says }];
    }),
};

export const leasesEndBeforeMessagesReturn: Rule = {
  name: 'leases-end-before-messages-return',
  fix: "Raise the queue's visibility timeout, or lower what the definition of the kind declares about its time.",
  broken: (deployment) =>
    mappingsOf(deployment)
      .filter(fromQueue)
      .flatMap(({ mapping, lambda, source }) => {
        const { JOB_KIND, TIME_SCALE } = lambda?.properties['Environment']?.Variables ?? {};
        const definition = typeof JOB_KIND === 'string' ? jobOfKind(JOB_KIND) : undefined;
        if (definition === undefined) return [];
        const leaseSeconds = deriveTiming(definition.timing, { scale: Number(TIME_SCALE) }).leaseDurationMs / 1000;
        const visibilitySeconds = visibilitySecondsOf(source);
        const says = `a worker of ${JOB_KIND} may hold its lease for ${leaseSeconds} s, but its message returns after ${visibilitySeconds} s and would meet it.`;
        return leaseSeconds > visibilitySeconds ? [{ at: mapping, says }] : [];
      }),
};

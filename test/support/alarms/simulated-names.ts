import { jobs } from '#shared/jobs/index.ts';
import { deadLetterQueueOf, INVALIDATION_RETRY, OUTBOX_FAILED, queueOfKind, workerOfKind } from '../../simulation/cloud/names.ts';

const letters = (prefix: string): string => prefix.replaceAll('-', '');

/** Logical ids of the Pipeline stack begin so. */
const NAMES: readonly (readonly [string, string])[] = [
  ...jobs.flatMap(({ kind, queue }) => {
    const queueName = queueOfKind(kind, queue.fifoGroup !== undefined);
    return [
      [`Queue${letters(kind)}Queue`, queueName],
      [`Queue${letters(kind)}DeadLetterQueue`, deadLetterQueueOf(queueName)],
      [`Worker${letters(kind)}Function`, workerOfKind(kind)],
    ] as const;
  }),
  ['OutboxDispatcherOutboxFailedQueue', OUTBOX_FAILED],
  ['OutboxDispatcherOutboxFailedDeadLetterQueue', deadLetterQueueOf(OUTBOX_FAILED)],
  ['CacheInvalidatorInvalidationRetryQueue', INVALIDATION_RETRY],
  ['CacheInvalidatorInvalidationRetryDeadLetterQueue', deadLetterQueueOf(INVALIDATION_RETRY)],
  ['OutboxDispatcherDispatchOutboxFunction', 'dispatch-outbox'],
  ['CacheInvalidatorInvalidateCacheFunction', 'invalidate-cache'],
  ['GovernorGovernQueuesFunction', 'govern-queues'],
  ['RescuerRescueJobsFunction', 'rescue-jobs'],
  ['RescuerSweepStateFunction', 'sweep-state'],
  ['CacheVerifierVerifyCacheFunction', 'verify-cache'],
];

/** @throws Error for a resource that the simulator does not have */
export function simulatedName(logicalId: string): string {
  const found = NAMES.filter(([prefix]) => logicalId.startsWith(prefix));
  if (found.length !== 1) throw new Error(`${logicalId} has ${found.length} names in the simulator`);
  return found[0]?.[1] ?? '';
}

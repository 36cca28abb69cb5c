import { pauseRow } from '#shared/control/rows.ts';
import { deadLetterQueueOf, queueOfKind, TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { Simulation } from '../simulation.ts';
import { type JobName, keyIn } from './item-views.ts';
import { isPoison } from './poison.ts';
import { promisedJobs, standingOf, stateImages } from './promised-jobs.ts';

/** A letter thrown away, by an operator or by whoever emptied its queue, is nobody's any more. */
export const everythingEnds: Invariant = {
  id: 'L1',
  promise: 'once the faults stop, every job ends: done, or as a dead letter, or thrown away by a person; no queue keeps a message',
  watch(simulation, violate) {
    const thrownAway = new Set<string>();
    const look = (): void => {
      const open = (kind: string): boolean => !isPaused(simulation, kind);
      for (const job of stateImages(simulation).flatMap(promisedJobs)) {
        if (!open(job.kind) || thrownAway.has(job.key)) continue;
        const standing = standingOf(simulation, job);
        if (standing === 'unfinished') violate(`${job.key} has not ended`);
        if (standing === 'discarded' && !hasLetter(simulation, job)) violate(`${job.key} is discarded, and nobody has its letter`);
      }
      for (const { queueName, definition } of simulation.jobQueues) {
        const left = simulation.sqs.messages(queueName);
        if (left.length > 0 && open(definition.kind))
          violate(`${queueName} still holds ${left.length} messages, first ${keyIn(left[0]?.body ?? '')}`);
      }
    };
    const noteLoss = (bodies: readonly string[]): void => {
      for (const body of bodies) if (!isPoison(body)) thrownAway.add(keyIn(body) ?? '');
    };
    return {
      operatorActs({ kind, body }) {
        if (kind === 'discard') noteLoss([body]);
      },
      messagesLost(queueName, bodies) {
        if (simulation.jobQueues.some((queue) => deadLetterQueueOf(queue.queueName) === queueName)) noteLoss(bodies);
      },
      rested: look,
      finished: look,
    };
  },
};

const isPaused = ({ dynamodb }: Simulation, kind: string): boolean =>
  dynamodb.item(TABLES.control, { id: { S: pauseRow(kind) } }) !== undefined;

function hasLetter({ sqs, jobQueues }: Simulation, { kind, key }: JobName): boolean {
  const queue = jobQueues.find(({ definition }) => definition.kind === kind);
  const name = deadLetterQueueOf(queue?.queueName ?? queueOfKind(kind, false));
  return sqs.messages(name).some(({ body }) => keyIn(body) === key);
}

import type { Call } from '../../support/fake-aws/wire.ts';
import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { nameOfQueue } from '../network/labels.ts';
import type { Simulation } from '../simulation.ts';
import { carriesOutbox, idOf, imageOf, type JobName, jobOf, keyIn, outboxKeys, recordOf } from './item-views.ts';
import { bodiesOf, type Place, trackJobs } from './job-whereabouts.ts';
import { trackLetterBodies } from './letter-bodies.ts';

/** Counts every job that a committed write ever promised, of every kind. */
export const conservation: Invariant = {
  id: 'S18',
  promise:
    'every accepted job is queued, in flight, dead-lettered, finished, or discarded with an audit entry, and not two of the last three; a letter has the body of its message, byte for byte',
  watch(simulation, violate) {
    const jobs = trackJobs(simulation);
    const letters = trackLetterBodies(simulation);
    const accepted = new Map<string, JobName>();
    let [wasRestored, wasHandled] = [false, false];
    const check = (job: JobName, when: string, except?: ReadonlySet<string>): void => {
      if (jobs.isExcused(job) || jobs.placesOf(job, except).length > 0) return;
      violate(`${job.key} was accepted and is lost ${when}`);
    };
    const checkAll = (when: string): void => {
      for (const job of accepted.values()) if (!wasRestored || isStillPromised(job, simulation)) check(job, when);
    };
    const jobsIn = ({ input }: Call): JobName[] => bodiesOf(input).flatMap((body) => accepted.get(keyIn(body) ?? '') ?? []);
    return {
      ...jobs.track,
      itemWritten(written) {
        jobs.track.itemWritten(written);
        if (written.table !== TABLES.state || !carriesOutbox(written.old, written.next)) return;
        const { next } = written;
        for (const key of outboxKeys(next)) {
          const job = jobOf(key);
          if (job === undefined) violate(`an outbox names ${key}, which is no job's key`);
          else accepted.set(key, job);
        }
      },
      messagesDelivered: letters.messagesDelivered,
      messageDeleted(_, { body }) {
        const job = accepted.get(keyIn(body) ?? '');
        if (job !== undefined) check(job, 'after its message was acknowledged');
      },
      queueCalled(call, by) {
        if (by.startsWith('sweep-state')) {
          const fresh = sentJustNow(call, simulation);
          for (const job of jobsIn(call)) check(job, 'before the sweep sent it again', fresh);
        }
        jobs.track.queueCalled(call, by);
        const changed = letters.queueCalled(call, by);
        if (changed !== undefined) violate(changed);
        if (call.operation.startsWith('DeleteMessage')) checkAll('after a letter was deleted');
      },
      operatorActs() {
        wasHandled = true;
      },
      disturbed(what) {
        jobs.track.disturbed(what);
        wasRestored ||= what === 'restore';
      },
      rested() {
        jobs.endExcuses();
        checkAll('at rest');
        const twice = wasRestored || wasHandled ? undefined : [...accepted.values()].find((job) => isDoneAndDead(jobs.placesOf(job)));
        if (twice !== undefined) violate(`${twice.key} is finished and has a dead letter`);
      },
      finished: () => checkAll('in the end'),
    };
  },
};

/** Ids of messages that are no trace of their jobs from before this call. */
const sentJustNow = ({ input }: Call, { sqs, world }: Simulation): Set<string> =>
  new Set(sqs.messages(nameOfQueue(String(input.QueueUrl))).flatMap(({ id, sentAtMs }) => (sentAtMs === world.nowMs ? [id] : [])));

const isDoneAndDead = (places: readonly Place[]): boolean => places.includes('finished') && places.includes('dead-letter queue');

/** A restore takes acceptances back as well; what the restored items still call for has to be found. */
function isStillPromised({ key, item, operation, attempt = 0 }: JobName, simulation: Simulation): boolean {
  const image = imageOf(simulation, item);
  if (!idOf(item).startsWith('USER#')) return image !== undefined || isImpliedReceipt(key, simulation);
  return Number(image?.[operation.startsWith('capture:') ? 'attempt' : 'refundAttempt'] ?? 0) >= attempt;
}

function isImpliedReceipt(key: string, simulation: Simulation): boolean {
  const capture = key.startsWith('receipt:') ? jobOf(key.replace('receipt:', 'capture:')) : undefined;
  const record = capture && recordOf(imageOf(simulation, capture.item), capture.operation);
  return (record?.result as { captureId?: string } | undefined)?.captureId !== undefined;
}

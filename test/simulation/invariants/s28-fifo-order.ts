import { OUTBOX_FAILED, TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { nameOfQueue } from '../network/labels.ts';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { imageOf, isOurs, jobOf, keyIn, recordedOperations, recordOf } from './item-views.ts';
import { bodiesOf, type JobWhereabouts, trackJobs } from './job-whereabouts.ts';

/**
 * Two looks: when the dispatcher brings a job, none that was accepted after it has come before; when a job is done, none that came before it
 * and is still there is open.
 *
 * Does not protect against jobs that had a letter, were parked, or whose way was lost: the ones behind went on without them, and
 * brought back they come last.
 */
export const fifoOrder: Invariant = {
  id: 'S28',
  promise:
    'jobs of one FIFO group reach their queue in the order in which they were accepted, and are done in that order, but for those that became letters or were parked',
  watch(simulation, violate) {
    const jobs = trackJobs(simulation);
    const known: Known = { simulation, jobs, accepted: new Map(), cameAs: new Map(), hadLetter: new Set(), wasParked: new Set() };
    return {
      ...jobs.track,
      itemWritten(written) {
        jobs.track.itemWritten(written);
        const wrong = judgeWrite(written, known);
        if (wrong !== undefined) violate(wrong);
      },
      queueCalled(call, by) {
        const queueName = nameOfQueue(String(call.input.QueueUrl));
        if (queueName === OUTBOX_FAILED && call.operation.startsWith('SendMessage'))
          for (const body of bodiesOf(call.input)) known.wasParked.add(keyIn(body) ?? '');
        if (isFifoQueue(queueName) && call.operation.startsWith('SendMessage')) {
          for (const key of noteArrivals(queueName, known)) {
            const later = by.startsWith('dispatch-outbox') ? broughtBefore(key, known) : undefined;
            if (later !== undefined) violate(`${by} brings ${key} after ${later}, which was accepted later`);
          }
        }
        jobs.track.queueCalled(call, by);
      },
      rested: jobs.endExcuses,
    };
  },
};

interface Known {
  readonly simulation: Simulation;
  readonly jobs: JobWhereabouts;
  /** Keys of each group in the order of their acceptance; by group, as the item's partition. */
  readonly accepted: Map<string, string[]>;
  /** The number under which a job first came to its queue. */
  readonly cameAs: Map<string, number>;
  readonly hadLetter: Set<string>;
  /** Its queue refused it for good; those behind went on. */
  readonly wasParked: Set<string>;
}

/** The item of a job of a FIFO kind: its group's partition, and its own key. */
const FIFO_ITEM = /^(JOB#([^#]+)#[^|]+)\|JOB#(.+)$/;

function judgeWrite({ table, id, old, next, by }: ItemWritten, known: Known): string | undefined {
  const [, partition, kind, key] = FIFO_ITEM.exec(id) ?? [];
  if (table !== TABLES.state || partition === undefined || key === undefined || !isOurs(by)) return undefined;
  if (old === undefined && by.startsWith('accept-')) known.accepted.set(partition, [...(known.accepted.get(partition) ?? []), key]);
  const ended = recordedOperations(next).find((operation) => recordOf(old, operation) === undefined);
  if (ended === undefined) return undefined;
  if (recordOf(next, ended)?.status === 'discarded') known.hadLetter.add(key);
  const passed = passedOver(key, `${kind}.fifo`, known);
  return passed === undefined ? undefined : `${by} finishes ${key} before ${passed}, which came first`;
}

const isFifoQueue = (queueName: string): boolean => queueName.endsWith('.fifo') && !queueName.endsWith('-dlq.fifo');

/** @returns keys that are there for the first time */
function noteArrivals(queueName: string, { simulation, cameAs }: Known): string[] {
  return waitingIn(simulation, queueName).flatMap(({ body, sequence }) => {
    const key = keyIn(body);
    if (key === undefined || cameAs.has(key)) return [];
    cameAs.set(key, sequence);
    return [key];
  });
}

/** One that was accepted after this one and has come before it; whom somebody else brought, or who was lost on the way, has no place any more. */
function broughtBefore(key: string, { accepted, cameAs, jobs, wasParked }: Known): string | undefined {
  const job = jobOf(key);
  const group = [...accepted.values()].find((keys) => keys.includes(key)) ?? [];
  const came = cameAs.get(key) ?? 0;
  if (job === undefined || jobs.isExcused(job) || wasParked.has(key)) return undefined;
  return group.slice(group.indexOf(key) + 1).find((later) => (cameAs.get(later) ?? Number.POSITIVE_INFINITY) < came);
}

interface Waiting {
  readonly body: string;
  readonly group: string;
  readonly sequence: number;
}

const waitingIn = ({ sqs }: Simulation, queueName: string): Waiting[] =>
  sqs.messages(queueName).map(({ body, system }) => ({
    body,
    group: system['MessageGroupId'] ?? '',
    sequence: Number(system['SequenceNumber']),
  }));

/** The key of an open job whose message was there before this one's first. */
function passedOver(key: string, queueName: string, { simulation, cameAs, hadLetter }: Known): string | undefined {
  const waiting = waitingIn(simulation, queueName);
  const own = waiting.find(({ body }) => keyIn(body) === key);
  const came = cameAs.get(key);
  if (own === undefined || came === undefined || hadLetter.has(key)) return undefined;
  const before = waiting.filter(({ group, sequence }) => group === own.group && sequence < came);
  return before.map(({ body }) => keyIn(body) ?? '').find((one) => isOpen(one, simulation) && !hadLetter.has(one));
}

function isOpen(key: string, simulation: Simulation): boolean {
  const job = jobOf(key);
  return job !== undefined && recordOf(imageOf(simulation, job.item), job.operation) === undefined;
}

import type { SQSRecord } from 'aws-lambda';
import { deadLetterQueueOf, INVALIDATION_RETRY, OUTBOX_FAILED, TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import { nameOfQueue } from '../network/labels.ts';
import type { Simulation } from '../simulation.ts';
import { imageOf, recordedOperations, recordOf } from './item-views.ts';
import { bodiesOf, type JobWhereabouts, jobIn, type Place, trackJobs } from './job-whereabouts.ts';
import { trackParkedKeys } from './parked-keys.ts';

/** Judged at the instant a message is gone, not by what its worker says. An overdue mark is no copy: it only finds what has failed. */
export const ackAfterDurable: Invariant = {
  id: 'S4',
  promise:
    'a message leaves its queue only when its operation is finished, or another copy, its dead letter or a person’s decision stands for it',
  watch(simulation, violate) {
    const jobs = trackJobs(simulation);
    const parked = trackParkedKeys();
    const letters = new Map<string, number>();
    const discardedAtMs = new Map<string, number>();
    return {
      ...jobs.track,
      itemWritten(written) {
        jobs.track.itemWritten(written);
        parked.itemWritten(written);
        if (written.table !== TABLES.state) return;
        const { id, old, next, atMs, by } = written;
        for (const operation of recordedOperations(next)) {
          const isNew = recordOf(next, operation)?.status === 'discarded' && recordOf(old, operation)?.status !== 'discarded';
          // A restore brings back a discard whose letter was sent when it was first written.
          if (isNew) discardedAtMs.set(`${id} ${operation}`, by === undefined ? 0 : atMs);
        }
      },
      queueCalled(call, by) {
        jobs.track.queueCalled(call, by);
        const queueName = nameOfQueue(String(call.input.QueueUrl));
        if (!/-dlq(\.fifo)?$/.test(queueName) || !call.operation.startsWith('SendMessage')) return;
        const held = new Set(simulation.sqs.messages(queueName).map(({ body }) => body));
        // A letter that a FIFO queue swallowed as a repetition is there only if its first one still is.
        for (const body of bodiesOf(call.input)) if (held.has(body)) letters.set(body, simulation.world.nowMs);
      },
      messageDeleted(queueName, record) {
        if (isStillThere(simulation, queueName, record)) return;
        const lastLetterMs = Math.max(-1, ...[...letters].filter(([body]) => isAbout(body, record.body)).map(([, atMs]) => atMs));
        const missing =
          queueName === INVALIDATION_RETRY
            ? parked.judge(record)
            : judge(simulation, { jobs, queueName, record, lastLetterMs, discardedAtMs });
        if (missing !== undefined)
          violate(`${record.messageId.slice(-4)} (${jobIn(record.body)?.key ?? 'no job'}) left ${queueName}: ${missing}`);
      },
    };
  },
};

/** A receipt handle from before the message was received again deletes nothing. */
const isStillThere = ({ sqs }: Simulation, queueName: string, { messageId }: SQSRecord): boolean =>
  sqs.messages(queueName).some(({ id }) => id === messageId);

const isAbout = (letter: string, body: string): boolean =>
  letter === body || (jobIn(body) !== undefined && jobIn(letter)?.key === jobIn(body)?.key);

interface Gone {
  readonly jobs: JobWhereabouts;
  readonly queueName: string;
  readonly record: SQSRecord;
  readonly lastLetterMs: number;
  readonly discardedAtMs: ReadonlyMap<string, number>;
}

const STANDS_FOR_IT: readonly Place[] = ['finished', 'queue', 'dead-letter queue', 'discarded with audit'];

/** @returns what is missing */
function judge(simulation: Simulation, { jobs, queueName, record, lastLetterMs, discardedAtMs }: Gone): string | undefined {
  const job = jobIn(record.body);
  const receivedAtMs = Number(record.attributes.ApproximateFirstReceiveTimestamp);
  if (job === undefined)
    return lastLetterMs >= receivedAtMs || isLetter(simulation, queueName, record.body) ? undefined : 'no letter says what it was';
  const places = jobs.placesOf(job);
  if (STANDS_FOR_IT.some((place) => places.includes(place))) return undefined;
  // Parked by the dispatcher, it has been sent; what became of that copy is judged when that one goes.
  if (queueName === OUTBOX_FAILED) return places.length > 0 ? undefined : 'it was never sent';
  const { item, operation } = job;
  const discarded = recordOf(imageOf(simulation, item), operation)?.status === 'discarded';
  const sinceMs = discarded ? (discardedAtMs.get(`${item.pk}|${item.sk} ${operation}`) ?? 0) : receivedAtMs;
  if (lastLetterMs >= sinceMs) return undefined;
  return discarded ? 'it was discarded, and no letter was sent' : `it is open and only in [${places}]`;
}

const isLetter = ({ sqs }: Simulation, queueName: string, body: string): boolean =>
  sqs.messages(deadLetterQueueOf(queueName)).some((letter) => letter.body === body);

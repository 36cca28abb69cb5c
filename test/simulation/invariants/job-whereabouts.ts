import { deadLetterQueueOf, OUTBOX_FAILED, TABLES } from '../cloud/names.ts';
import type { Observer } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { type AuditRow, auditRowsIn } from './audit-rows.ts';
import { carriesOutbox, imageOf, type JobName, jobOf, keyIn, outboxKeys, recordOf } from './item-views.ts';

/** Where a job can be found, so that it is not lost. */
export type Place =
  /** In an outbox whose stream record is still on its way. */
  | 'outbox'
  | 'outbox-failed'
  /** Visible, delayed or in flight. */
  | 'queue'
  | 'dead-letter queue'
  /** The rescue has it on its list. */
  | 'overdue index'
  /** Carried out, or its item has moved past it. */
  | 'finished'
  /** A person has thrown its letter away. */
  | 'discarded with audit';

type Tracking = Required<Pick<Observer, 'itemWritten' | 'queueCalled' | 'streamRecordLost' | 'messagesLost' | 'disturbed'>>;

export interface JobWhereabouts {
  /** To be told everything, before the checker that asks looks. */
  readonly track: Tracking;
  /** @param except ids of messages that do not count */
  placesOf(job: JobName, except?: ReadonlySet<string>): Place[];
  /** Somebody outside took the job away: until everything has rested it may be nowhere, because rescue and sweep are still to find it. */
  isExcused(job: JobName): boolean;
  /** From here on nothing is excused any more. */
  endExcuses(): void;
}

type Parts = Pick<Simulation, 'dynamodb' | 'sqs' | 'streams' | 'jobQueues' | 'world'>;

/** Keeps what no table and no queue shows: what the stream is still carrying, and what was taken away from outside. */
export function trackJobs(simulation: Parts): JobWhereabouts {
  const carried = new Set<string>();
  const excused = new Set<string>();
  const thrownAway = new Set<string>();
  const dispatcher = simulation.streams.find(({ definition }) => definition.functionName === 'dispatch-outbox');
  let everythingExcused = false;

  const isCarried = (key: string): boolean => {
    // An empty stream has carried out everything; whatever is not elsewhere by now is gone.
    if (dispatcher?.waiting === 0) carried.clear();
    return carried.has(key);
  };
  const track: Tracking = {
    itemWritten(written) {
      for (const row of auditRowsIn(written)) noteAudit(row, thrownAway);
      if (written.table !== TABLES.state) return;
      const { old, next } = written;
      if (!carriesOutbox(old, next)) return;
      const isLost = dispatcher !== undefined && simulation.world.nowMs < dispatcher.lostUntilMs;
      for (const key of outboxKeys(next)) {
        if (isLost) excused.add(key);
        // The stream's filter lets nothing through that is held.
        else if (next['lease'] === 'free') carried.add(key);
      }
    },
    queueCalled({ operation, input }) {
      if (operation !== 'SendMessage' && operation !== 'SendMessageBatch') return;
      for (const key of bodiesOf(input).flatMap((body) => keyIn(body) ?? [])) {
        carried.delete(key);
        excused.delete(key);
      }
    },
    streamRecordLost(functionName, { dynamodb }) {
      if (functionName !== 'dispatch-outbox') return;
      for (const { M } of dynamodb.NewImage?.['outbox']?.L ?? []) excused.add(M?.['idempotencyKey']?.S ?? '');
    },
    messagesLost(_, bodies) {
      for (const body of bodies) excused.add(keyIn(body) ?? '');
    },
    disturbed(what) {
      if (what === 'restore') everythingExcused = true;
    },
  };
  return {
    track,
    placesOf: (job, except = new Set()) => placesOf(job, simulation, { except, isCarried, thrownAway }),
    isExcused: ({ key }) => everythingExcused || excused.has(key),
    endExcuses() {
      everythingExcused = false;
      excused.clear();
    },
  };
}

interface Known {
  readonly except: ReadonlySet<string>;
  readonly isCarried: (key: string) => boolean;
  readonly thrownAway: ReadonlySet<string>;
}

function placesOf(job: JobName, simulation: Parts, { except, isCarried, thrownAway }: Known): Place[] {
  const { kind, key, item, operation } = job;
  const queueName = simulation.jobQueues.find(({ definition }) => definition.kind === kind)?.queueName ?? kind;
  const isIn = (queue: string): boolean => simulation.sqs.messages(queue).some(({ id, body }) => !except.has(id) && keyIn(body) === key);
  const image = imageOf(simulation, item);
  const record = recordOf(image, operation);
  const isFinished = record?.status === 'completed' || isPast(job, image);
  const places: [Place, boolean][] = [
    ['finished', isFinished],
    ['queue', isIn(queueName)],
    ['dead-letter queue', isIn(deadLetterQueueOf(queueName))],
    ['overdue index', image?.['overdueAtMs'] !== undefined && record === undefined],
    ['overdue index', image?.['overdueAtMs'] !== undefined && record?.status === 'discarded' && record.buried !== true],
    ['outbox', isCarried(key)],
    ['outbox-failed', isIn(OUTBOX_FAILED) || isIn(deadLetterQueueOf(OUTBOX_FAILED))],
    ['discarded with audit', thrownAway.has(key)],
  ];
  return places.filter(([, isThere]) => isThere).map(([place]) => place);
}

/** A letter may be thrown away, or brought back, until the entry says that nothing came of it. */
function noteAudit(row: AuditRow, thrownAway: Set<string>): void {
  if (row.key === undefined) return;
  if (row.what === 'discard' && row.outcome?.startsWith('refused') !== true) thrownAway.add(row.key);
  else thrownAway.delete(row.key);
}

/** The order is at a later attempt: this one can only have ended before that was opened. */
function isPast({ operation, attempt }: JobName, image: ReturnType<typeof imageOf>): boolean {
  if (attempt === undefined || image === undefined) return false;
  return Number(image[operation.startsWith('capture:') ? 'attempt' : 'refundAttempt'] ?? 0) > attempt;
}

/** The bodies a call sends. */
export const bodiesOf = (input: { MessageBody?: string; Entries?: readonly { MessageBody: string }[] }): string[] =>
  input.Entries === undefined ? [input.MessageBody ?? ''] : input.Entries.map(({ MessageBody }) => MessageBody);

/** The job a message is about, by its key. */
export const jobIn = (body: string): JobName | undefined => jobOf(keyIn(body) ?? '');

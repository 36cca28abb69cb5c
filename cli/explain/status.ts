import { jobs } from '#shared/jobs/index.ts';
import { controlOf } from '../aws/control.ts';
import { workerVariables } from '../aws/function-variables.ts';
import type { OrderScan } from '../aws/items.ts';
import { oldestLetterSeenMs } from '../aws/letter-age.ts';
import { mappingsOf } from '../aws/mappings.ts';
import { type NamedQueue, queuesOf } from '../aws/queue-list.ts';
import { isEmpty, type QueueDepth, queueDepth } from '../aws/queues.ts';
import { isMissingQueue } from '../dead-letters/letter-desk.ts';
import type { Session } from '../session.ts';
import { type Finding, findTrouble, isWaiting, type Trouble } from './attention.ts';
import { type LoadControl, NOTHING_HELD_BACK, readLoadControl } from './load-control.ts';
import { type RateLimit, readRateUse } from './rate-limits.ts';
import { type WaitingWork, waitingWork } from './waiting.ts';

export interface QueueStatus extends QueueDepth {
  readonly name: string;
  /** It, or its dead-letter queue, is not there: deleted by hand, or with a stack that went. */
  readonly missing?: true;
  readonly deadLetters: number;
  /** When the oldest of the letters that were looked at was sent; there may be older ones. Null without letters. */
  readonly oldestLetterAtMs: number | null;
}

export interface Status extends WaitingWork {
  readonly stage: string;
  readonly atMs: number;
  /** Nothing is left to do: no message, no letter, no order under way or in trouble. */
  readonly done: boolean;
  readonly queues: readonly QueueStatus[];
  readonly orders: {
    readonly byState: Readonly<Record<string, number>>;
    readonly total: number;
    readonly held: number;
    /** Not ended yet. */
    readonly waiting: number;
    readonly truncated: boolean;
  };
  /** What holds work back on purpose. */
  readonly heldBack: LoadControl;
  readonly rateLimits: readonly RateLimit[];
  /** Orders and jobs that need a look, counted and the first of them named. */
  readonly attention: { readonly counts: Readonly<Record<Trouble, number>>; readonly first: readonly Finding[] };
}

/** @param scan read by the caller, who may want an older one again: it is the only part that costs more the more orders there are */
export async function readStatus(session: Session, scan: () => Promise<OrderScan>): Promise<Status> {
  // Queues first: an order whose message is taken in between is then seen as ended, not as forgotten.
  const queues = await Promise.all(queuesOf(session.outputs).map((queue) => readQueue(session, queue)));
  const orders = await scan();
  const control = controlOf(session);
  const nowMs = Date.now();
  const [heldBack, rateLimits] = await Promise.all([
    readLoadControl(control, mappingsOf(session.clients, session.outputs), jobs),
    workerVariables(session, LIMITED_KIND).then((variables) => readRateUse(control, variables, nowMs)),
  ]);
  return statusOf(session.target.stage, queues, orders, { nowMs, heldBack, rateLimits });
}

/** Any kind behind a dependency will do. */
const LIMITED_KIND = jobs.find(({ dependency }) => dependency !== undefined)?.kind ?? '';

type Queue = Pick<NamedQueue, 'name' | 'queueUrl' | 'deadLetterQueueUrl'>;

const readQueue = (session: Session, queue: Queue): Promise<QueueStatus> =>
  readDepths(session, queue).catch((error: unknown) => {
    if (!isMissingQueue(error)) throw error;
    return { name: queue.name, missing: true, waiting: 0, inFlight: 0, delayed: 0, deadLetters: 0, oldestLetterAtMs: null };
  });

async function readDepths({ clients: { sqs } }: Session, { name, queueUrl, deadLetterQueueUrl }: Queue): Promise<QueueStatus> {
  const [depth, letters] = await Promise.all([
    queueDepth(sqs, queueUrl),
    deadLetterQueueUrl === undefined ? undefined : queueDepth(sqs, deadLetterQueueUrl),
  ]);
  const hasLetters = deadLetterQueueUrl !== undefined && letters !== undefined && letters.waiting > 0;
  const oldestLetterAtMs = hasLetters ? await oldestLetterSeenMs(sqs, deadLetterQueueUrl) : undefined;
  return {
    name,
    ...depth,
    deadLetters: letters === undefined ? 0 : letters.waiting + letters.inFlight,
    oldestLetterAtMs: oldestLetterAtMs ?? null,
  };
}

const FIRST = 20;

export function statusOf(
  stage: string,
  queues: readonly QueueStatus[],
  scan: OrderScan,
  { nowMs, heldBack = NOTHING_HELD_BACK, rateLimits = [] }: { nowMs: number; heldBack?: LoadControl; rateLimits?: readonly RateLimit[] },
): Status {
  const byState: Record<string, number> = {};
  for (const { status } of scan.orders) byState[String(status)] = (byState[String(status)] ?? 0) + 1;
  const held = scan.orders.filter(({ lease }) => lease === 'held').length;
  const waiting = scan.orders.filter(isWaiting).length;
  const queuesAreEmpty = queues.every(isEmpty);
  const findings = [...scan.orders, ...scan.failedJobs]
    .map((item) => findTrouble(item, { nowMs, queuesAreEmpty }))
    .filter((finding) => finding !== undefined);
  const counts: Record<Trouble, number> = { discarded: 0, overdue: 0, 'no-message': 0, retrying: 0 };
  for (const { trouble } of findings) counts[trouble] += 1;
  const first = Object.keys(counts).flatMap((trouble) => findings.filter((finding) => finding.trouble === trouble));
  return {
    stage,
    atMs: nowMs,
    done:
      queuesAreEmpty &&
      held + waiting + findings.length === 0 &&
      !scan.truncated &&
      queues.every(({ deadLetters, missing }) => deadLetters === 0 && missing !== true),
    queues,
    orders: { byState, total: scan.orders.length, held, waiting, truncated: scan.truncated },
    ...waitingWork(scan.orders, nowMs, (kind) => queues.every((queue) => queue.name !== kind || isEmpty(queue))),
    heldBack,
    rateLimits,
    attention: { counts, first: first.slice(0, FIRST) },
  };
}

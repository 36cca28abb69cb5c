import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { jobs } from '#shared/jobs/index.ts';
import { controlOf } from '../aws/control.ts';
import { type OrderScan, scanOrders } from '../aws/items.ts';
import { mappingsOf } from '../aws/mappings.ts';
import { queuesOf } from '../aws/queue-list.ts';
import { isEmpty, type QueueDepth, queueDepth } from '../aws/queues.ts';
import type { Session } from '../session.ts';
import { type Finding, findTrouble, isWaiting, type Trouble } from './attention.ts';
import { type LoadControl, NOTHING_HELD_BACK, readLoadControl } from './load-control.ts';

export interface QueueStatus extends QueueDepth {
  readonly name: string;
  readonly deadLetters: number;
}

export interface Status {
  readonly stage: string;
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
  /** Orders and jobs that need a look, counted and the first of them named. */
  readonly attention: { readonly counts: Readonly<Record<Trouble, number>>; readonly first: readonly Finding[] };
}

export async function readStatus(session: Session): Promise<Status> {
  const { sqs, dynamoDb } = session.clients;
  const readQueue = async ({ name, queueUrl, deadLetterQueueUrl }: ReturnType<typeof queuesOf>[number]): Promise<QueueStatus> => {
    const [depth, letters] = await Promise.all([
      queueDepth(sqs, queueUrl),
      deadLetterQueueUrl === undefined ? undefined : queueDepth(sqs, deadLetterQueueUrl),
    ]);
    return { name, ...depth, deadLetters: letters === undefined ? 0 : letters.waiting + letters.inFlight };
  };
  // Queues first: an order whose message is taken in between is then seen as ended, not as forgotten.
  const queues = await Promise.all(queuesOf(session.outputs).map(readQueue));
  const scan = await scanOrders(dynamoDb, session.output(STACK_OUTPUTS.stateTable));
  const heldBack = await readLoadControl(controlOf(session), mappingsOf(session.clients, session.outputs), jobs);
  return statusOf(session.target.stage, queues, scan, { nowMs: Date.now(), heldBack });
}

const FIRST = 20;

export function statusOf(
  stage: string,
  queues: readonly QueueStatus[],
  scan: OrderScan,
  { nowMs, heldBack = NOTHING_HELD_BACK }: { nowMs: number; heldBack?: LoadControl },
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
    done:
      queuesAreEmpty && held + waiting + findings.length === 0 && !scan.truncated && queues.every(({ deadLetters }) => deadLetters === 0),
    queues,
    orders: { byState, total: scan.orders.length, held, waiting, truncated: scan.truncated },
    heldBack,
    attention: { counts, first: first.slice(0, FIRST) },
  };
}

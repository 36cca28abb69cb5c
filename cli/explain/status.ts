import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { scanOrders } from '../aws/items.ts';
import { queuesOf } from '../aws/queue-list.ts';
import { isEmpty, type QueueDepth, queueDepth } from '../aws/queues.ts';
import { bad, doubtful, good, quiet, strong } from '../output/paint.ts';
import { formatTable } from '../output/table.ts';
import type { Session } from '../session.ts';

export interface QueueStatus extends QueueDepth {
  readonly name: string;
  readonly deadLetters: number;
}

export interface Status {
  readonly stage: string;
  readonly queues: readonly QueueStatus[];
  readonly orders: {
    readonly byState: Readonly<Record<string, number>>;
    readonly total: number;
    readonly held: number;
    readonly truncated: boolean;
  };
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
  const [queues, scan] = await Promise.all([
    Promise.all(queuesOf(session.outputs).map(readQueue)),
    scanOrders(dynamoDb, session.output(STACK_OUTPUTS.stateTable)),
  ]);
  const byState: Record<string, number> = {};
  for (const { status } of scan.orders) byState[String(status)] = (byState[String(status)] ?? 0) + 1;
  const held = scan.orders.filter(({ lease }) => lease === 'held').length;
  return { stage: session.target.stage, queues, orders: { byState, total: scan.orders.length, held, truncated: scan.truncated } };
}

export function formatStatus({ stage, queues, orders }: Status): string {
  const queueRows = queues.map(({ name, waiting, inFlight, delayed, deadLetters }) => [
    name,
    busyCount(waiting),
    busyCount(inFlight),
    busyCount(delayed),
    deadLetters === 0 ? quiet('0') : bad(deadLetters),
  ]);
  const orderRows = Object.entries(orders.byState)
    .sort()
    .map(([state, count]) => [state, count]);
  return [
    strong(`Stage ${stage}`),
    '',
    formatTable(['Queue', 'Waiting', 'In flight', 'Delayed', 'Dead letters'], queueRows),
    '',
    orders.total === 0 ? 'No orders yet: create one with `npm run andal -- orders create`.' : formatTable(['Orders', 'Count'], orderRows),
    ...(orders.truncated ? [quiet(`(counted over the first ${orders.total} orders; there are more)`)] : []),
    '',
    verdict(queues, orders.held),
  ].join('\n');
}

const busyCount = (count: number): string => (count === 0 ? quiet('0') : doubtful(count));

function verdict(queues: readonly QueueStatus[], held: number): string {
  const letters = queues.filter(({ deadLetters }) => deadLetters > 0).map(({ name }) => name);
  if (letters.length > 0) return bad(`Dead letters wait in: ${letters.join(', ')}.`);
  return queues.every(isEmpty) && held === 0 ? good('All work is done.') : 'Work is under way.';
}

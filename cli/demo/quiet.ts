import { orderItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { readItems } from '../aws/items.ts';
import { queuesOf } from '../aws/queue-list.ts';
import { isEmpty, peekDeadLetters, queueDepth } from '../aws/queues.ts';
import { receiptsOf } from '../aws/receipts.ts';
import { HANDS, TooLate, waitFor, withHands } from './patience.ts';
import { broken, kept, type Verdict } from './verdict.ts';
import { type DemoWorld, nameOf } from './world.ts';

const LETTERS_LOOKED_AT = 2_000;

/** Waits until no order of the run is pending. @returns how many still are, 0 when all have ended */
export async function waitUntilSettled(world: DemoWorld, limitMs: number, tell: (line: string) => void): Promise<number> {
  const { session, orders } = world;
  let pending = orders.map(({ userId, orderId }) => ({ ...orderItemKey(userId, orderId) }));
  const probe = async (): Promise<true | undefined> => {
    const items = await readItems(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable), pending);
    const open = new Set(items.filter(({ status }) => status === 'pending_payment').map(({ sk }) => String(sk)));
    pending = pending.filter(({ sk }) => open.has(sk));
    tell(`${orders.length - pending.length} of ${orders.length} orders have ended`);
    return pending.length === 0 ? true : undefined;
  };
  await waitFor('the end of every order', probe, { limitMs, everyMs: 500 }).catch(ignoreTooLate);
  return pending.length;
}

/** Waits until each paid order has its receipt, which is a job of its own and comes after the payment. */
export async function waitForReceipts({ session, orders }: DemoWorld, limitMs: number, tell: (line: string) => void): Promise<void> {
  const table = session.output(STACK_OUTPUTS.mailTable);
  let missing = orders.filter(({ ends }) => ends === 'paid');
  const probe = async (): Promise<true | undefined> => {
    const counts = await withHands(HANDS, missing, async (order) => (await receiptsOf(session.clients.dynamoDb, table, order)).length);
    missing = missing.filter((_, index) => counts[index] === 0);
    tell(`${missing.length} receipts are still to come`);
    return missing.length === 0 ? true : undefined;
  };
  await waitFor('every receipt', probe, { limitMs, everyMs: 500 }).catch(ignoreTooLate);
}

/** Waits until every queue of the pipeline is empty: nothing waiting, nothing in flight. */
export async function queuesRunDry({ session }: DemoWorld, limitMs: number, tell: (line: string) => void): Promise<Verdict> {
  const promise = 'no message is left in any queue';
  let left: string[] = [];
  const probe = async (): Promise<true | undefined> => {
    const depths = await Promise.all(
      queuesOf(session.outputs).map(async ({ name, queueUrl }) => ({ name, depth: await queueDepth(session.clients.sqs, queueUrl) })),
    );
    left = depths
      .filter(({ depth }) => !isEmpty(depth))
      .map(({ name, depth }) => `${name}: ${depth.waiting} waiting, ${depth.inFlight} in flight`);
    tell(left.length === 0 ? 'queues are empty' : left.join(' · '));
    return left.length === 0 ? true : undefined;
  };
  await waitFor('empty queues', probe, { limitMs, everyMs: 500 }).catch(ignoreTooLate);
  return left.length === 0 ? kept(promise, `${queuesOf(session.outputs).length} queues empty`) : broken(promise, left.join('; '), []);
}

/** Bodies of this run's letters in every dead-letter queue. */
export async function lettersOfRun({ session, runId }: DemoWorld): Promise<string[]> {
  const letters = await Promise.all(
    queuesOf(session.outputs).map(({ deadLetterQueueUrl }) =>
      deadLetterQueueUrl === undefined ? [] : peekDeadLetters(session.clients.sqs, deadLetterQueueUrl, LETTERS_LOOKED_AT),
    ),
  );
  return letters
    .flat()
    .map(({ Body = '' }) => Body)
    .filter((body) => body.includes(runId));
}

/** @param expected bodies that belong there, byte for byte */
export async function onlyTheseLetters(world: DemoWorld, expected: readonly string[]): Promise<Verdict> {
  const promise = expected.length === 0 ? 'nothing is in a dead-letter queue' : 'nothing else is in a dead-letter queue';
  const others = (await lettersOfRun(world)).filter((body) => !expected.includes(body));
  const named = world.orders.filter(({ orderId }) => others.some((body) => body.includes(orderId))).map(nameOf);
  return others.length === 0 ? kept(promise, 'all dead-letter queues') : broken(promise, `${others.length} letters of this run`, named);
}

function ignoreTooLate(error: unknown): void {
  // What is missing is judged order by order afterwards; being late is not a verdict of its own.
  if (!(error instanceof TooLate)) throw error;
}

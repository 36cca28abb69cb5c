import { runSteps, step } from '../output/steps.ts';
import type { Session } from '../session.ts';
import { auditOrders, type OrderFacts } from './audit.ts';
import { HANDS, withHands } from './patience.ts';
import { onlyTheseLetters, queuesRunDry, waitForReceipts, waitUntilSettled } from './quiet.ts';
import type { DemoReport } from './report.ts';
import { allKept, broken, commonVerdicts, kept, type Verdict } from './verdict.ts';
import { type DemoWorld, demoWorld, order, sendCopies } from './world.ts';

const ORDERS_PER_USER = 50;
const DELIVERED_TWICE_EVERY = 10;
const ANSWER_LOST_EVERY = 20;
const PATIENCE_PER_ORDER_MS = 300;

/** Many orders, one in ten delivered twice, one in twenty charged without an answer: all paid once. */
export async function runLoad(session: Session, count: number): Promise<DemoReport> {
  const started = Date.now();
  const world = demoWorld(session, 'load');
  const limitMs = world.patienceMs + count * PATIENCE_PER_ORDER_MS;
  const verdicts: Verdict[] = [];
  let facts: OrderFacts[] = [];
  await runSteps(
    [
      step(`${count} orders over HTTP`, async (tell) => {
        await takeOrders(world, count, tell);
        return `${count} orders over HTTP, ${Math.floor(count / DELIVERED_TWICE_EVERY)} delivered twice, ${Math.floor(count / ANSWER_LOST_EVERY)} with a lost answer`;
      }),
      step('Payments', async (tell) => {
        await waitUntilSettled(world, limitMs, tell);
        return undefined;
      }),
      step('Receipts and queues', async (tell) => {
        await waitForReceipts(world, limitMs, tell);
        verdicts.push(await queuesRunDry(world, limitMs, tell), await onlyTheseLetters(world, []));
        return undefined;
      }),
      step('Audit of every order', async () => {
        facts = await auditOrders(world);
        verdicts.push(...commonVerdicts(facts), totals(facts, count));
        return undefined;
      }),
    ],
    { json: session.json },
  );
  return { ok: allKept(verdicts), durationMs: Date.now() - started, orders: facts, verdicts };
}

async function takeOrders(world: DemoWorld, count: number, tell: (line: string) => void): Promise<void> {
  let taken = 0;
  await withHands(HANDS, Array.from({ length: count }), async (_, index) => {
    const number = index + 1;
    const made = await order(world, {
      userId: `${world.runId}-${Math.floor(index / ORDERS_PER_USER)}`,
      key: String(number),
      shows: number % ANSWER_LOST_EVERY === 0 ? 'charged, answer lost' : 'plain',
      ...(number % ANSWER_LOST_EVERY === 0 ? { fault: 'chargedButTimeout' } : {}),
    });
    if (number % DELIVERED_TWICE_EVERY === 0) await sendCopies(world, made, 1);
    // An early read puts the pending state into the cache, where it would show if nobody took it out.
    await world.api.get(made.userId, made.orderId);
    tell(`${++taken} of ${count} taken`);
  });
}

function totals(facts: readonly OrderFacts[], count: number): Verdict {
  const promise = 'the sums agree';
  const captures = facts.reduce((sum, order) => sum + order.captures, 0);
  const receipts = facts.reduce((sum, order) => sum + order.receipts, 0);
  const seen = `${count} orders, ${captures} captures, ${receipts} receipts`;
  return facts.length === count && captures === count && receipts === count ? kept(promise, seen) : broken(promise, seen, []);
}

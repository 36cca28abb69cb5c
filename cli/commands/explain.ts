import { isCancel, select } from '@clack/prompts';
import type { Command } from 'commander';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { scanOrders } from '../aws/items.ts';
import { explain, formatExplanation } from '../explain/explanation.ts';
import { type OrderName, parseOrderName } from '../explain/order-name.ts';
import { readSources } from '../explain/sources.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, type Session, withSession } from '../session.ts';

export function register(program: Command): void {
  program
    .command('explain')
    .description('one order from every side: its timeline, the provider, the cache, dead letters, what operators did, and what to do next')
    .argument('[order]', '<userId>/<orderId>; in a terminal it can be left out and chosen', parseOrderName)
    .addHelpText(
      'after',
      `
Looks at everything and changes nothing; dead letters are hidden from others while they are looked through, and given back.

Exit codes: 0 explained, 1 failed, 2 wrong usage, 3 no such order.

Examples:
  npm run andal -- explain u-17/ORDERID
  npm run andal -- explain u-17/ORDERID --json`,
    )
    .action(async (name: OrderName | undefined, _options: unknown, command: Command) =>
      withSession(globalOptions(command), async (session) => {
        const order = name ?? (await chooseOrder(session));
        const sources = await readSources(session, order);
        if (sources === undefined) {
          throw new CliError(`There is no order ${order.userId}/${order.orderId} in stage ${session.target.stage}.`, {
            exitCode: EXIT.nothingFound,
          });
        }
        const nowMs = Date.now();
        const explanation = explain(sources, nowMs);
        printAnswer(session.json, explanation, () => formatExplanation(explanation, nowMs));
      }),
    );
}

const CHOICES = 20;

async function chooseOrder(session: Session): Promise<OrderName> {
  if (!process.stdin.isTTY || session.json) {
    throw new CliError('Name the order: `npm run andal -- explain <userId>/<orderId>`.', { exitCode: EXIT.usage });
  }
  const { orders } = await scanOrders(session.clients.dynamoDb, session.output(STACK_OUTPUTS.stateTable), { maxPages: 1 });
  if (orders.length === 0)
    throw new CliError('There are no orders yet: create one with `npm run andal -- orders create u-1`.', { exitCode: EXIT.nothingFound });
  const latest = orders.sort((left, right) => Number(right['createdAtMs']) - Number(left['createdAtMs'])).slice(0, CHOICES);
  const options = latest.map(({ userId, orderId, status }) => ({
    value: `${userId}/${orderId}`,
    label: `${userId}/${orderId}`,
    hint: String(status),
  }));
  const chosen = await select({ message: 'Which order?', options });
  if (isCancel(chosen)) throw new CliError('No order was chosen.');
  return parseOrderName(chosen);
}

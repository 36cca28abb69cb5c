import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { formatAmount } from '../explain/amount.ts';
import { paintState } from '../explain/explanation.ts';
import { type OrderName, parseOrderName } from '../explain/order-name.ts';
import type { OrderAnswer } from '../http/order-api.ts';
import { orderApiOf } from '../http/signed-order-api.ts';
import { CliError, EXIT } from '../output/cli-error.ts';
import { printAnswer } from '../output/print.ts';
import { globalOptions, type Session, withSession } from '../session.ts';
import { parseAmount, parseCurrency, parseIdempotencyKey, parseNote, parseUserId } from './order-arguments.ts';

interface CreateOptions {
  readonly amount: number;
  readonly currency: string;
  readonly key?: string;
  readonly note?: string;
}

export function register(program: Command): void {
  const orders = program.command('orders').description('create and read orders through the API');
  orders
    .command('create')
    .description('take an order, as POST /users/{userId}/orders does')
    .argument('<userId>', 'user who orders', parseUserId)
    .option('--amount <minor>', 'amount in minor units (1250 is 12.50 EUR)', parseAmount, 1250)
    .option('--currency <code>', 'ISO 4217 currency', parseCurrency, 'EUR')
    .option('--key <idempotency key>', 'repeat with the same key to get the same order (default: a new key)', parseIdempotencyKey)
    .option('--note <text>', 'note on the order', parseNote)
    .addHelpText(
      'after',
      '\nExamples:\n  npm run andal -- orders create u-17 --amount 1250 --currency EUR\n  npm run andal -- orders create u-17 --key basket-4711',
    )
    .action((userId: string, options: CreateOptions, command: Command) =>
      withSession(globalOptions(command), (session) => create(session, userId, options)),
    );
  orders
    .command('get')
    .description('read an order, as GET /users/{userId}/orders/{orderId} does')
    .argument('<order>', '<userId>/<orderId>', parseOrderName)
    .addHelpText('after', '\nExample:\n  npm run andal -- orders get u-17/ORDERID')
    .action((name: OrderName, _options: unknown, command: Command) => withSession(globalOptions(command), (session) => get(session, name)));
}

async function create(session: Session, userId: string, { amount, currency, key = randomUUID(), note }: CreateOptions): Promise<void> {
  const order = { userId, idempotencyKey: key, amountMinor: amount, currency, ...(note === undefined ? {} : { note }) };
  const answer = await orderApiOf(session).create(order);
  refuseFailure(answer);
  const { body, status } = answer;
  printAnswer(session.json, { ...body, created: status === 202 }, () =>
    [
      `${status === 202 ? 'Accepted' : 'Known already'}: ${describe(answer)}`,
      `Next: npm run andal -- explain ${body.userId}/${body.orderId}`,
    ].join('\n'),
  );
}

async function get(session: Session, { userId, orderId }: OrderName): Promise<void> {
  const answer = await orderApiOf(session).get(userId, orderId);
  if (answer.status === 404) throw new CliError(`There is no order ${userId}/${orderId}.`, { exitCode: EXIT.nothingFound });
  refuseFailure(answer);
  printAnswer(
    session.json,
    answer.body,
    () => `${describe(answer)}${answer.cacheStatus === undefined ? '' : `  (cache: ${answer.cacheStatus})`}`,
  );
}

const describe = ({ body }: OrderAnswer): string =>
  `${body.userId}/${body.orderId}  ${paintState(body.status)}  ${formatAmount(body.amountMinor, body.currency)}  version ${body.version}`;

function refuseFailure({ status, body }: OrderAnswer): void {
  if (status < 400) return;
  throw new CliError(`The API answered ${status}: ${body.detail ?? body.title ?? 'no reason given'}`, {
    exitCode: status === 400 ? EXIT.usage : EXIT.failed,
  });
}

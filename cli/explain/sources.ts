import { orderCacheKey } from '#shared/cache/cache-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { AuditEntry } from '#shared/dead-letter/audit.ts';
import { jobs } from '#shared/jobs/index.ts';
import type { Account, LoggedRequest } from '#shared/payments/sandbox-ledger.ts';
import { actsOnOrder } from '../audit/acts-on-order.ts';
import { controlOf } from '../aws/control.ts';
import { type Item, readItem, readOrderItem } from '../aws/items.ts';
import { findLogLines, type LogLine, pipelineLogGroups } from '../aws/log-lines.ts';
import { mappingsOf } from '../aws/mappings.ts';
import { receiptsOf } from '../aws/receipts.ts';
import { paymentsOf } from '../dead-letters/provider.ts';
import { sandbox } from '../http/sandbox.ts';
import { sandboxFetch } from '../http/sandbox-of.ts';
import type { Session } from '../session.ts';
import { type LoadControl, readLoadControl } from './load-control.ts';
import { findOrderLetters, type OrderLetters } from './order-letters.ts';
import type { OrderName } from './order-name.ts';
import { type ProviderAnswer, providerAnswer } from './provider-answer.ts';

/** Everything that is known about one order, as it was found. */
export interface Sources extends OrderLetters {
  readonly name: OrderName;
  readonly order: Item;
  readonly account: Account | undefined;
  readonly requests: readonly LoggedRequest[];
  readonly receipts: readonly Item[];
  readonly cacheEntry: Item | undefined;
  readonly lines: readonly LogLine[];
  readonly provider: ProviderAnswer;
  readonly acts: readonly AuditEntry[];
  readonly heldBack: LoadControl;
}

/** Clocks of functions and of the log service differ a little. */
const CLOCK_SLACK_MS = 60_000;

/** @returns undefined when there is no such order */
export async function readSources(session: Session, name: OrderName): Promise<Sources | undefined> {
  const { dynamoDb, cloudFormation, logs } = session.clients;
  const order = await readOrderItem(dynamoDb, session.output(STACK_OUTPUTS.stateTable), name.userId, name.orderId);
  if (order === undefined) return undefined;
  const fromMs = Number(order['createdAtMs'] ?? 0) - CLOCK_SLACK_MS;
  const control = controlOf(session);
  const books = await readBooks(session, name, order);
  const [provider, receipts, cacheEntry, lines, letters, acts, heldBack] = await Promise.all([
    providerAnswer(String(order['paymentIntentId']), books.account, paymentsOf(session)),
    receiptsOf(dynamoDb, session.output(STACK_OUTPUTS.mailTable), name, Number(order['attempt'])),
    readItem(dynamoDb, session.output(STACK_OUTPUTS.cacheTable), { key: orderCacheKey(name.userId, name.orderId) }),
    pipelineLogGroups(cloudFormation, session.target.stage).then((groups) => findLogLines(logs, groups, name.orderId, fromMs)),
    findOrderLetters(session, name),
    actsOnOrder(control, name, fromMs, Date.now()),
    readLoadControl(control, mappingsOf(session.clients, session.outputs), jobs),
  ]);
  return { name, order, ...books, provider, receipts, cacheEntry, lines, ...letters, acts, heldBack };
}

/** Only the example provider tells its own books; behind a real one this part stays empty. */
async function readBooks(session: Session, { userId, orderId }: OrderName, order: Item): Promise<Pick<Sources, 'account' | 'requests'>> {
  const url = session.outputs[STACK_OUTPUTS.sandboxUrl];
  if (url === undefined) return { account: undefined, requests: [] };
  const books = sandbox(url, sandboxFetch(session));
  const [account, requests] = await Promise.all([books.account(`${userId}/${orderId}`), books.requests(String(order['paymentIntentId']))]);
  return { account, requests };
}

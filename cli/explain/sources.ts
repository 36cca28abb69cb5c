import { orderCacheKey } from '#shared/cache/cache-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { Account, LoggedRequest } from '#shared/payments/sandbox-ledger.ts';
import { type Item, readItem, readOrderItem } from '../aws/items.ts';
import { findLogLines, type LogLine, pipelineLogGroups } from '../aws/log-lines.ts';
import { queuesOf } from '../aws/queue-list.ts';
import { peekDeadLetters } from '../aws/queues.ts';
import { receiptsOf } from '../aws/receipts.ts';
import { sandbox } from '../http/sandbox.ts';
import type { Session } from '../session.ts';
import type { OrderName } from './order-name.ts';

/** A dead letter that names the order. */
export interface FoundLetter {
  readonly queue: string;
  readonly messageId: string;
  readonly sentAtMs: number | undefined;
  readonly about: Readonly<Record<string, unknown>>;
}

/** Everything that is known about one order, as it was found. */
export interface Sources {
  readonly name: OrderName;
  readonly order: Item;
  readonly account: Account | undefined;
  readonly requests: readonly LoggedRequest[];
  readonly receipts: readonly Item[];
  readonly cacheEntry: Item | undefined;
  readonly lines: readonly LogLine[];
  readonly letters: readonly FoundLetter[];
}

/** Clocks of functions and of the log service differ a little. */
const CLOCK_SLACK_MS = 60_000;
const LETTERS_LOOKED_AT = 100;

/** @returns undefined when there is no such order */
export async function readSources(session: Session, name: OrderName): Promise<Sources | undefined> {
  const { dynamoDb, cloudFormation, logs } = session.clients;
  const order = await readOrderItem(dynamoDb, session.output(STACK_OUTPUTS.stateTable), name.userId, name.orderId);
  if (order === undefined) return undefined;
  const fromMs = Number(order['createdAtMs'] ?? 0) - CLOCK_SLACK_MS;
  const [provider, receipts, cacheEntry, lines, letters] = await Promise.all([
    askProvider(session, name, order),
    receiptsOf(dynamoDb, session.output(STACK_OUTPUTS.mailTable), name, Number(order['attempt'])),
    readItem(dynamoDb, session.output(STACK_OUTPUTS.cacheTable), { key: orderCacheKey(name.userId, name.orderId) }),
    pipelineLogGroups(cloudFormation, session.target.stage).then((groups) => findLogLines(logs, groups, name.orderId, fromMs)),
    findLetters(session, name.orderId),
  ]);
  return { name, order, ...provider, receipts, cacheEntry, lines, letters };
}

/** Only the example provider tells its own books; behind a real one this part stays empty. */
async function askProvider(
  { outputs }: Session,
  { userId, orderId }: OrderName,
  order: Item,
): Promise<Pick<Sources, 'account' | 'requests'>> {
  const url = outputs[STACK_OUTPUTS.sandboxUrl];
  if (url === undefined) return { account: undefined, requests: [] };
  const books = sandbox(url);
  const [account, requests] = await Promise.all([books.account(`${userId}/${orderId}`), books.requests(String(order['paymentIntentId']))]);
  return { account, requests };
}

async function findLetters({ clients, outputs }: Session, orderId: string): Promise<FoundLetter[]> {
  const found = await Promise.all(
    queuesOf(outputs).map(async ({ name, deadLetterQueueUrl }) => {
      if (deadLetterQueueUrl === undefined) return [];
      const letters = await peekDeadLetters(clients.sqs, deadLetterQueueUrl, LETTERS_LOOKED_AT);
      return letters
        .filter(({ Body = '' }) => Body.includes(orderId))
        .map((letter): FoundLetter => {
          const about = parseObject(letter.MessageAttributes?.['andal']?.StringValue);
          const sent = letter.Attributes?.['SentTimestamp'];
          return { queue: name, messageId: letter.MessageId ?? '', sentAtMs: sent === undefined ? undefined : Number(sent), about };
        });
    }),
  );
  return found.flat();
}

function parseObject(text: string | undefined): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}

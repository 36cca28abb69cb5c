import type { Account, LoggedRequest, Page } from '#shared/payments/sandbox-ledger.ts';
import { CliError } from '../output/cli-error.ts';

const ANSWER_WITHIN_MS = 10_000;

/** The example provider's own books: what it charged and what it was asked, told by itself. */
export interface Sandbox {
  /** Settled captures and refunds of one order, `<userId>/<orderId>`. */
  account(reference: string): Promise<Account>;
  /** How often each order was charged whose reference begins with the prefix; orders nobody charged are not listed. */
  captureCounts(prefix: string): Promise<Map<string, number>>;
  /** Every call the provider got for one payment intent, oldest first. */
  requests(paymentIntentId: string): Promise<LoggedRequest[]>;
}

type Send = (request: Request) => Promise<Response>;

/** @param send signs, where the sandbox asks who is there */
export const sandbox = (url: string, send: Send = fetch): Sandbox => ({
  account: (reference) => read<Account>(send, `${url}/captures`, { reference }),
  async captureCounts(prefix) {
    const counts = await readPages<{ reference: string; captures: number }>(send, `${url}/captures/summary`, { prefix });
    return new Map(counts.map(({ reference, captures }) => [reference, captures]));
  },
  requests: (paymentIntentId) =>
    readPages<LoggedRequest>(send, `${url}/payment-intents/${encodeURIComponent(paymentIntentId)}/requests`, {}),
});

async function readPages<Item>(send: Send, url: string, query: Record<string, string>): Promise<Item[]> {
  const items: Item[] = [];
  let after: string | undefined;
  do {
    const page = await read<Page<Item>>(send, url, { ...query, ...(after === undefined ? {} : { after }) });
    items.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  return items;
}

async function read<Answer>(send: Send, url: string, query: Record<string, string>): Promise<Answer> {
  const response = await send(new Request(`${url}?${new URLSearchParams(query)}`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }));
  if (!response.ok)
    throw new CliError(
      `The payment sandbox answered ${response.status} to ${new URL(url).pathname}: ${(await response.text()).slice(0, 200)}`,
    );
  return (await response.json()) as Answer;
}

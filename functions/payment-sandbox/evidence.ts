import * as z from 'zod';
import type { Account, Page } from '#shared/payments/sandbox-ledger.ts';
import { type Answer, json } from './answer.ts';
import { reference } from './read-call.ts';
import { invalid } from './read-request.ts';
import type { SandboxWorld } from './world.ts';

const searchText = z.string().regex(/^[A-Za-z0-9_/-]{0,81}$/);
const requestPosition = z.string().regex(/^[A-Za-z0-9#-]{1,100}$/);

/** What the provider settled for one order: the check of exactly-once that does not ask the pipeline. */
export async function captures(query: URLSearchParams, { ledger }: SandboxWorld): Promise<Answer> {
  const wanted = reference.safeParse(query.get('reference'));
  if (!wanted.success) return invalid('Name an order: ?reference=<userId>/<orderId>.');
  const account = await ledger.findAccount(wanted.data);
  return json(200, account ?? { reference: wanted.data, captures: [], refunds: [] });
}

/** Counts per order, a thousand at a time; an order nobody charged has no line. */
export async function summary(query: URLSearchParams, { ledger }: SandboxWorld): Promise<Answer> {
  const prefix = searchText.safeParse(query.get('prefix') ?? '');
  const after = searchText.optional().safeParse(query.get('after') ?? undefined);
  if (!prefix.success || !after.success) return invalid('Use ?prefix=<start of userId/orderId> and, for the next page, &after=<next>.');
  return json(200, counts(await ledger.listAccounts(prefix.data, after.data)));
}

const counts = ({ items, next }: Page<Account>) => ({
  items: items.map(({ reference, captures, refunds }) => ({ reference, captures: captures.length, refunds: refunds.length })),
  ...(next === undefined ? {} : { next }),
});

/** Every call the provider got for one payment intent, refused and unanswered ones too. */
export async function requests(paymentIntentId: string, query: URLSearchParams, { ledger }: SandboxWorld): Promise<Answer> {
  const after = requestPosition.optional().safeParse(query.get('after') ?? undefined);
  if (!after.success) return invalid('Use &after=<next> of the page before.');
  return json(200, await ledger.listRequests(paymentIntentId, after.data));
}

import { orderItemKey } from '#shared/contract/item-keys.ts';
import type { Invariant } from '../invariant.ts';
import type { ApiExchange, ItemWritten } from '../observer.ts';
import { type Image, idOf, referenceOf } from './item-views.ts';
import { trackWishes } from './wishes-taken.ts';

/** What a customer wrote down with an order; nothing changes it afterwards. */
const WRITTEN_ONCE = ['userId', 'orderId', 'amountMinor', 'currency', 'note', 'createdAtMs'] as const;

interface Intent {
  /** What the first answer that took it named. */
  resource: string | undefined;
  body: string | undefined;
  taken: number;
}

/**
 * Judged by what clients were told and by what stands in the table, not by the stored hash. A 202 says that this very request took
 * it, so there is one for each key; a key whose first answer was lost may never see one.
 */
export const apiIdempotency: Invariant = {
  id: 'S9',
  promise:
    'same key and body mean one order, adjustment, export or wish, taken once and never for nothing; the same key with another body is refused and writes nothing',
  watch(simulation, violate) {
    const intents = new Map<string, Intent>();
    const created = new Map<string, Image>();
    const wishes = trackWishes();
    /** By who takes them in and whose they are. */
    const keysOf = new Map<string, Set<string>>();
    const takenOf = new Map<string, number>();
    let restored = false;
    return {
      itemWritten(written) {
        wishes.itemWritten(written);
        if (written.table !== 'State') return;
        const taken = takenBy(written);
        if (taken !== undefined) takenOf.set(taken, (takenOf.get(taken) ?? 0) + 1);
        judgeWrite(written, created, violate);
      },
      apiAnswered(exchange) {
        const { functionName, idempotencyKey, request } = exchange;
        if (idempotencyKey === undefined) return;
        keySet(keysOf, `${functionName} ${request['sku'] ?? request['userId']}`).add(idempotencyKey);
        const name = JSON.stringify([functionName, request['userId'], request['orderId'], request['sku'], idempotencyKey]);
        const intent = intents.get(name) ?? { resource: undefined, body: undefined, taken: 0 };
        intents.set(name, intent);
        if (exchange.answer.statusCode === 422) simulation.happened('one key, two bodies');
        const fault = faultOf(exchange, intent, restored, created) ?? wishes.judge(exchange);
        if (fault !== undefined) violate(`${functionName} under ${idempotencyKey}: ${fault}`);
      },
      disturbed(what) {
        restored ||= what === 'restore';
      },
      finished() {
        for (const [name, taken] of takenOf) {
          const keys = keysOf.get(name)?.size ?? 0;
          if (!restored && taken > keys) violate(`${name}: ${taken} were taken from ${keys} keys`);
        }
      },
    };
  },
};

/** Undefined for a write that takes nothing in. */
function takenBy({ old, next, by = '' }: ItemWritten): string | undefined {
  const [functionName = ''] = by.split('#');
  if (old !== undefined || next === undefined || !functionName.startsWith('accept-')) return undefined;
  const { payload = next } = JSON.parse(String(next['message'] ?? '{}')) as { readonly payload?: Image };
  return `${functionName} ${payload['sku'] ?? payload['userId']}`;
}

function judgeWrite({ id, old, next, by }: ItemWritten, created: Map<string, Image>, violate: (how: string) => void): void {
  const reference = referenceOf(id);
  if (reference === undefined || next === undefined) return;
  if (old === undefined) {
    created.set(id, next);
    return;
  }
  const changed = WRITTEN_ONCE.find((name) => next[name] !== old[name]);
  if (changed !== undefined) violate(`${by} changed ${changed} of ${reference}`);
  if (next['version'] === old['version']) return;
  const opened = Number(next['attempt']) - 1 + Number(next['refundAttempt'] ?? 0);
  const wishes = Object.keys(next).filter((name) => name.startsWith('req:')).length;
  if (opened > wishes) violate(`${reference} was asked for ${wishes} times and opened ${opened} attempts`);
}

/** What an answer says about its key, or undefined when it may say so. */
function faultOf({ request, answer }: ApiExchange, intent: Intent, restored: boolean, created: Map<string, Image>): string | undefined {
  const body = canonical(request['body']);
  const { statusCode } = answer;
  if (statusCode === 422) return intent.body === body && !restored ? 'refused the body it had taken' : undefined;
  if (statusCode !== 200 && statusCode !== 202) return undefined;
  const told = JSON.parse(answer.body) as Readonly<Record<string, string>>;
  const resource = told['orderId'] ?? told['exportId'] ?? told['adjustmentId'] ?? '';
  intent.taken += statusCode === 202 ? 1 : 0;
  const { resource: first = resource, body: firstBody = body } = intent;
  [intent.resource, intent.body] = [resource, body];
  if (first !== resource) return `was told ${first} and then ${resource}`;
  if (firstBody !== body && !restored) return 'took two bodies';
  if (intent.taken > 1 && !restored) return `was taken ${intent.taken} times`;
  const order = created.get(idOf(orderItemKey(String(told['userId']), resource)));
  return order === undefined || fits(order, request['body']) ? undefined : 'was told an order that another body made';
}

/** Whether an order is the one this body asks for; requests on an order have no body of their own. */
function fits(order: Image, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return true;
  const { amountMinor, currency, note } = body as Image;
  return order['amountMinor'] === amountMinor && order['currency'] === currency && order['note'] === note;
}

const canonical = (body: unknown): string =>
  JSON.stringify(Object.entries((body ?? {}) as object).sort(([left], [right]) => (left < right ? -1 : 1)));

function keySet(sets: Map<string, Set<string>>, name: string): Set<string> {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set);
  return set;
}

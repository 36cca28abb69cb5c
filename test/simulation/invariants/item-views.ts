import { type ItemKey, jobItemKey, ORDER_PREFIX, orderItemKey, USER_PREFIX } from '#shared/contract/item-keys.ts';
import type { OperationRecord } from '#shared/item/attributes.ts';
import { TABLES } from '../cloud/names.ts';
import { plainItem } from '../cloud/plain-item.ts';
import type { Simulation } from '../simulation.ts';

/** An item as a checker sees it. Read here by name, not by the product's own rules, so that a broken rule is not believed. */
export type Image = Readonly<Record<string, unknown>>;

const ORDER_ID = new RegExp(`^${USER_PREFIX}(.+)\\|${ORDER_PREFIX}(.+)$`);

/** `<userId>/<orderId>`, which is also the order's name at the provider; undefined for every other item. */
export function referenceOf(id: string): string | undefined {
  const [, userId, orderId] = ORDER_ID.exec(id) ?? [];
  return userId === undefined ? undefined : `${userId}/${orderId}`;
}

export const idOf = ({ pk, sk }: ItemKey): string => `${pk}|${sk}`;

export const recordOf = (image: Image | undefined, operation: string): OperationRecord | undefined =>
  image?.[`op:${operation}`] as OperationRecord | undefined;

/** Names of the operations with a record on the item. */
export const recordedOperations = (image: Image | undefined): string[] =>
  Object.keys(image ?? {}).flatMap((name) => (name.startsWith('op:') ? [name.slice(3)] : []));

export const numberOf = (image: Image | undefined, name: string): number => Number(image?.[name] ?? 0);

/** The item as it is now. */
export function imageOf({ dynamodb }: Pick<Simulation, 'dynamodb'>, { pk, sk }: ItemKey): Image | undefined {
  const item = dynamodb.item(TABLES.state, { pk: { S: pk }, sk: { S: sk } });
  return item && plainItem(item);
}

export const imageOfReference = (simulation: Pick<Simulation, 'dynamodb'>, reference: string): Image | undefined =>
  imageOf(simulation, orderItemKey(...split(reference, '/')));

/** A job by its key, which says everything about it. */
export interface JobName {
  readonly kind: string;
  readonly key: string;
  readonly item: ItemKey;
  readonly operation: string;
  /** The order it is about, for jobs of an order's own item. */
  readonly reference?: string;
  readonly attempt?: number;
}

const OWN_ITEM = { receipt: 'send-receipt', export: 'export-orders', adjust: 'adjust-stock' } as const;

/** Undefined for a key that is none of the pipeline's. */
export function jobOf(key: string): JobName | undefined {
  const [, name = '', subject = '', number] = /^(\w+):([^/:]+\/[^/:]+)(?::(\d+))?$/.exec(key) ?? [];
  const attempt = Number(number);
  if ((name === 'capture' || name === 'refund') && number !== undefined) {
    return {
      kind: `${name}-payment`,
      key,
      item: orderItemKey(...split(subject, '/')),
      operation: `${name}:${number}`,
      reference: subject,
      attempt,
    };
  }
  if (!isOwnItemName(name)) return undefined;
  const kind = OWN_ITEM[name];
  const group = name === 'adjust' ? split(subject, '/')[0] : undefined;
  return { kind, key, item: jobItemKey(kind, key, group), operation: 'run' };
}

const isOwnItemName = (name: string): name is keyof typeof OWN_ITEM => Object.hasOwn(OWN_ITEM, name);

/** The job an order waits for, by its status. */
export function awaitedJob(reference: string, image: Image): JobName | undefined {
  if (image['status'] === 'pending_payment') return jobOf(`capture:${reference}:${image['attempt']}`);
  return image['status'] === 'refund_pending' ? jobOf(`refund:${reference}:${image['refundAttempt']}`) : undefined;
}

/** The key a body names, of whatever queue. */
export const keyIn = (body: string): string | undefined => /"idempotencyKey":"([^"\\]+)"/.exec(body)?.[1];

/** The keys of an item's outbox; what no code of ours wrote has none. */
export const outboxKeys = (image: Image | undefined): string[] =>
  ((image?.['outbox'] ?? []) as readonly ({ readonly idempotencyKey?: string } | null)[]).flatMap((entry) => entry?.idempotencyKey ?? []);

/** Somebody who has access and none of our code (cloud/events/inject-poison.ts). */
const OUTSIDER = 'somebody';

/** Written by code of ours: neither by the service itself nor by an outsider. */
export const isOurs = (by: string | undefined): by is string => by !== undefined && by !== OUTSIDER;

/** A write that carries an outbox out: the stream's reader acts on it, and on no later one that still shows it. */
export const carriesOutbox = (old: Image | undefined, next: Image | undefined): next is Image =>
  next?.['outbox'] !== undefined && next['version'] !== old?.['version'];

function split(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + 1)];
}

import { ORDER_PREFIX, USER_PREFIX } from '#shared/contract/item-keys.ts';
import { orderCacheKey, orderSummaryCacheKey } from './cache-keys.ts';

/**
 * Which cache keys a stream record makes untrue. Only an order's business change does: `version` differs, the order is
 * new, or the application deleted it. What the item is decides, not who is named: a replicated table gives no identity
 * for an expiry, and only orders, which never expire, have cache keys.
 *
 * Does not protect against a change that leaves `version` as it was; every business write raises it.
 */
export type ChangedKeys = { readonly kind: 'keys'; readonly keys: readonly string[] } | { readonly kind: 'unreadable' };

interface StreamAttribute {
  readonly S?: string | undefined;
  readonly N?: string | undefined;
}
type StreamImage = Readonly<Record<string, StreamAttribute>>;

/** The part of a DynamoDB stream record that is looked at. */
export interface StreamRecord {
  readonly eventName?: string | undefined;
  readonly userIdentity?: { readonly type?: string; readonly principalId?: string } | null | undefined;
  readonly dynamodb?:
    | {
        readonly Keys?: StreamImage | undefined;
        readonly NewImage?: StreamImage | undefined;
        readonly OldImage?: StreamImage | undefined;
        readonly SequenceNumber?: string | undefined;
      }
    | undefined;
}

const NOTHING: ChangedKeys = { kind: 'keys', keys: [] };

export function changedKeys(record: StreamRecord): ChangedKeys {
  const pk = record.dynamodb?.Keys?.pk?.S;
  const sk = record.dynamodb?.Keys?.sk?.S;
  if (pk === undefined || sk === undefined) return { kind: 'unreadable' };
  if (!pk.startsWith(USER_PREFIX) || !sk.startsWith(ORDER_PREFIX)) return NOTHING;
  if (isExpiry(record) || !isBusinessChange(record)) return NOTHING;
  const userId = pk.slice(USER_PREFIX.length);
  const orderId = sk.slice(ORDER_PREFIX.length);
  return { kind: 'keys', keys: [orderCacheKey(userId, orderId), orderSummaryCacheKey(userId)] };
}

/** TTL removes items in the service's own name; nobody asked for a delete. */
const isExpiry = ({ eventName, userIdentity }: StreamRecord): boolean =>
  eventName === 'REMOVE' && userIdentity?.type === 'Service' && userIdentity.principalId === 'dynamodb.amazonaws.com';

/** Numbers are compared as the text they travel as, so none is too large to compare. No version to compare counts as changed. */
function isBusinessChange({ eventName, dynamodb }: StreamRecord): boolean {
  if (eventName !== 'MODIFY') return true;
  const before = dynamodb?.OldImage?.version?.N;
  const after = dynamodb?.NewImage?.version?.N;
  return before === undefined || after === undefined || before !== after;
}

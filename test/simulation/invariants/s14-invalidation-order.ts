import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import type { Invariant } from '../invariant.ts';
import { referenceOf } from './item-views.ts';

/** It gives back its own token when a load found nothing or failed; that invalidates nothing. */
const READER = 'read-order';

/**
 * What takes a key out of the cache must follow a commit. A process that does it for a change of its own before the change is
 * committed leaves the old value to be filled again.
 *
 * Does not protect against an invalidation that never comes; that is staleness (S15), and the cache at rest (L3).
 */
export const invalidationOrder: Invariant = {
  id: 'S14',
  promise: 'a cache key is invalidated after the commit that made it untrue, never before and never without one',
  watch(_, violate) {
    const committed = new Set<string>();
    /** Keys each process has taken out since its invocation began. */
    const invalidated = new Map<string, Set<string>>();
    const early = new Map<string, Set<string>>();
    return {
      itemWritten({ table, id, old, next, by }) {
        if (by === undefined) return;
        if (table === 'Cache') {
          if (next !== undefined || by.startsWith(READER)) return;
          if (!committed.has(id)) violate(`${by} invalidates ${id}, which no commit has made untrue`);
          keysOf(invalidated, by).add(id);
          early.get(by)?.delete(id);
        } else if (table === 'State' && next?.['version'] !== old?.['version']) {
          for (const key of cacheKeysOf(id)) {
            committed.add(key);
            if (invalidated.get(by)?.has(key)) keysOf(early, by).add(key);
          }
        }
      },
      invocationEnded(_functionName, { name }) {
        for (const key of early.get(name) ?? []) violate(`${name} invalidated ${key} and committed afterwards`);
        early.delete(name);
        invalidated.delete(name);
      },
    };
  },
};

/** The keys that show this item. */
function cacheKeysOf(id: string): string[] {
  const [userId, orderId] = referenceOf(id)?.split('/') ?? [];
  return userId === undefined || orderId === undefined ? [] : [orderCacheKey(userId, orderId), orderSummaryCacheKey(userId)];
}

function keysOf(sets: Map<string, Set<string>>, name: string): Set<string> {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set);
  return set;
}

import { orderCacheKey, orderSummaryCacheKey } from '#shared/cache/cache-keys.ts';
import type { ApiExchange } from '../observer.ts';

/** What a client was told by read-order. */
export interface ReadAnswer {
  /** The cache key that holds such an answer. */
  readonly key: string;
  /** 0: there is nothing. */
  readonly version: number;
  readonly value: unknown;
  /** Taken from the cache, not from the table. */
  readonly cached: boolean;
}

const ORDER_PATH = /\/users\/([^/]+)\/orders\/([^/]+)$/;
const SUMMARY_PATH = /\/users\/([^/]+)\/order-summary$/;

/** Undefined for other functions and for failures, which tell nothing about an order. */
export function readAnswerOf({ functionName, request, answer: { statusCode, body, headers = {} } }: ApiExchange): ReadAnswer | undefined {
  if (functionName !== 'read-order') return undefined;
  const key = keyOf(String(request['rawPath']));
  if (key === undefined) return undefined;
  if (statusCode === 404) return { key, version: 0, value: undefined, cached: false };
  if (statusCode !== 200) return undefined;
  const cached = String(headers['cache-status']).includes('hit');
  return { key, version: Number(headers['x-order-version']), value: JSON.parse(body), cached };
}

function keyOf(path: string): string | undefined {
  const [, userId, orderId] = ORDER_PATH.exec(path) ?? [];
  if (userId !== undefined && orderId !== undefined) return orderCacheKey(userId, orderId);
  const [, summarized] = SUMMARY_PATH.exec(path) ?? [];
  return summarized === undefined ? undefined : orderSummaryCacheKey(summarized);
}

import type { OrderView } from '#shared/domain/order.ts';

export interface NewOrder {
  readonly userId: string;
  readonly idempotencyKey: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly note?: string | undefined;
}

export interface OrderAnswer {
  readonly status: number;
  /** The order, or a problem document. */
  readonly body: OrderView & ProblemDocument;
  /** Hit or miss, and whether the cache was filled (RFC 9211). */
  readonly cacheStatus: string | undefined;
}

export interface ProblemDocument {
  readonly title?: string;
  readonly detail?: string;
}

const ANSWER_WITHIN_MS = 15_000;

/** The public API of a deployment, as any client would use it. */
export interface OrderApi {
  create(order: NewOrder): Promise<OrderAnswer>;
  get(userId: string, orderId: string): Promise<OrderAnswer>;
}

/** Adds what the API wants to see of the caller. Returns the headers to send. */
export type Sign = (request: {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string;
}) => Promise<Record<string, string>>;

/** @param sign left out where the API is open */
export function orderApi(url: string, sign?: Sign): OrderApi {
  const ordersOf = (userId: string): string => `${url}/users/${encodeURIComponent(userId)}/orders`;
  return {
    create({ userId, idempotencyKey, ...body }) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey };
      return send({ method: 'POST', url: new URL(ordersOf(userId)), headers, body: JSON.stringify(body) }, sign);
    },
    get: (userId, orderId) =>
      send({ method: 'GET', url: new URL(`${ordersOf(userId)}/${encodeURIComponent(orderId)}`), headers: {} }, sign),
  };
}

async function send(request: Parameters<Sign>[0], sign: Sign = async ({ headers }) => headers): Promise<OrderAnswer> {
  const { method, url, body } = request;
  const headers = await sign(request);
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const text = await response.text();
  return { status: response.status, body: parse(text), cacheStatus: response.headers.get('cache-status') ?? undefined };
}

function parse(text: string): OrderAnswer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return { title: 'not JSON', detail: text.slice(0, 200) } as OrderAnswer['body'];
  }
}

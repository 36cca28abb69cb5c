import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import type { OrderView } from '#shared/domain/order.ts';
import type { OrderSummary } from '#shared/domain/order-summary.ts';
import { output } from './deployment.ts';
import { waitUntil } from './wait-until.ts';

export interface ApiAnswer<Body> {
  readonly status: number;
  readonly cacheStatus: string | null;
  readonly version: string | null;
  /** The problem document where the status says so. */
  readonly body: Body;
}

export interface OrderRequest {
  readonly userId: string;
  readonly idempotencyKey: string;
  readonly amountMinor: number;
  readonly currency?: string;
}

const ANSWER_WITHIN_MS = 20_000;

/** POST /users/{userId}/orders */
export const postOrder = ({ userId, idempotencyKey, amountMinor, currency = 'EUR' }: OrderRequest): Promise<ApiAnswer<OrderView>> =>
  call(`/users/${userId}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ amountMinor, currency }),
  });

/** Repeats the same request until it is accepted, as a client does whose connection broke. */
export const placeOrder = (request: OrderRequest): Promise<OrderView> =>
  waitUntil({ what: `an answer to the order ${request.idempotencyKey} of ${request.userId}` }, async (note) => {
    try {
      const { status, body } = await postOrder(request);
      note({ status, body });
      return status === 202 || status === 200 ? body : undefined;
    } catch (error) {
      note(String(error));
      return undefined;
    }
  });

export const getOrder = (userId: string, orderId: string): Promise<ApiAnswer<OrderView>> => call(`/users/${userId}/orders/${orderId}`);
export const getSummary = (userId: string): Promise<ApiAnswer<OrderSummary>> => call(`/users/${userId}/order-summary`);

async function call<Body>(path: string, init: RequestInit = {}): Promise<ApiAnswer<Body>> {
  const response = await fetch(`${output(STACK_OUTPUTS.orderApiUrl)}${path}`, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  const text = await response.text();
  const { status, headers } = response;
  return { status, cacheStatus: headers.get('cache-status'), version: headers.get('x-order-version'), body: JSON.parse(text) as Body };
}

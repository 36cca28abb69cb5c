import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { problem } from '#shared/contract/problem.ts';
import type { HttpRequest } from '#shared/http/read-parts.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { type Accepted, acceptOrder } from './accept-order.ts';
import { readRequest } from './read-request.ts';

export interface AcceptOrderWorld {
  readonly store: ItemStore;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
  logAccepted(accepted: Accepted, requestId: string, trace: string): void;
  logFailure(error: unknown, requestId: string): void;
}

/** POST /users/{userId}/orders: one conditional write, 202. */
export const createHandler =
  (world: AcceptOrderWorld) =>
  async (event: HttpRequest): Promise<APIGatewayProxyStructuredResultV2> => {
    const request = readRequest(event);
    if ('statusCode' in request) return request;
    try {
      const accepted = await acceptOrder(request, world);
      world.logAccepted(accepted, event.requestContext.requestId, request.trace);
      return respond(accepted);
    } catch (error) {
      world.logFailure(error, event.requestContext.requestId);
      return problem(
        503,
        'order-not-confirmed',
        'The order may or may not have been stored. Send the same request with the same Idempotency-Key again.',
        { headers: { 'retry-after': '2' } },
      );
    }
  };

function respond(accepted: Accepted): APIGatewayProxyStructuredResultV2 {
  if (accepted.kind === 'key-reused')
    return problem(
      422,
      'idempotency-key-reused',
      'This Idempotency-Key belongs to an order with another body. Send a new order with a key of its own.',
    );
  const { order, kind } = accepted;
  const location = `/users/${order.userId}/orders/${order.orderId}`;
  return {
    statusCode: kind === 'new' ? 202 : 200,
    headers: { 'content-type': 'application/json', location, etag: `"${order.version}"` },
    body: JSON.stringify(order),
  };
}

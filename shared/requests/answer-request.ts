import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import * as z from 'zod';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { problem } from '#shared/contract/problem.ts';
import { type HttpRequest, readFields, readIdempotencyKey, readJsonBody, readOrderId, readUserId } from '#shared/http/read-parts.ts';
import { traceOf } from '#shared/http/trace.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { type RequestAnswer, requestOnOrder, type Wish } from './request-on-order.ts';

export interface RequestWorld {
  readonly store: ItemStore;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
  log(answer: string, orderId: string, requestId: string, trace: string): void;
  logFailure(error: unknown, requestId: string): void;
}

export interface RequestWords {
  /** What is asked for, as in "send … again". */
  readonly what: string;
  readonly wish: (nowMs: number, trace?: string) => Wish;
  /** What the order must be for it. */
  readonly requires: string;
}

const BUSY_RETRY_SECONDS = '5';
const NO_FIELDS = z.strictObject({});

/** Handles `POST /users/{userId}/orders/{orderId}/…`: read the parts, ask the order, say what became of it. */
export const createRequestHandler =
  ({ what, wish, requires }: RequestWords, world: RequestWorld) =>
  async (event: HttpRequest): Promise<APIGatewayProxyStructuredResultV2> => {
    const userId = readUserId(event);
    if (!userId.ok) return userId.problem;
    const orderId = readOrderId(event);
    if (!orderId.ok) return orderId.problem;
    const key = readIdempotencyKey(event, what);
    if (!key.ok) return key.problem;
    const json = readJsonBody(event, {});
    if (!json.ok) return json.problem;
    const body = readFields(NO_FIELDS, json.value, { code: 'invalid-request', known: 'The body has no fields.' });
    if (!body.ok) return body.problem;
    const { requestId } = event.requestContext;
    try {
      const answer = await requestOnOrder(
        orderItemKey(userId.value, orderId.value),
        key.value,
        wish(world.clock.nowMs(), traceOf(event)),
        world,
      );
      world.log(answer.kind, orderId.value, requestId, traceOf(event));
      return respond(answer, requires);
    } catch (error) {
      world.logFailure(error, requestId);
      const detail = 'The request may or may not have been taken. Send it with the same Idempotency-Key again.';
      return problem(503, 'request-not-confirmed', detail, { headers: { 'retry-after': '2' } });
    }
  };

function respond(answer: RequestAnswer, requires: string): APIGatewayProxyStructuredResultV2 {
  switch (answer.kind) {
    case 'new':
    case 'repeated': {
      const { order } = answer;
      const location = `/users/${order.userId}/orders/${order.orderId}`;
      return {
        statusCode: answer.kind === 'new' ? 202 : 200,
        headers: { 'content-type': 'application/json', location, etag: `"${order.version}"` },
        body: JSON.stringify(order),
      };
    }
    case 'not-found':
      return problem(404, 'order-not-found', 'There is no such order.');
    case 'busy':
      return problem(
        409,
        'order-busy',
        'A job is working on this order or its charge is not settled yet. Send the same request again later.',
        { headers: { 'retry-after': BUSY_RETRY_SECONDS } },
      );
    case 'wrong-status':
      return problem(409, 'order-not-ready', `The order is ${answer.status}; ${requires}.`);
    case 'too-many-requests':
      return problem(409, 'too-many-requests-on-order', 'This order has had as many payment attempts and refunds as one order may have.');
  }
}

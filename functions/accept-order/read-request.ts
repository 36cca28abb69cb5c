import type { ProblemResponse } from '#shared/contract/problem.ts';
import { type CreateOrder, createOrderSchema } from '#shared/domain/create-order.ts';
import { type HttpRequest, readFields, readIdempotencyKey, readJsonBody, readUserId } from '#shared/http/read-parts.ts';
import { traceOf } from '#shared/http/trace.ts';

export interface OrderRequest {
  readonly userId: string;
  readonly idempotencyKey: string;
  readonly body: CreateOrder;
  readonly trace: string;
}

const ABOUT_BODY = { code: 'invalid-order', known: 'Known are amountMinor, currency, note and retryDeclined.' };

/** The request as the domain needs it, or the 400 that says what to change. */
export function readRequest(event: HttpRequest): OrderRequest | ProblemResponse {
  const userId = readUserId(event);
  if (!userId.ok) return userId.problem;
  const key = readIdempotencyKey(event, 'order');
  if (!key.ok) return key.problem;
  const json = readJsonBody(event);
  if (!json.ok) return json.problem;
  const body = readFields(createOrderSchema, json.value, ABOUT_BODY);
  if (!body.ok) return body.problem;
  return { userId: userId.value, idempotencyKey: key.value, body: body.value, trace: traceOf(event) };
}

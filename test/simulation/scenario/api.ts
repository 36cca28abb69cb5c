import type { InvocationEnd } from '../cloud/lambda.ts';
import type { ApiExchange } from '../observer.ts';
import type { Simulation } from '../simulation.ts';

/** One request as a client sends it, again and again with the same key until it knows. */
export interface ApiRequest {
  readonly functionName: string;
  readonly idempotencyKey?: string;
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly rawPath?: string;
  readonly body?: unknown;
}

type Answer = ApiExchange['answer'];

/** API Gateway's answer when the function gave none. */
const NO_ANSWER: Answer = { statusCode: 503, body: '{"message":"Service Unavailable"}' };

/** @param answered gets what the client gets; a function that died is a 503 */
export function callApi(simulation: Simulation, request: ApiRequest, answered: (answer: Answer) => void): void {
  const { functionName, idempotencyKey, pathParameters = {}, rawPath = '', body } = request;
  const { world, lambda, signals } = simulation;
  const startedAtMs = world.nowMs;
  const event = {
    headers: { 'content-type': 'application/json', ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }) },
    pathParameters,
    rawPath,
    body: body === undefined ? undefined : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: `request-${world.events}` },
  };
  lambda.invoke(functionName, event, (end) => {
    const answer = answerOf(end);
    const seen = { functionName, idempotencyKey, request: { ...pathParameters, rawPath, body }, answer, startedAtMs, atMs: world.nowMs };
    signals.apiAnswered(seen);
    world.log(`${functionName} answers ${answer.statusCode}`);
    answered(answer);
  });
}

const answerOf = (end: InvocationEnd): Answer => (end.how === 'returned' ? (end.value as Answer) : NO_ANSWER);

/** Sends it again while the answer says that nobody knows, or that the order is busy. */
export function keepAsking(simulation: Simulation, request: ApiRequest, options: KeepAsking = {}): void {
  const { untilMs = Number.POSITIVE_INFINITY, pauseMs = 5_000, whenAnswered = () => undefined } = options;
  const { world } = simulation;
  let refusals = 0;
  const ask = (): void =>
    callApi(simulation, request, (answer) => {
      const again = answer.statusCode >= 500 || (answer.statusCode === 409 && options.patient !== false && ++refusals < MAX_REFUSALS);
      if (!again) return whenAnswered(answer);
      if (world.nowMs < untilMs) world.after(world.chance.between(pauseMs / 2, pauseMs), ask);
    });
  ask();
}

/** A customer told "not now" so often gives up. */
const MAX_REFUSALS = 4;

export interface KeepAsking {
  readonly untilMs?: number;
  readonly pauseMs?: number;
  /** Takes a 409 for a "not yet"; the default. */
  readonly patient?: boolean;
  readonly whenAnswered?: (answer: Answer) => void;
}

export const createOrder = (userId: string, idempotencyKey: string, body: Readonly<Record<string, unknown>>): ApiRequest => ({
  functionName: 'accept-order',
  idempotencyKey,
  pathParameters: { userId },
  body,
});

export const askFor = (
  what: 'accept-refund' | 'accept-payment-attempt',
  userId: string,
  orderId: string,
  idempotencyKey: string,
): ApiRequest => ({
  functionName: what,
  idempotencyKey,
  pathParameters: { userId, orderId },
});

export const readOrder = (userId: string, orderId: string): ApiRequest => ({
  functionName: 'read-order',
  rawPath: `/users/${userId}/orders/${orderId}`,
});
export const readSummary = (userId: string): ApiRequest => ({ functionName: 'read-order', rawPath: `/users/${userId}/order-summary` });

export const adjustStock = (sku: string, idempotencyKey: string, delta: number): ApiRequest => ({
  functionName: 'accept-stock-adjustment',
  idempotencyKey,
  pathParameters: { sku },
  body: { delta },
});

export const exportOrders = (userId: string, idempotencyKey: string): ApiRequest => ({
  functionName: 'accept-export',
  idempotencyKey,
  pathParameters: { userId },
});

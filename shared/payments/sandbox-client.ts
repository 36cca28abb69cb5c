import type * as z from 'zod';
import { classifyEnding } from './classify-response.ts';
import { type PaymentPort, type ProviderCall, ProviderError } from './payment-port.ts';
import { captureAnswer, findAnswer, refundAnswer } from './sandbox-answers.ts';
import { withTimeLimit } from './time-limit.ts';

interface Endpoint {
  readonly baseUrl: string;
  /** Sends one request, exactly once. */
  readonly fetch: (request: Request) => Promise<Response>;
}

interface Operation<Answer> {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: z.ZodType<Answer>;
  /** The same key always goes with the same bytes: both are made from the request alone, fields in one order. */
  readonly key?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * The payment port over the sandbox provider's HTTP interface. One request a call and no retries of its own: the job decides.
 *
 * @param endpoint.baseUrl where the provider answers, with or without a closing slash
 * @throws ProviderError from every method when there is no usable answer; it carries codes, never bodies
 */
export function createSandboxClient(endpoint: Endpoint): PaymentPort {
  const send = <Answer>(operation: Operation<Answer>, call: ProviderCall) => exchange(endpoint, operation, call);
  return {
    capture: ({ idempotencyKey: key, paymentIntentId, reference, amountMinor, currency }, call) =>
      send(
        {
          method: 'POST',
          path: intent(paymentIntentId, '/capture'),
          answer: captureAnswer,
          key,
          body: { reference, amountMinor, currency },
        },
        call,
      ),
    find: ({ paymentIntentId }, call) => send({ method: 'GET', path: intent(paymentIntentId), answer: findAnswer }, call),
    void: ({ paymentIntentId, idempotencyKey: key }, call) =>
      send({ method: 'POST', path: intent(paymentIntentId, '/void'), answer: findAnswer, key, body: {} }, call),
    refund: ({ idempotencyKey: key, paymentIntentId, amountMinor, currency }, call) =>
      send({ method: 'POST', path: intent(paymentIntentId, '/refund'), answer: refundAnswer, key, body: { amountMinor, currency } }, call),
  };
}

const intent = (paymentIntentId: string, rest = ''): string => `/payment-intents/${encodeURIComponent(paymentIntentId)}${rest}`;

async function exchange<Answer>({ baseUrl, fetch }: Endpoint, operation: Operation<Answer>, call: ProviderCall): Promise<Answer> {
  if (call.signal?.aborted) throw new ProviderError('call-abandoned', { sent: 'no' });
  const { response, text } = await withTimeLimit(call.timeoutMs, async (limit) => {
    const signal = call.signal === undefined ? limit : AbortSignal.any([call.signal, limit]);
    return deliver(fetch, requestOf(baseUrl, operation, signal));
  });
  const { status, headers } = response;
  const failed = classifyEnding({
    status,
    problemCode: problemCodeOf(text),
    retryAfter: headers.get('retry-after'),
    date: headers.get('date'),
  });
  if (failed !== undefined) throw failed;
  const answer = operation.answer.safeParse(parseJson(text));
  if (!answer.success) throw new ProviderError('provider-answer-unreadable', { sent: 'maybe' });
  return answer.data;
}

/** A request that cannot even be written is wrong for good, and went nowhere. */
function requestOf(baseUrl: string, { method, path, key, body }: Operation<unknown>, signal: AbortSignal): Request {
  try {
    const headers = {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const url = `${baseUrl.replace(/\/+$/, '')}${path}`;
    return new Request(url, { method, headers, signal, redirect: 'manual', ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  } catch (error) {
    throw new ProviderError('request-malformed', { sent: 'no', permanent: true, cause: error });
  }
}

/** The body counts: an answer that stops in the middle is no answer. */
async function deliver(fetch: Endpoint['fetch'], request: Request): Promise<{ response: Response; text: string }> {
  try {
    const response = await fetch(request);
    return { response, text: await response.text() };
  } catch (failure) {
    throw classifyEnding({ failure }) ?? failure;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemCodeOf(text: string): string | undefined {
  const document = parseJson(text);
  if (typeof document !== 'object' || document === null || !('code' in document)) return undefined;
  return typeof document.code === 'string' ? document.code : undefined;
}

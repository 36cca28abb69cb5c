import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Clock } from '#shared/runtime/clock.ts';
import { createHandler } from '../../../functions/payment-sandbox/handler.ts';
import { createMemoryLedger } from '../../simulation/provider/memory-ledger.ts';

export interface Provider {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Calls so far, by operation. */
  readonly calls: Record<string, number>;
}

const SLOW_ANSWER_MS = 40_000;

/** The real sandbox over a memory of its own, so far away that an answer takes a while. */
export function createProvider(clock: Clock, answerMs: number): Provider {
  let tokens = 0;
  const calls: Record<string, number> = {};
  const handle = createHandler({
    ledger: createMemoryLedger(() => undefined),
    clock,
    random: { token: () => `t${++tokens}` },
    slowAnswerMs: SLOW_ANSWER_MS,
    log: () => undefined,
  });
  return {
    calls,
    async fetch(request) {
      const operation = /\/payment-intents\/[^/]+\/(\w+)$/.exec(new URL(request.url).pathname)?.[1] ?? 'find';
      calls[operation] = (calls[operation] ?? 0) + 1;
      if (answerMs > 0) await clock.sleep(answerMs);
      const answer = (await handle(await eventOf(request))) as APIGatewayProxyStructuredResultV2;
      return new Response(answer.body ?? '', { status: answer.statusCode ?? 200, headers: answer.headers as Record<string, string> });
    },
  };
}

async function eventOf(request: Request): Promise<APIGatewayProxyEventV2> {
  const { url, method } = request;
  const key = request.headers.get('idempotency-key');
  return {
    rawPath: new URL(url).pathname,
    rawQueryString: '',
    headers: key === null ? {} : { 'idempotency-key': key },
    requestContext: { http: { method } },
    body: method === 'POST' ? await request.text() : undefined,
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
}

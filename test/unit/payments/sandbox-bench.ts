import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { createSandboxTable } from '#shared/aws/sandbox-table.ts';
import { createHandler } from '../../../functions/payment-sandbox/handler.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';

const TABLE = 'Sandbox';
export const SLOW_ANSWER_MS = 15_000;

export interface Sent {
  readonly key?: string;
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly rawBody?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly isBase64Encoded?: boolean;
}

/** The service on its real table adapter over an in-memory DynamoDB, on a clock that moves only by waiting. */
export function openSandbox({ pageSize = 1_000 } = {}) {
  let nowMs = Date.UTC(2026, 10, 30);
  let tokens = 0;
  let held: Promise<void> | undefined;
  const aws = createFakeAws({ now: () => nowMs });
  aws.dynamodb.createTable({
    TableName: TABLE,
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
  });
  const ledger = createSandboxTable({ client: new DynamoDBClient(aws.clientConfig), tableName: TABLE, pageSize });
  const waits: number[] = [];
  const lines: Readonly<Record<string, unknown>>[] = [];
  const clock = {
    nowMs: () => nowMs,
    async sleep(durationMs: number) {
      waits.push(durationMs);
      nowMs += durationMs;
      await held;
    },
  };
  const random = { token: () => `t${++tokens}` };
  const handle = createHandler({ ledger, clock, random, slowAnswerMs: SLOW_ANSWER_MS, log: (line) => void lines.push(line) });

  const send = async (method: string, path: string, sent: Sent = {}) => {
    const result = await handle(eventOf(method, path, sent));
    return { status: result.statusCode, headers: result.headers ?? {}, text: result.body ?? '', json: parsed(result.body ?? '') };
  };
  return {
    aws,
    ledger,
    waits,
    lines,
    send,
    handle,
    pass(durationMs: number) {
      nowMs += durationMs;
    },
    /** Waiting lasts until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return () => {
        held = undefined;
        resolve();
      };
    },
    capture: (intent: string, key: string, amountMinor: number, reference = 'u-1/ord-1') =>
      send('POST', `/payment-intents/${intent}/capture`, { key, body: { reference, amountMinor, currency: 'EUR' } }),
    find: (intent: string) => send('GET', `/payment-intents/${intent}`),
    captures: async (reference = 'u-1/ord-1') => (await send('GET', '/captures', { query: { reference } })).json.captures as unknown[],
  };
}

export function eventOf(
  method: string,
  path: string,
  { key, body, rawBody, query, isBase64Encoded = false }: Sent,
): APIGatewayProxyEventV2 {
  const event = {
    rawPath: path,
    rawQueryString: new URLSearchParams(query).toString(),
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
    requestContext: { http: { method, path } },
    body: rawBody ?? (body === undefined ? undefined : JSON.stringify(body)),
    isBase64Encoded,
  };
  return event as unknown as APIGatewayProxyEventV2;
}

// biome-ignore lint/suspicious/noExplicitAny: assertions look into answers of every kind
function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

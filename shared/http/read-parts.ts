import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import { idempotencyKey, orderId, sku, userId } from '#shared/contract/identifiers.ts';
import { MAX_REQUEST_BYTES } from '#shared/contract/limits.ts';
import { type ProblemResponse, problem } from '#shared/contract/problem.ts';
import { parseStrictJson } from '#shared/contract/strict-json.ts';

/** What the handlers read of an HTTP API request (payload format 2.0). */
export type HttpRequest = Pick<APIGatewayProxyEventV2, 'pathParameters' | 'headers' | 'body' | 'isBase64Encoded'> & {
  requestContext: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId'>;
};

/** A part of the request, or the 400 that says what to change. */
export type Part<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: ProblemResponse };

const good = <Value>(value: Value): Part<Value> => ({ ok: true, value });
const bad = (code: string, detail: string): { ok: false; problem: ProblemResponse } => ({ ok: false, problem: problem(400, code, detail) });

export function readUserId(request: HttpRequest): Part<string> {
  const checked = userId.safeParse(request.pathParameters?.userId);
  return checked.success ? good(checked.data) : bad('invalid-user-id', `The user id ${because(checked.error)}.`);
}

export function readOrderId(request: HttpRequest): Part<string> {
  const checked = orderId.safeParse(request.pathParameters?.orderId);
  return checked.success ? good(checked.data) : bad('invalid-order-id', `The order id ${because(checked.error)}.`);
}

export function readSku(request: HttpRequest): Part<string> {
  const checked = sku.safeParse(request.pathParameters?.sku);
  return checked.success ? good(checked.data) : bad('invalid-sku', `The SKU ${because(checked.error)}.`);
}

/** @param whatFor what the key is unique to, for the sentence that asks for one */
export function readIdempotencyKey({ headers }: HttpRequest, whatFor: string): Part<string> {
  const key = Object.entries(headers ?? {}).find(([header]) => header.toLowerCase() === 'idempotency-key')?.[1];
  if (key === undefined)
    return bad('idempotency-key-missing', `Send an Idempotency-Key header that is unique to this ${whatFor}, for example a UUID.`);
  const checked = idempotencyKey.safeParse(key);
  return checked.success ? good(checked.data) : bad('invalid-idempotency-key', `The Idempotency-Key ${because(checked.error)}.`);
}

const WHY_NOT_JSON = {
  'too-large': `The body is larger than ${MAX_REQUEST_BYTES} bytes.`,
  'not-json': 'The body is not valid JSON.',
  'too-deep': 'The body is nested too deeply.',
  'forbidden-name': 'The body uses a field name that is not allowed.',
} as const;

/** @param whenEmpty what an absent body stands for; left out, an absent body is no JSON */
export function readJsonBody({ body, isBase64Encoded }: HttpRequest, whenEmpty?: unknown): Part<unknown> {
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString('utf8') : (body ?? '');
  if (text === '' && whenEmpty !== undefined) return good(whenEmpty);
  const json = parseStrictJson(text, MAX_REQUEST_BYTES);
  return json.ok ? good(json.value) : bad(`body-${json.reason}`, WHY_NOT_JSON[json.reason]);
}

/**
 * @param code the problem's name, e.g. `invalid-order`
 * @param known the fields there are, for the sentence about an unknown one
 */
export function readFields<Value>(schema: z.ZodType<Value>, value: unknown, { code, known }: { code: string; known: string }): Part<Value> {
  const checked = schema.safeParse(value);
  return checked.success ? good(checked.data) : bad(code, checked.error.issues.map((issue) => describe(issue, known)).join(' '));
}

const because = (error: z.ZodError): string => error.issues[0]?.message.replace(/^Invalid input: /, 'is invalid: ') ?? 'is invalid';

function describe(issue: z.core.$ZodIssue, known: string): string {
  if (issue.code === 'unrecognized_keys') return `${unknownFields(issue.keys)}. ${known}`;
  return `${issue.path.join('.') || 'The body'}: ${issue.message}.`;
}

const SHOWN_NAMES = 5;

/** A misspelt name helps whoever reads it; anything that does not look like a name may be data in the wrong place and is only counted. */
function unknownFields(keys: readonly string[]): string {
  const names = keys.filter((name) => /^[A-Za-z_]{1,30}[0-9]{0,2}$/.test(name)).slice(0, SHOWN_NAMES);
  const others = keys.length - names.length;
  return `Unknown field: ${[...names, ...(others > 0 ? [`${others} not shown`] : [])].join(', ')}`;
}

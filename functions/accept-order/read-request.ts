import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type * as z from 'zod';
import { idempotencyKey, userId } from '#shared/contract/identifiers.ts';
import { MAX_REQUEST_BYTES } from '#shared/contract/limits.ts';
import { type ProblemResponse, problem } from '#shared/contract/problem.ts';
import { parseStrictJson } from '#shared/contract/strict-json.ts';
import { type CreateOrder, createOrderSchema } from '#shared/domain/create-order.ts';

export interface OrderRequest {
  readonly userId: string;
  readonly idempotencyKey: string;
  readonly body: CreateOrder;
  readonly trace: string;
}

type Request = Pick<APIGatewayProxyEventV2, 'pathParameters' | 'headers' | 'body' | 'isBase64Encoded'> & { requestContext: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId'> };

const WHY_NOT_JSON = {
  'too-large': `The body is larger than ${MAX_REQUEST_BYTES} bytes.`,
  'not-json': 'The body is not valid JSON.',
  'too-deep': 'The body is nested too deeply.',
  'forbidden-name': 'The body uses a field name that is not allowed.',
} as const;

/** The request as the domain needs it, or the 400 that says what to change. */
export function readRequest(event: Request): OrderRequest | ProblemResponse {
  const user = userId.safeParse(event.pathParameters?.userId);
  if (!user.success) return problem(400, 'invalid-user-id', `The user id ${because(user.error)}.`);
  const key = headerOf(event, 'idempotency-key');
  if (key === undefined) return problem(400, 'idempotency-key-missing', 'Send an Idempotency-Key header that is unique to this order, for example a UUID.');
  const checkedKey = idempotencyKey.safeParse(key);
  if (!checkedKey.success) return problem(400, 'invalid-idempotency-key', `The Idempotency-Key ${because(checkedKey.error)}.`);
  const text = event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64').toString('utf8') : (event.body ?? '');
  const json = parseStrictJson(text, MAX_REQUEST_BYTES);
  if (!json.ok) return problem(400, `body-${json.reason}`, WHY_NOT_JSON[json.reason]);
  const body = createOrderSchema.safeParse(json.value);
  if (!body.success) return problem(400, 'invalid-order', body.error.issues.map(describe).join(' '));
  return { userId: user.data, idempotencyKey: checkedKey.data, body: body.data, trace: event.requestContext.requestId };
}

const headerOf = ({ headers }: Request, name: string): string | undefined => Object.entries(headers ?? {}).find(([header]) => header.toLowerCase() === name)?.[1];

const because = (error: z.ZodError): string => error.issues[0]?.message.replace(/^Invalid input: /, 'is invalid: ') ?? 'is invalid';

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${unknownFields(issue.keys)}. Known are amountMinor, currency and note.`;
  return `${issue.path.join('.') || 'The body'}: ${issue.message}.`;
}

const SHOWN_NAMES = 5;

/** A misspelt name helps whoever reads it; anything that does not look like a name may be data in the wrong place and is only counted. */
function unknownFields(keys: readonly string[]): string {
  const names = keys.filter((name) => /^[A-Za-z_]{1,30}[0-9]{0,2}$/.test(name)).slice(0, SHOWN_NAMES);
  const others = keys.length - names.length;
  return `Unknown field: ${[...names, ...(others > 0 ? [`${others} not shown`] : [])].join(', ')}`;
}

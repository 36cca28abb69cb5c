import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { MAX_REQUEST_BYTES } from '#shared/contract/limits.ts';
import { type Answer, problem } from './answer.ts';

/** The part of the gateway's event this service looks at. */
export interface SandboxRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly idempotencyKey: string | undefined;
  readonly body: string;
}

export function readRequest(event: APIGatewayProxyEventV2): SandboxRequest {
  const body = event.body ?? '';
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    query: new URLSearchParams(event.rawQueryString ?? ''),
    idempotencyKey: header(event, 'idempotency-key'),
    body: event.isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body,
  };
}

function header(event: APIGatewayProxyEventV2, name: string): string | undefined {
  const found = Object.entries(event.headers ?? {}).find(([candidate]) => candidate.toLowerCase() === name);
  return found?.[1];
}

/** @returns the parsed body, or what is wrong with it */
export function readJson(body: string): { value: unknown } | { refusal: Answer } {
  if (Buffer.byteLength(body) > MAX_REQUEST_BYTES) return { refusal: invalid(`The body is larger than ${MAX_REQUEST_BYTES} bytes.`) };
  try {
    return { value: JSON.parse(body) };
  } catch {
    return { refusal: invalid('The body is not JSON.') };
  }
}

export const invalid = (detail: string): Answer => problem(400, 'request-invalid', detail);

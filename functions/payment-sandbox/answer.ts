/** An HTTP answer before it becomes the gateway's. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Codes a client may tell apart; the rest of a problem document is for people. */
export type ProblemCode =
  | 'request-invalid'
  | 'endpoint-unknown'
  | 'idempotency-key-missing'
  | 'idempotency-key-reused'
  | 'idempotency-key-in-use'
  | 'rate-limited'
  | 'unavailable'
  | 'gateway-timeout'
  | 'internal-error';

export const json = (status: number, value: unknown): Answer => stored(status, JSON.stringify(value));

/** RFC 9457. Details are fixed sentences and field names, never what the caller sent. */
export const problem = (status: number, code: ProblemCode, detail: string, headers: Readonly<Record<string, string>> = {}): Answer => {
  const answer = json(status, { type: `urn:payment-sandbox:${code}`, title: code.replaceAll('-', ' '), status, code, detail });
  return { ...answer, headers: { ...answer.headers, ...headers } };
};

/** An answer as a key remembers it: status and body. */
export const stored = (status: number, body: string): Answer => ({
  status,
  body,
  headers: { 'content-type': status < 400 ? 'application/json' : 'application/problem+json', 'cache-control': 'no-store' },
});

/** A problem document (RFC 9457): the one form in which the API says no. */
export interface ProblemResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface ProblemExtras {
  /** Further response headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the document, such as the request id. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/**
 * @param status HTTP status code
 * @param code names the kind of problem in words joined by hyphens (`order-not-found`); clients branch on it
 * @param detail what happened here and what to do next; no payload, no stack trace
 */
export const problem = (
  status: number,
  code: string,
  detail: string,
  { headers = {}, members = {} }: ProblemExtras = {},
): ProblemResponse => ({
  statusCode: status,
  headers: { ...headers, 'content-type': 'application/problem+json' },
  body: JSON.stringify({ ...members, type: `urn:andal:problem:${code}`, title: titleOf(code), status, detail, code }),
});

const titleOf = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('-', ' ');

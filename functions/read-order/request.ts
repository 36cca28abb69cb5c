import * as identifiers from '#shared/contract/identifiers.ts';

export type ReadRequest =
  | { readonly kind: 'order'; readonly userId: string; readonly orderId: string }
  | { readonly kind: 'summary'; readonly userId: string };
export type RefusedRequest = { readonly kind: 'refused'; readonly status: 400 | 404; readonly code: string; readonly detail: string };

/** Behind whatever stage or base path the API is published under. */
const PATH = /\/users\/([^/]+)\/(?:orders\/([^/]+)|order-summary)$/;

export function parseReadRequest(rawPath: string): ReadRequest | RefusedRequest {
  const match = PATH.exec(rawPath);
  if (match === null)
    return refused(404, 'route-not-found', 'There is GET /users/{userId}/orders/{orderId} and GET /users/{userId}/order-summary.');
  const userId = identifiers.userId.safeParse(match[1]);
  if (!userId.success) return refused(400, 'invalid-user-id', `The user id ${reason(userId)}.`);
  if (match[2] === undefined) return { kind: 'summary', userId: userId.data };
  const orderId = identifiers.orderId.safeParse(match[2]);
  if (!orderId.success) return refused(400, 'invalid-order-id', `The order id ${reason(orderId)}.`);
  return { kind: 'order', userId: userId.data, orderId: orderId.data };
}

const reason = ({ error }: { error: { issues: { message: string }[] } }): string => error.issues.map(({ message }) => message).join('; ');
const refused = (status: 400 | 404, code: string, detail: string): RefusedRequest => ({ kind: 'refused', status, code, detail });

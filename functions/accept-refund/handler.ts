import { createRequestHandler, type RequestWorld } from '#shared/requests/answer-request.ts';
import { refund } from '#shared/requests/wishes.ts';

/** POST /users/{userId}/orders/{orderId}/refunds: a paid order's money goes back. */
export const createHandler = (world: RequestWorld) =>
  createRequestHandler({ what: 'refund', wish: refund, requires: 'only a paid order can be refunded' }, world);

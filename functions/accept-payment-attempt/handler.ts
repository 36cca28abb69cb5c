import { createRequestHandler, type RequestWorld } from '#shared/requests/answer-request.ts';
import { payAgain } from '#shared/requests/wishes.ts';

/** POST /users/{userId}/orders/{orderId}/payment-attempts: a declined order is paid by a new attempt. */
export const createHandler = (world: RequestWorld) =>
  createRequestHandler({ what: 'payment attempt', wish: payAgain, requires: 'only a declined order takes a new payment attempt' }, world);

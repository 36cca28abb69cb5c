import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { createHandler as createPaymentAttempts } from '../../functions/accept-payment-attempt/handler.ts';
import { createHandler as createRefunds } from '../../functions/accept-refund/handler.ts';
import { USER, type WorkerBench } from './worker-bench.ts';

type Bench = Pick<WorkerBench, 'store' | 'clock' | 'worker'>;
type Ask = (orderId: string, idempotencyKey: string) => Promise<APIGatewayProxyStructuredResultV2>;

/** What a customer can ask of an order, through the functions that take it. */
export function customerOf({ store, clock, worker }: Bench): { payAgain: Ask; refund: Ask; failures: unknown[] } {
  const failures: unknown[] = [];
  const world = { store, clock, random: worker().random, log: () => undefined, logFailure: (error: unknown) => void failures.push(error) };
  const askOf =
    (handler: ReturnType<typeof createRefunds>): Ask =>
    (orderId, idempotencyKey) =>
      handler({
        pathParameters: { userId: USER, orderId },
        headers: { 'idempotency-key': idempotencyKey },
        isBase64Encoded: false,
        requestContext: { requestId: `request-${idempotencyKey}` },
      });
  return { payAgain: askOf(createPaymentAttempts(world)), refund: askOf(createRefunds(world)), failures };
}

import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { problem } from '#shared/contract/problem.ts';
import type { HttpRequest } from '#shared/http/read-parts.ts';
import { traceOf } from '#shared/http/trace.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { type AcceptJobWorld, acceptJob } from '#shared/requests/accept-job.ts';
import { job } from '#shared/worker/define-job.ts';
import { readRequest } from './read-request.ts';

export interface AcceptStockAdjustmentWorld extends AcceptJobWorld {
  log(answer: string, adjustmentId: string, requestId: string, trace: string): void;
  logFailure(error: unknown, requestId: string): void;
}

/** POST /stock/{sku}/adjustments: 202; the adjustments of one SKU take effect in the order they were accepted. */
export const createHandler =
  (world: AcceptStockAdjustmentWorld) =>
  async (event: HttpRequest): Promise<APIGatewayProxyStructuredResultV2> => {
    const adjustment = readRequest(event);
    if ('statusCode' in adjustment) return adjustment;
    const { requestId } = event.requestContext;
    try {
      const answer = await acceptJob(job(adjustStock, adjustment), traceOf(event), world);
      world.log(answer.kind, adjustment.adjustmentId, requestId, traceOf(event));
      if (answer.kind === 'key-reused')
        return problem(
          422,
          'idempotency-key-reused',
          'This Idempotency-Key belongs to an adjustment by another delta. Send a new adjustment with a key of its own.',
        );
      return {
        statusCode: answer.kind === 'new' ? 202 : 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...adjustment, ...answer.state }),
      };
    } catch (error) {
      world.logFailure(error, requestId);
      const detail = 'The adjustment may or may not have been taken. Send the same request with the same Idempotency-Key again.';
      return problem(503, 'adjustment-not-confirmed', detail, { headers: { 'retry-after': '2' } });
    }
  };

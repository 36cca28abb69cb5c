import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import * as z from 'zod';
import { exportedOrdersKey } from '#shared/contract/object-keys.ts';
import { problem } from '#shared/contract/problem.ts';
import { exportIdOf } from '#shared/domain/order-export.ts';
import { type HttpRequest, readFields, readIdempotencyKey, readJsonBody, readUserId } from '#shared/http/read-parts.ts';
import { traceOf } from '#shared/http/trace.ts';
import { exportOrders } from '#shared/jobs/export-orders.ts';
import { type AcceptJobWorld, acceptJob } from '#shared/requests/accept-job.ts';
import { job } from '#shared/worker/define-job.ts';

export interface AcceptExportWorld extends AcceptJobWorld {
  log(answer: string, exportId: string, requestId: string, trace: string): void;
  logFailure(error: unknown, requestId: string): void;
}

const NO_FIELDS = z.strictObject({});

/** POST /users/{userId}/exports: begins an export of all the user's orders, 202 with its id and the object it will be. */
export const createHandler =
  (world: AcceptExportWorld) =>
  async (event: HttpRequest): Promise<APIGatewayProxyStructuredResultV2> => {
    const userId = readUserId(event);
    if (!userId.ok) return userId.problem;
    const key = readIdempotencyKey(event, 'export');
    if (!key.ok) return key.problem;
    const json = readJsonBody(event, {});
    if (!json.ok) return json.problem;
    const body = readFields(NO_FIELDS, json.value, { code: 'invalid-request', known: 'The body has no fields.' });
    if (!body.ok) return body.problem;
    const { requestId } = event.requestContext;
    const exportId = exportIdOf(userId.value, key.value);
    try {
      // Two requests of one key cannot differ: there is nothing in them but the key.
      const answer = await acceptJob(job(exportOrders, { userId: userId.value, exportId, step: 1 }), traceOf(event), world);
      world.log(answer.kind, exportId, requestId, traceOf(event));
      const object = exportedOrdersKey(userId.value, exportId);
      const headers = { 'content-type': 'application/json' };
      // Only the first step is known here; that it is done does not say that the export is.
      const refused = answer.kind !== 'key-reused' && answer.state.state === 'refused' ? answer.state : {};
      return {
        statusCode: answer.kind === 'new' ? 202 : 200,
        headers,
        body: JSON.stringify({ userId: userId.value, exportId, object, ...refused }),
      };
    } catch (error) {
      world.logFailure(error, requestId);
      const detail = 'The export may or may not have begun. Send the same request with the same Idempotency-Key again.';
      return problem(503, 'export-not-confirmed', detail, { headers: { 'retry-after': '2' } });
    }
  };

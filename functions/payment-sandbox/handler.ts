import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { type Answer, problem } from './answer.ts';
import { readRequest } from './read-request.ts';
import { type Routed, routeOf } from './routes.ts';
import type { SandboxWorld } from './world.ts';

/**
 * The example payment provider: an HTTP service that stands for somebody else's system. It protects a caller exactly as far
 * as idempotency keys do.
 */
export const createHandler =
  (world: SandboxWorld) =>
  async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const startedMs = world.clock.nowMs();
    const routed = routeOf(readRequest(event), world);
    const { answer, failure } = await answerOf(routed);
    const { operation, paymentIntentId } = routed;
    world.log({ operation, paymentIntentId, status: answer.status, durationMs: world.clock.nowMs() - startedMs, failure });
    return { statusCode: answer.status, headers: { ...answer.headers }, body: answer.body };
  };

/** Whatever breaks inside is a 500 without a word about how; the log line names the kind of error. */
async function answerOf({ answer }: Routed): Promise<{ answer: Answer; failure?: string }> {
  try {
    return { answer: await answer() };
  } catch (error) {
    const failure = error instanceof Error ? error.name : 'unknown';
    return {
      failure,
      answer: problem(500, 'internal-error', 'The sandbox failed. The request may have been carried out; ask before you send it again.'),
    };
  }
}

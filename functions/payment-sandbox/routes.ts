import type * as z from 'zod';
import { type Answer, problem } from './answer.ts';
import { capture } from './capture.ts';
import { captures, requests, summary } from './evidence.ts';
import { outageAnswer, showFault, switchFault } from './faults.ts';
import { find } from './find.ts';
import { captureBody, hashOf, readCall, refundBody, voidBody } from './read-call.ts';
import type { SandboxRequest } from './read-request.ts';
import { refund } from './refund.ts';
import { voidIntent } from './void-intent.ts';
import type { SandboxWorld } from './world.ts';

type Run = (request: SandboxRequest, world: SandboxWorld, paymentIntentId: string) => Promise<Answer>;
interface Route {
  readonly operation: string;
  readonly method: string;
  readonly path: RegExp;
  readonly run: Run;
}

const intentPath = (rest: string): RegExp => new RegExp(`^/payment-intents/([A-Za-z0-9_-]{1,64})${rest}$`);

/** A call of the provider's own interface: it is logged, meets an outage if there is one, and only then is looked at. */
const provider = (operation: string, method: string, path: RegExp, run: Run): Route => ({
  operation,
  method,
  path,
  run: async (request, world, paymentIntentId) => {
    const [outage] = await Promise.all([outageAnswer(world), record(operation, request, world, paymentIntentId)]);
    return outage ?? run(request, world, paymentIntentId);
  },
});

const keyed =
  <Body>(
    schema: z.ZodType<Body>,
    run: (call: { paymentIntentId: string; key: string; bodyHash: string; body: Body }, world: SandboxWorld) => Promise<Answer>,
  ): Run =>
  async (request, world, paymentIntentId) => {
    const call = readCall(request, paymentIntentId, schema);
    return 'refusal' in call ? call.refusal : run(call, world);
  };

const routes: readonly Route[] = [
  provider('capture', 'POST', intentPath('/capture'), keyed(captureBody, capture)),
  provider('void', 'POST', intentPath('/void'), keyed(voidBody, voidIntent)),
  provider('refund', 'POST', intentPath('/refund'), keyed(refundBody, refund)),
  provider('find', 'GET', intentPath(''), (_, world, paymentIntentId) => find({ paymentIntentId }, world)),
  { operation: 'list-requests', method: 'GET', path: intentPath('/requests'), run: ({ query }, world, id) => requests(id, query, world) },
  { operation: 'list-captures', method: 'GET', path: /^\/captures$/, run: ({ query }, world) => captures(query, world) },
  { operation: 'summarise-captures', method: 'GET', path: /^\/captures\/summary$/, run: ({ query }, world) => summary(query, world) },
  { operation: 'show-fault', method: 'GET', path: /^\/faults$/, run: (_, world) => showFault(world) },
  { operation: 'switch-fault', method: 'PUT', path: /^\/faults$/, run: (request, world) => switchFault(request, world) },
];

export interface Routed {
  readonly operation: string;
  readonly paymentIntentId?: string;
  readonly answer: () => Promise<Answer>;
}

export function routeOf(request: SandboxRequest, world: SandboxWorld): Routed {
  for (const { operation, method, path, run } of routes) {
    const match = method === request.method ? path.exec(request.path) : null;
    if (match === null) continue;
    const paymentIntentId = match[1];
    const answer = () => run(request, world, paymentIntentId ?? '');
    return paymentIntentId === undefined ? { operation, answer } : { operation, paymentIntentId, answer };
  }
  return { operation: 'unknown', answer: async () => problem(404, 'endpoint-unknown', 'There is no such endpoint.') };
}

async function record(
  operation: string,
  request: SandboxRequest,
  { ledger, clock, random }: SandboxWorld,
  paymentIntentId: string,
): Promise<void> {
  const keyed = request.method === 'POST' ? { key: (request.idempotencyKey ?? '').slice(0, 128), bodyHash: hashOf(request) } : {};
  await ledger.recordRequest({ paymentIntentId, requestId: random.token(), atMs: clock.nowMs(), operation, ...keyed });
}

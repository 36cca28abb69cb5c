import { expect, test } from 'vitest';
import { createSandboxClient } from '#shared/payments/sandbox-client.ts';
import type { Gate } from '#shared/worker/gate.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';

// B62 B64
interface Exchange {
  readonly method: string;
  readonly key: string | null;
  readonly body: string;
}
type Ending = (exchange: Exchange) => Response | Error;

const broken = (code: string, more: object = {}): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code, ...more }) });
const captured = (): Response => Response.json({ status: 'captured', captureId: 'cap-1', amountMinor: 4999, currency: 'EUR' });
const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  Response.json({ code }, { status, headers });

/** The pipeline with the real client over a wire whose answers are given one by one; afterwards it captures. */
function benchWith(...endings: Ending[]): { bench: PipelineBench; exchanges: Exchange[] } {
  const bench = createPipelineBench();
  const exchanges: Exchange[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const exchange = { method: request.method, key: request.headers.get('idempotency-key'), body: await request.text() };
    exchanges.push(exchange);
    if (exchange.method === 'GET') return Response.json({ status: 'not-captured' });
    const ending = (endings.shift() ?? captured)(exchange);
    if (ending instanceof Error) throw ending;
    return ending;
  };
  const gate: Gate = {
    admit: async (definition) => {
      const admission = await bench.worker().gate.admit(definition);
      if (!admission.admitted) return admission;
      return { ...admission, ports: { ...admission.ports, payments: createSandboxClient({ baseUrl: 'https://provider.test', fetch }) } };
    },
  };
  bench.overrides.gate = gate;
  return { bench, exchanges };
}

test.each<[string, Ending]>([
  ['a connection reset after sending', () => broken('ECONNRESET')],
  ['a 504', () => problem(504, 'gateway-timeout')],
  ['a 502 with a web page', () => new Response('<html>bad gateway</html>', { status: 502 })],
  ['a 200 with half of its body', () => new Response('{"status":"captu', { status: 200 })],
])('%s is unknown: the order is not failed, its references stay, and the next run asks before it calls', async (_what, ending) => {
  const { bench, exchanges } = benchWith(ending);
  const body = await bench.createOrder('ord-1');
  expect(await bench.deliverNow('capture-payment', body)).toMatchObject({ outcome: 'unknown' });
  expect(bench.order('ord-1')).toMatchObject({
    status: 'pending_payment',
    paymentIntentId: 'pi-ord-1-1',
    captureKey: 'capture:u-1/ord-1:1',
    'sent:capture:1': 1,
  });
  expect(bench.order('ord-1').outbox).toBeUndefined();
  await bench.pass(60_000);
  expect(exchanges.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
  expect(bench.order('ord-1').status).toBe('paid');
});

test.each<[string, Ending]>([
  ['a name that is not found', () => broken('ENOTFOUND', { syscall: 'getaddrinfo' })],
  ['a handshake that fails', () => broken('CERT_HAS_EXPIRED')],
  ['a refused connection', () => broken('ECONNREFUSED', { syscall: 'connect' })],
])('%s is known not to have been sent: no attempt is spent and nothing is asked', async (_what, ending) => {
  const { bench, exchanges } = benchWith(ending);
  const body = await bench.createOrder('ord-1');
  expect(await bench.deliverNow('capture-payment', body)).toMatchObject({ outcome: 'deferred' });
  expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', 'sent:capture:1': 0, 'try:capture:1': 0 });
  await bench.pass(60_000);
  expect(exchanges.map(({ method }) => method)).toEqual(['POST', 'POST']);
  expect(bench.order('ord-1').status).toBe('paid');
});

test('a key in use is waited for and called with again: the same key, the same bytes', async () => {
  const inUse = (): Response => problem(409, 'idempotency-key-in-use');
  const { bench, exchanges } = benchWith(inUse, inUse);
  await bench.createOrder('ord-1');
  await bench.pass(600_000);
  expect(bench.order('ord-1').status).toBe('paid');
  const calls = exchanges.filter(({ method }) => method === 'POST');
  expect(calls).toHaveLength(3);
  expect(new Set(calls.map((call) => JSON.stringify(call)))).toHaveLength(1);
  expect(calls[0]?.body).not.toBe('');
});

test.each<[string, Ending, number, number]>([
  ['429 with seven seconds, shorter than the wait', () => problem(429, 'rate-limited', { 'retry-after': '7' }), 8_000, 0],
  ['429 with twenty minutes', () => problem(429, 'rate-limited', { 'retry-after': '1200' }), 1_200_000, 0],
  ['503 with twenty minutes', () => problem(503, 'unavailable', { 'retry-after': '1200' }), 1_200_000, 1],
  ['503 with a day, which is more than is honoured', () => problem(503, 'unavailable', { 'retry-after': '86400' }), 3_600_000, 1],
])('Retry-After counts when it is longer than the schedule, up to an hour: %s', async (_what, ending, delayMs, attempts) => {
  const { bench } = benchWith(ending);
  const body = await bench.createOrder('ord-1');
  expect(await bench.deliverNow('capture-payment', body)).toMatchObject({ action: 'hand-back', delayMs });
  expect(bench.order('ord-1')['try:capture:1']).toBe(attempts);
});

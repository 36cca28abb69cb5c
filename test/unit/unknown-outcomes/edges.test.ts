import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { requestOnOrder } from '#shared/requests/request-on-order.ts';
import { payAgain, refund } from '#shared/requests/wishes.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { createPipelineBench } from '../../support/pipeline-bench.ts';
import { createWorkerBench, USER } from '../../support/worker-bench.ts';

const HOUR_MS = 3_600_000;
const lost = () => new ProviderError('provider-timeout', { sent: 'maybe' });

test('a job put off for six hours has one message, not one more with each look of the rescue', async () => {
  const bench = createPipelineBench();
  const firstAt = new Map<string, number>();
  bench.deliverNow = async (kind, body) => {
    const firstReceivedAtMs = firstAt.get(body) ?? bench.clock.nowMs();
    firstAt.set(body, firstReceivedAtMs);
    const delivery = { messageId: 'm', receiptHandle: 'r', body, receiveCount: 1, firstReceivedAtMs };
    const ending = await executeJob(delivery, bench.worker(jobOfKind(kind)), 25_000);
    bench.endings.push(ending);
    return ending;
  };
  bench.payments.scripts.push({ charge: false, throws: lost() });
  await bench.createOrder('ord-1');
  bench.payments.findThrows = new ProviderError('provider-rate-limited', { sent: 'no' });
  for (let hour = 0; hour < 6; hour++) await bench.pass(HOUR_MS, { rescue: true });
  expect(bench.queued.length).toBeLessThanOrEqual(2);
  expect(bench.order('ord-1')['try:capture:1']).toBe(1);
});

test('a job that dies whenever it asks ends in a letter that says the outcome is open', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ charge: false, throws: lost() });
  await bench.deliver(body);
  let questions = 0;
  bench.payments.find = () => {
    questions++;
    return new Promise(() => undefined);
  };
  for (let death = 0; death < 40 && bench.letters.length === 0; death++) {
    bench.clock.advance(HOUR_MS);
    const before = questions;
    await Promise.race([bench.deliver(body), expect.poll(() => questions > before, { timeout: 2_000 }).toBe(true)]).catch(() => undefined);
  }
  expect(bench.letters).toMatchObject([{ letter: { reason: 'unresolved', detail: 'attempts-spent' } }]);
  expect(questions).toBeLessThanOrEqual(12);
  expect(bench.order('ord-1').status).toBe('pending_payment');
});

test('a letter that follows from the provider’s answer says what the answer was', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ throws: lost() });
  await bench.deliver(body);
  const { find } = bench.payments;
  bench.payments.find = async (query, call) => ({ ...(await find(query, call)), amountMinor: 1 }) as never;
  bench.clock.advance(60_000);
  await bench.deliver(body);
  expect(bench.letters).toMatchObject([{ letter: { reason: 'captured-amount-differs' } }]);
});

test('each call of a run is waited for only as long as the function lives', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ charge: false, throws: lost() });
  await bench.deliver(body);
  bench.clock.advance(23.5 * HOUR_MS);
  const startMs = bench.clock.nowMs();
  const { find } = bench.payments;
  bench.payments.find = (query, call) => {
    bench.clock.advance(call.timeoutMs - 1);
    return find(query, call);
  };
  const ending = await bench.deliver(body, { remainingMs: 14_000 });
  expect(bench.clock.nowMs() - startMs).toBeLessThan(14_000);
  expect(ending).toMatchObject({ action: 'hand-back', outcome: 'deferred', facts: { code: 'too-little-time' } });
});

test('an item nobody can read holds up no neighbour of the sweep', async () => {
  const bench = createPipelineBench();
  await bench.createOrder('ord-1');
  bench.loseStream();
  bench.putItem({ pk: 'USER#x', sk: 'ORDER#y', 'op:capture:1': null, version: 1 });
  bench.clock.advance(2 * HOUR_MS);
  await bench.sweep({ segments: 1 });
  expect(bench.queued).toHaveLength(1);
});

describe('a customer’s request', () => {
  const askingOn = (bench: ReturnType<typeof createWorkerBench>) => {
    let tokens = 0;
    const world = { store: bench.store, clock: bench.clock, random: { token: () => `token-${++tokens}` } };
    return (key: string, wish: Parameters<typeof requestOnOrder>[2]) => requestOnOrder(orderItemKey(USER, 'ord-1'), key, wish, world);
  };

  test('under a key that another wish has used is a request of its own and is carried out', async () => {
    const bench = createWorkerBench();
    const ask = askingOn(bench);
    const first = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, answer: { status: 'declined', reason: 'card-declined' } });
    await bench.deliver(first);
    expect((await ask('k-1', payAgain(bench.clock.nowMs()))).kind).toBe('new');
    await bench.deliver(JSON.stringify((bench.order('ord-1').outbox as unknown[])[0]));
    expect((await ask('k-1', refund(bench.clock.nowMs()))).kind).toBe('new');
    expect(bench.order('ord-1').status).toBe('refund_pending');
  });

  test('for a refund while the charge is under way is told to come again, not that it is out of turn', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    expect((await askingOn(bench)('k-1', refund(bench.clock.nowMs()))).kind).toBe('busy');
  });
});

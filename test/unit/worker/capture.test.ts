import { expect, test } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

test('charges once, commits paid with the record and the receipt job, and acknowledges', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  const ending = await bench.deliver(body);
  expect(ending).toMatchObject({ action: 'ack', outcome: 'committed', facts: { attempt: 1, fence: 1 } });
  expect(bench.order('ord-1')).toMatchObject({
    status: 'paid',
    version: 2,
    lease: 'free',
    captureId: 'cap-1',
    'op:capture:1': { status: 'completed', result: { captureId: 'cap-1' } },
  });
  expect(bench.order('ord-1').outbox).toMatchObject([{ kind: 'send-receipt', idempotencyKey: 'receipt:u-1/ord-1:1' }]);
  expect(Object.keys(bench.order('ord-1')).filter((name) => /^(try|sent|due|hash):|^lease(Owner|Op|UntilMs)$/.test(name))).toEqual([]);
});

test('answers a duplicate with the stored result, with no second call and one refused write', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  await bench.deliver(body);
  bench.aws.calls.length = 0;
  expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'duplicate' });
  expect(bench.aws.calls).toHaveLength(1);
  expect(bench.payments.captureCalls).toHaveLength(1);
});

test('asks before it calls again when the answer of a charge was lost, and pays by asking', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ throws: new ProviderError('provider-timeout', { sent: 'maybe' }) });
  const ending = await bench.deliver(body);
  expect(ending).toMatchObject({ action: 'hand-back', outcome: 'unknown', delayMs: 8000 });
  expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', 'sent:capture:1': 1, 'try:capture:1': 1 });
  bench.clock.advance(8_000);
  expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
  expect(bench.payments.captureCalls).toHaveLength(1);
  expect(bench.order('ord-1').status).toBe('paid');
});

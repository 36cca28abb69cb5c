import { expect, test } from 'vitest';
import { readItemChange } from '#shared/aws/stream-record.ts';
import { readOutbox } from '#shared/outbox/read-outbox.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { executeBatch } from '#shared/worker/execute-batch.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import type { Delivery } from '#shared/worker/worker.ts';
import { createWorkerBench, USER } from '../../support/worker-bench.ts';

const delivery = (bench: ReturnType<typeof createWorkerBench>, body: string, name: string): Delivery => ({
  messageId: name,
  receiptHandle: name,
  body,
  receiveCount: 1,
  firstReceivedAtMs: bench.clock.nowMs(),
});

// B32
test('a message that comes back while its first invocation still works on others is done once, and the late failure changes nothing', async () => {
  const bench = createWorkerBench();
  const first = await bench.createOrder('ord-1');
  const slow = await bench.createOrder('ord-2');
  bench.payments.scripts.push({ charge: false, throws: new ProviderError('provider-answered-503', { sent: 'maybe' }) });
  const worker = bench.worker();
  let leaseWhileOthersRun: unknown;
  const execute = async (one: Delivery) => {
    if (one.messageId === 'slow') {
      leaseWhileOthersRun = bench.order('ord-1').lease;
      bench.clock.advance(11_000);
      expect(await bench.deliver(first)).toMatchObject({ outcome: 'committed', facts: { attempt: 2 } });
    }
    return executeJob(one, worker, 25_000);
  };
  const failing = await executeBatch([delivery(bench, first, 'first')], execute, () => 0.5);
  const others = await executeBatch([delivery(bench, slow, 'slow')], execute, () => 0.5);
  expect(leaseWhileOthersRun).toBe('free');
  expect([...failing, ...others].map(({ ending }) => ending.action)).toEqual(['hand-back', 'ack']);
  expect(bench.payments.settledCaptures(`${USER}/ord-1`)).toBe(1);
  expect(bench.order('ord-1')).toMatchObject({ status: 'paid', version: 2 });
});

// B40
test('an outbox entry sent four times, because the dispatcher died after each send, is the same message each time and one charge', async () => {
  const bench = createWorkerBench();
  await bench.createOrder('ord-1');
  const [record] = bench.aws.dynamodb.stream('State');
  const bodies = [1, 2, 3, 4].flatMap(() => {
    const reading = readOutbox(readItemChange(record as never));
    return reading.kind === 'messages' ? reading.messages.map((message) => JSON.stringify(message)) : [];
  });
  expect(new Set(bodies).size).toBe(1);
  const outcomes: string[] = [];
  for (const body of bodies) outcomes.push((await bench.deliver(body)).outcome);
  expect(outcomes).toEqual(['committed', 'duplicate', 'duplicate', 'duplicate']);
  expect(bench.payments.settledCaptures(`${USER}/ord-1`)).toBe(1);
});

// B35
test('a provider that answers 503 every time is called six times, then one letter has the body as it was and the lease is free', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push(
    ...Array.from({ length: 10 }, () => ({ charge: false, throws: new ProviderError('provider-answered-503', { sent: 'maybe' }) })),
  );
  for (let round = 0; round < 20 && bench.letters.length === 0; round++) {
    const ending = await bench.deliver(body);
    if (ending.action === 'hand-back') bench.clock.advance(ending.delayMs);
  }
  expect(bench.payments.captureCalls).toHaveLength(6);
  expect(bench.letters).toMatchObject([{ body, letter: { reason: 'attempts-spent', attempts: 6 } }]);
  expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', lease: 'free', lastError: 'attempts-spent' });
});

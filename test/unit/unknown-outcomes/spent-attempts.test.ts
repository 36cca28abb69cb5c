import { expect, test } from 'vitest';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { executeBatch } from '#shared/worker/execute-batch.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import type { Delivery, Ending, Worker } from '#shared/worker/worker.ts';
import { createWorkerBench, USER, type WorkerBench } from '../../support/worker-bench.ts';

test('six copies of one failing job spend one attempt a delay, not six at once', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  const fails = (): { charge: boolean; throws: ProviderError } => ({
    charge: false,
    throws: new ProviderError('provider-answered-500', { sent: 'maybe' }),
  });
  bench.payments.scripts.push(...Array.from({ length: 20 }, fails));
  const delaysMs = [10_000, 30_000, 120_000, 300_000, 900_000].map((ms) => Math.ceil((ms * 0.75) / 1000) * 1000);
  for (const [round, delayMs] of delaysMs.entries()) {
    await Promise.all(Array.from({ length: 6 }, () => bench.deliver(body)));
    expect(bench.order('ord-1')['try:capture:1']).toBe(round + 1);
    bench.clock.advance(delayMs - 2_000);
    await Promise.all(Array.from({ length: 6 }, () => bench.deliver(body)));
    expect(bench.order('ord-1')['try:capture:1']).toBe(round + 1);
    bench.clock.advance(2_000);
  }
  await Promise.all(Array.from({ length: 6 }, () => bench.deliver(body)));
  expect(bench.payments.captureCalls).toHaveLength(6);
});

const BATCH = capturePayment.queue.batchSize;
const VISIBILITY_MS = 150_000;

/** A process that can die: from then on nothing it does gets an answer. */
function createProcess(bench: WorkerBench, poison: string): { worker: Worker; died: Promise<'died'> } {
  let die: (how: 'died') => void = () => undefined;
  const died = new Promise<'died'>((resolve) => (die = resolve));
  let alive = true;
  const living = async <T>(act: () => Promise<T>): Promise<T> => (alive ? act() : new Promise<T>(() => undefined));
  const base = bench.worker();
  const payments = {
    ...bench.payments,
    capture: (...call: Parameters<typeof bench.payments.capture>) =>
      living(async () => {
        if (call[0].reference !== poison) return bench.payments.capture(...call);
        alive = false;
        die('died');
        return new Promise<never>(() => undefined);
      }),
  };
  const worker: Worker = {
    ...base,
    store: { ...base.store, write: (write) => living(() => base.store.write(write)) },
    gate: { admit: async (definition) => ({ ...(await base.gate.admit(definition)), ports: { payments } }) as never },
  };
  return { worker, died };
}

test.each([0, 0.5, 0.999])(
  'a job that kills its process in a batch of ten ends as one dead letter; its nine neighbours are paid (chance %d)',
  async (fraction) => {
    const bench = createWorkerBench({ fraction });
    const poison = `${USER}/ord-3`;
    let chance = 0;
    const nextFraction = (): number => {
      chance = (chance * 7 + 3) % 11;
      return chance / 11;
    };
    const waiting = new Map<string, string>();
    for (let index = 0; index < BATCH; index++) waiting.set(`m-${index}`, await bench.createOrder(`ord-${index}`));

    for (let receiveCount = 1; receiveCount < 40 && waiting.size > 0; receiveCount++) {
      const { worker, died } = createProcess(bench, poison);
      const deliveries = [...waiting].map(
        ([messageId, body]): Delivery => ({
          messageId,
          receiptHandle: messageId,
          body,
          receiveCount,
          firstReceivedAtMs: bench.clock.nowMs(),
        }),
      );
      const batch = executeBatch(deliveries, (delivery): Promise<Ending> => executeJob(delivery, worker, 25_000), nextFraction);
      const ended = await Promise.race([batch, died]);
      // A process that died has acknowledged nothing: the whole batch comes back.
      if (ended !== 'died') for (const { delivery, ending } of ended) if (ending.action === 'ack') waiting.delete(delivery.messageId);
      bench.clock.advance(VISIBILITY_MS);
    }

    const orders = Array.from({ length: BATCH }, (_, index) => bench.order(`ord-${index}`));
    expect(orders.filter(({ status }) => status === 'paid')).toHaveLength(BATCH - 1);
    expect(orders.flatMap(({ orderId, status }) => (status === 'pending_payment' ? [orderId] : []))).toEqual(['ord-3']);
    expect(bench.letters.map(({ body, letter }) => [JSON.parse(body).payload.orderId, letter.reason, letter.attempts])).toEqual([
      ['ord-3', 'attempts-spent', 6],
    ]);
    for (let index = 0; index < BATCH; index++) expect(bench.payments.settledCaptures(`${USER}/ord-${index}`)).toBe(index === 3 ? 0 : 1);
  },
);

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { ItemStore } from '#shared/item/item-store.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { refundPayment } from '#shared/jobs/refund-payment.ts';
import { type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import { type AnyJobDefinition, job } from '#shared/worker/define-job.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import type { Worker } from '#shared/worker/worker.ts';
import { createMortalWorker } from '../../support/mortal-worker.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ORDER = 'ord-1';
const REFERENCE = `${USER}/${ORDER}`;
const RUNS = Number(process.env['ANDAL_RUNS'] ?? 120);
const SEED = Number(process.env['ANDAL_SEED'] ?? 20261130);
const timeout = (): ProviderError => new ProviderError('provider-timeout', { sent: 'maybe' });
const delivery = (bench: PipelineBench, body: string) => ({
  messageId: 'm',
  receiptHandle: 'r',
  body,
  receiveCount: 1,
  firstReceivedAtMs: bench.clock.nowMs(),
});
const refundBody = (bench: PipelineBench): string =>
  JSON.stringify(outboxMessage(job(refundPayment, { userId: USER, orderId: ORDER, attempt: 1 }), bench.clock.nowMs()));

/** Money moved as the order says, in the order it may move. */
function expectMoneyRight(bench: PipelineBench): void {
  const moved = bench.payments.events.map(({ what }) => what).filter((what) => what !== 'voided');
  const allowed = { paid: ['captured'], refunded: ['captured', 'refunded'], payment_declined: [] }[String(bench.order(ORDER).status)];
  expect(allowed, `the order ended as ${String(bench.order(ORDER).status)}`).toBeDefined();
  expect(moved).toEqual(allowed);
}

describe('a capture and a refund of one order', () => {
  it('one after the other: paid, then refunded', async () => {
    const bench = createPipelineBench();
    await bench.createOrder(ORDER);
    await bench.pass(MINUTE_MS);
    expect((await customerOf(bench).refund(ORDER, 'r')).statusCode).toBe(202);
    await bench.pass(MINUTE_MS);
    expect(bench.order(ORDER)).toMatchObject({ status: 'refunded', refundId: 'refund-1' });
    expectMoneyRight(bench);
  });

  it('the refund first: it gives nothing back, touches nothing, and leaves no closed door for the one that is asked for later', async () => {
    const bench = createPipelineBench();
    const body = await bench.createOrder(ORDER);
    await bench.deliverNow('refund-payment', refundBody(bench));
    expect(bench.payments.refundCalls).toEqual([]);
    expect((await customerOf(bench).refund(ORDER, 'too-early')).statusCode).toBe(409);
    await bench.deliverNow('capture-payment', body);
    expect(bench.order(ORDER).status).toBe('paid');
    expect((await customerOf(bench).refund(ORDER, 'now')).statusCode).toBe(202);
    await bench.pass(HOUR_MS);
    expect(bench.order(ORDER).status).toBe('refunded');
    expectMoneyRight(bench);
  });

  it('together: the refund waits for the capture', async () => {
    const bench = createPipelineBench();
    const body = await bench.createOrder(ORDER);
    await Promise.all([
      bench.deliverNow('capture-payment', body),
      customerOf(bench).refund(ORDER, 'r'),
      bench.deliverNow('refund-payment', refundBody(bench)),
    ]);
    await bench.pass(HOUR_MS);
    expect(bench.order(ORDER).status).toBe('paid');
    expectMoneyRight(bench);
  });

  it('a capture frozen past its lease that has charged: no refund and no new attempt gets in before its outcome is known', async () => {
    const bench = createPipelineBench();
    const body = await bench.createOrder(ORDER);
    let thaw = (): void => undefined;
    bench.payments.scripts.push({ holdAnswer: new Promise((resolve) => (thaw = resolve)) });
    const frozen = bench.deliverNow('capture-payment', body);
    await expect.poll(() => bench.payments.settledCaptures(REFERENCE)).toBe(1);
    bench.clock.advance(5 * MINUTE_MS);
    expect((await customerOf(bench).refund(ORDER, 'r')).statusCode).toBe(409);
    expect((await customerOf(bench).payAgain(ORDER, 'p')).statusCode).toBe(409);
    await bench.deliverNow('capture-payment', body);
    expect(bench.order(ORDER).status).toBe('paid');
    expect((await customerOf(bench).refund(ORDER, 'r')).statusCode).toBe(202);
    bench.dispatch();
    thaw();
    expect(await frozen).toMatchObject({ outcome: 'fenced' });
    expect(bench.order(ORDER).status).toBe('refund_pending');
    await bench.pass(MINUTE_MS);
    expectMoneyRight(bench);
    expect(bench.order(ORDER).status).toBe('refunded');
  });

  it.each(Array.from({ length: 8 }, (_, step) => step))('a refund whose worker dies at step %d gives the money back once', async (step) => {
    const bench = createPipelineBench();
    await bench.createOrder(ORDER);
    await bench.pass(MINUTE_MS);
    await customerOf(bench).refund(ORDER, 'r');
    bench.dispatch();
    const { body } = bench.queued[0] ?? { body: '' };
    const { worker, died } = createMortalWorker(bench.worker(refundPayment), bench.payments, step);
    await Promise.race([executeJob(delivery(bench, body), worker, 25_000), died]);
    await bench.pass(HOUR_MS);
    expect(bench.order(ORDER).status).toBe('refunded');
    expectMoneyRight(bench);
  });
});

/** A worker or a customer whose every step waits for its turn, so that a scheduler can mix them in any way. */
type Turn = <T>(what: string, act: () => Promise<T>) => Promise<T>;

const storeInTurns = (store: ItemStore, turn: Turn): ItemStore => ({
  write: (write) => turn('write', () => store.write(write)),
  writeTogether: (writes) => turn('writeTogether', () => store.writeTogether(writes)),
  read: (key) => turn('read', () => store.read(key)),
});

const paymentsInTurns = (payments: PaymentPort, turn: Turn): PaymentPort => ({
  capture: (request, call) => turn('capture', () => payments.capture(request, call)),
  find: (request, call) => turn('find', () => payments.find(request, call)),
  void: (request, call) => turn('void', () => payments.void(request, call)),
  refund: (request, call) => turn('refund', () => payments.refund(request, call)),
});

/** Before and after each step another may come; a dead one never goes on. */
function turnsOf(scheduler: fc.Scheduler, name: string, dieAtStep: number): Turn {
  let step = 0;
  const pass = async (what: string): Promise<void> => {
    if (step++ >= dieAtStep) await new Promise(() => undefined);
    await scheduler.schedule(Promise.resolve(), `${name} ${what}`);
  };
  return async (what, act) => {
    await pass(what);
    const outcome = await act().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await pass(`${what} answered`);
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}

const actor = fc.record({
  does: fc.constantFrom('capture' as const, 'refund job' as const, 'refund' as const, 'pay again' as const, 'time passes' as const),
  dieAtStep: fc.oneof({ weight: 3, arbitrary: fc.constant(99) }, fc.nat({ max: 7 })),
});
const mood = fc.constantFrom(
  {},
  { throws: timeout() },
  { charge: false, refund: false, throws: timeout() },
  { answer: { status: 'declined' as const, reason: 'no' } },
);

async function play(
  bench: PipelineBench,
  scheduler: fc.Scheduler,
  actors: readonly { does: string; dieAtStep: number }[],
  capture: string,
): Promise<void> {
  for (const [index, { does, dieAtStep }] of actors.entries()) {
    const turn = turnsOf(scheduler, `${index} ${does}`, dieAtStep);
    if (does === 'time passes') void turn('wait', async () => bench.clock.advance(MINUTE_MS));
    else if (does === 'capture') void executeJob(delivery(bench, capture), workerInTurns(bench, capturePayment, turn), 25_000);
    else if (does === 'refund job') void executeJob(delivery(bench, refundBody(bench)), workerInTurns(bench, refundPayment, turn), 25_000);
    else {
      const customer = customerOf({ ...bench, store: storeInTurns(bench.store, turn) });
      void (does === 'refund' ? customer.refund : customer.payAgain)(ORDER, `key-${index}`);
    }
  }
  // A step's end may bring another step; nobody is left when none comes.
  for (let idle = 0; idle < 5; idle++) {
    if (scheduler.count() > 0) {
      idle = 0;
      await scheduler.waitOne();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const workerInTurns = (bench: PipelineBench, definition: AnyJobDefinition, turn: Turn): Worker => {
  const base = bench.worker(definition);
  return {
    ...base,
    store: storeInTurns(base.store, turn),
    gate: {
      async admit(one) {
        const admission = await base.gate.admit(one);
        return admission.admitted
          ? { ...admission, ports: { ...admission.ports, payments: paymentsInTurns(bench.payments, turn) } }
          : admission;
      },
    },
  };
};

test('captures, refunds, requests, deaths and passing time in any mixture: money moves as the order says, never a refund before a capture, never a capture after a refund', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(actor, { minLength: 2, maxLength: 6 }),
      fc.array(mood, { maxLength: 3 }),
      fc.array(mood, { maxLength: 2 }),
      async (scheduler, actors, captures, refunds) => {
        const bench = createPipelineBench();
        const capture = await bench.createOrder(ORDER);
        bench.payments.scripts.push(...captures);
        bench.payments.refundScripts.push(...(refunds as never[]));
        await play(bench, scheduler, actors, capture);
        bench.payments.scripts.length = 0;
        bench.payments.refundScripts.length = 0;
        // Then everything that is left finds its end.
        bench.queued.push({ kind: 'capture-payment', body: capture, visibleAtMs: bench.clock.nowMs() });
        await bench.pass(3 * HOUR_MS);
        expectMoneyRight(bench);
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
}, 60_000);

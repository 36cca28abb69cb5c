import fc from 'fast-check';
import { expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { captureOperation, refundOperation } from '#shared/domain/order.ts';
import { rearmWrite } from '#shared/item/rearm.ts';
import { jobOfKind } from '#shared/jobs/index.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { deriveWork } from '#shared/rescue/derive-work.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { createMortalWorker } from '../../support/mortal-worker.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KEY_HORIZON_MS = DAY_MS;
const ORDER = 'ord-1';
const RUNS = Number(process.env['ANDAL_RUNS'] ?? 60);
const SEED = Number(process.env['ANDAL_SEED'] ?? 20261130);

/** How the provider takes the next capture or refund. */
const moods = {
  well: {},
  'charges and times out': { throws: new ProviderError('provider-timeout', { sent: 'maybe' }) },
  'times out': { charge: false, refund: false, throws: new ProviderError('provider-timeout', { sent: 'maybe' }) },
  'is not there': { charge: false, refund: false, throws: new ProviderError('provider-unreachable', { sent: 'no' }) },
  declines: { answer: { status: 'declined', reason: 'no' } as const },
  'refuses for good': {
    charge: false,
    refund: false,
    throws: new ProviderError('provider-rejected-request', { sent: 'no', permanent: true }),
  },
};
type Mood = keyof typeof moods;

const step = fc.oneof(
  fc.record({
    do: fc.constant('deliver' as const),
    mood: fc.constantFrom(...(Object.keys(moods) as Mood[])),
    dieAtStep: fc.oneof({ weight: 2, arbitrary: fc.constant(99) }, fc.nat({ max: 8 })),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 30_000, 5 * MINUTE_MS, HOUR_MS, 20 * HOUR_MS) }),
  fc.record({
    do: fc.constantFrom('pay again' as const, 'refund' as const, 'replay' as const, 'ask fails' as const, 'ask works' as const),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

async function take(bench: PipelineBench, one: Step, number: number): Promise<void> {
  if (one.do === 'wait') return bench.clock.advance(one.ms);
  if (one.do === 'deliver') return deliver(bench, one);
  if (one.do === 'replay') return replay(bench);
  if (one.do === 'ask fails') bench.payments.findThrows = new ProviderError('provider-answered-503', { sent: 'maybe' });
  else if (one.do === 'ask works') bench.payments.findThrows = undefined;
  else await (one.do === 'refund' ? customerOf(bench).refund : customerOf(bench).payAgain)(ORDER, `key-${number}`);
}

/** The oldest message that is not done; a death leaves it in its queue. */
async function deliver(bench: PipelineBench, { mood, dieAtStep }: { mood: Mood; dieAtStep: number }): Promise<void> {
  bench.dispatch();
  const message = bench.queued.shift();
  if (message === undefined) return;
  bench.payments.scripts.splice(0, 9, moods[mood]);
  bench.payments.refundScripts.splice(0, 9, moods[mood] as never);
  const { worker, died } = createMortalWorker(bench.worker(jobOfKind(message.kind)), bench.payments, dieAtStep);
  const delivery = { messageId: 'm', receiptHandle: 'r', body: message.body, receiveCount: 1, firstReceivedAtMs: bench.clock.nowMs() };
  const ended = await Promise.race([executeJob(delivery, worker, 25_000), died]);
  if (ended === 'died' || ended.action === 'hand-back') bench.queued.push(message);
}

async function replay(bench: PipelineBench): Promise<void> {
  for (const operation of discardedOf(bench.order(ORDER))) await bench.store.write(rearmWrite(orderItemKey(USER, ORDER), operation));
}

const discardedOf = (image: Record<string, unknown>): string[] =>
  Object.entries(image).flatMap(([name, value]) =>
    name.startsWith('op:') && (value as { status: string }).status === 'discarded' ? [name.slice('op:'.length)] : [],
  );

/** The operation that an unfinished order waits for, unless it lies with a person as a dead letter. */
function awaited(image: Record<string, unknown>): string | undefined {
  const operation =
    image.status === 'pending_payment'
      ? captureOperation(Number(image.attempt))
      : image.status === 'refund_pending'
        ? refundOperation(Number(image.refundAttempt))
        : undefined;
  const record = operation === undefined ? undefined : (image[`op:${operation}`] as { status: string; buried?: boolean } | undefined);
  return record?.buried === true ? undefined : operation;
}

function expectImplied(image: Record<string, unknown>): void {
  const { jobs } = deriveWork(image, KEY_HORIZON_MS);
  const operation = awaited(image);
  const [name, attempt] = operation?.split(':') ?? [];
  const implied = jobs.map(({ message }) => [message.kind, (message.payload as { attempt: number }).attempt]);
  if (operation !== undefined) expect(implied).toContainEqual([name === 'capture' ? 'capture-payment' : 'refund-payment', Number(attempt)]);
  const begun = Object.keys(image).filter((attribute) => attribute.startsWith('try:') && image[`op:${attribute.slice(4)}`] === undefined);
  expect(jobs.length).toBeGreaterThanOrEqual(begun.length);
  if (operation === undefined && begun.length === 0 && discardedOf(image).length === 0) expect(implied).toEqual([]);
}

test('every order the protocol can bring about calls for what it waits for; with all messages lost it still comes to its one end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), fc.boolean(), async (steps, retryDeclined) => {
      const bench = createPipelineBench();
      await bench.createOrder(ORDER);
      if (retryDeclined) bench.putItem({ ...bench.order(ORDER), retryDeclined: true });
      for (const [number, one] of steps.entries()) {
        await take(bench, one, number);
        expectImplied(bench.order(ORDER));
      }
      await loseEverything(bench);
      for (let day = 0; day < 5; day++) {
        bench.clock.advance(DAY_MS);
        await bench.sweep();
        await bench.pass(HOUR_MS);
        await bench.rescue();
        await bench.pass(HOUR_MS);
      }
      const order = bench.order(ORDER);
      expect(awaited(order)).toBeUndefined();
      expectMoneyRight(bench, order);
      bench.clock.advance(DAY_MS);
      expect(await bench.sweep()).toMatchObject({ sent: 0, attemptsOpened: 0 });
    }),
    { numRuns: RUNS, seed: SEED },
  );
}, 60_000);

async function loseEverything(bench: PipelineBench): Promise<void> {
  bench.purge();
  bench.loseStream();
  bench.payments.scripts.length = 0;
  bench.payments.refundScripts.length = 0;
  bench.payments.findThrows = undefined;
}

/** What the provider did is what the order says. */
function expectMoneyRight(bench: PipelineBench, order: Record<string, unknown>): void {
  const reference = `${USER}/${ORDER}`;
  const captures = bench.payments.settledCaptures(reference);
  const refunds = bench.payments.settledRefunds(reference);
  if (order.status === 'paid') expect([captures, refunds]).toEqual([1, 0]);
  if (order.status === 'refunded') expect([captures, refunds]).toEqual([1, 1]);
  if (order.status === 'payment_declined') expect([captures, refunds]).toEqual([0, 0]);
  expect(captures).toBeLessThanOrEqual(1);
  expect(refunds).toBeLessThanOrEqual(captures);
  if (order.status === 'paid') expect(bench.mails).toHaveLength(1);
}

import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { RetryableError } from '#shared/worker/outcome.ts';
import type { Ending } from '#shared/worker/worker.ts';
import { createWorkerBench, USER, type WorkerBench } from '../../support/worker-bench.ts';
import { messageOf, scriptedItem, scriptedJob } from './scripted-job.ts';

const SCHEDULE_SECONDS = [10, 30, 120, 300, 900];
/** Known not to have charged, and the job's own failure: unlike an unreachable provider it spends its attempt. */
const later = { charge: false, throws: new RetryableError('later', { sent: 'no' }) };
const timeout = { charge: false, throws: new ProviderError('provider-timeout', { sent: 'maybe' }) };

const delayOf = (ending: Ending): number | undefined => (ending.action === 'hand-back' ? ending.delayMs : undefined);

/** Delivers when the message says it is back. */
async function deliverAgain(bench: WorkerBench, body: string, after: Ending, options = {}): Promise<Ending> {
  bench.clock.advance(delayOf(after) ?? 0);
  return bench.deliver(body, options);
}

describe('the five waits', () => {
  test.each([
    [0, SCHEDULE_SECONDS.map((seconds) => seconds / 2)],
    [0.5, [8, 23, 90, 225, 675]],
    [0.999, SCHEDULE_SECONDS],
  ])('last as chance %d says, between half and all of the step, in whole seconds', async (fraction, expected) => {
    const bench = createWorkerBench({ fraction });
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(...Array(5).fill(later));
    const delays: (number | undefined)[] = [];
    let ending = await bench.deliver(body);
    for (let step = 0; step < 5; step++) {
      delays.push(delayOf(ending));
      ending = await deliverAgain(bench, body, ending);
    }
    expect(delays).toEqual(expected.map((seconds) => seconds * 1000));
    expect(ending).toMatchObject({ outcome: 'committed', facts: { attempt: 6 } });
  });

  test('shrink with the stage’s scale but never to nothing', async () => {
    const bench = createWorkerBench({ fraction: 0 });
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(later);
    expect(await bench.deliver(body, { world: { timeScale: 0.01 } })).toMatchObject({ delayMs: 1_000 });
  });

  test.each([
    ['longer than the step', 45_000, 45_000],
    ['shorter than the step', 1_000, 8_000],
    ['in fractions of a second', 44_001, 45_000],
    ['of a day', 86_400_000, 3_600_000],
    ['that is no number', Number.NaN, 8_000],
  ])('give way to a Retry-After %s', async (_what, retryAfterMs, delayMs) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: new RetryableError('later', { sent: 'no', retryAfterMs }) });
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'retry', delayMs });
    expect(bench.order('ord-1')['due:capture:1']).toBe(bench.clock.nowMs() + delayMs - 1_000);
  });

  test('give way to the Retry-After of an answer that may have charged, too', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({
      charge: false,
      throws: new ProviderError('provider-answered-503', { sent: 'maybe', retryAfterMs: 60_000 }),
    });
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'unknown', delayMs: 60_000 });
  });
});

describe('six attempts', () => {
  test('that never reached the provider end in exactly one dead letter', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(...Array(20).fill(later));
    let ending = await bench.deliver(body);
    for (let step = 0; step < 5; step++) ending = await deliverAgain(bench, body, ending);
    expect(ending).toMatchObject({ action: 'ack', outcome: 'dead-lettered', facts: { code: 'attempts-spent', attempt: 6 } });
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'duplicate-of-discarded' });
    expect(bench.letters).toMatchObject([{ body, letter: { reason: 'attempts-spent', attempts: 6 } }]);
    expect(bench.payments.captureCalls).toHaveLength(6);
    expect(bench.order('ord-1')).toMatchObject({
      status: 'pending_payment',
      'op:capture:1': { status: 'discarded', tries: 6, buried: true },
    });
  });

  test('that may have reached it end only when the provider answers; until then it is asked every half to whole hour, unspent', async () => {
    const bench = createWorkerBench({ fraction: 0 });
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(...Array(20).fill(timeout));
    let ending = await bench.deliver(body);
    for (let step = 0; step < 5; step++) ending = await deliverAgain(bench, body, ending);
    expect(ending).toMatchObject({ action: 'hand-back', outcome: 'unknown', delayMs: 1_800_000 });
    bench.payments.findThrows = new ProviderError('provider-answered-503', { sent: 'maybe' });
    for (let asked = 0; asked < 4; asked++) {
      ending = await deliverAgain(bench, body, ending);
      expect(ending).toMatchObject({ action: 'hand-back', outcome: 'unknown', delayMs: 1_800_000 });
      expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 6, 'sent:capture:1': 6 });
    }
    bench.payments.findThrows = new ProviderError('provider-answered-503', { sent: 'maybe', retryAfterMs: 2_400_000 });
    ending = await deliverAgain(bench, body, ending);
    expect(ending).toMatchObject({ outcome: 'unknown', delayMs: 2_400_000 });
    bench.payments.findThrows = undefined;
    expect(await deliverAgain(bench, body, ending)).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'attempts-spent' } });
    expect(bench.payments.captureCalls).toHaveLength(6);
    expect(bench.letters).toHaveLength(1);
  });

  test('that charged at last are paid by asking, with no seventh call', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(...Array(5).fill(timeout), { throws: new ProviderError('provider-timeout', { sent: 'maybe' }) });
    let ending = await bench.deliver(body);
    for (let step = 0; step < 6; step++) ending = await deliverAgain(bench, body, ending);
    expect(ending).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.payments.captureCalls).toHaveLength(6);
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  });

  test('stay open at most 48 hours after the intent, judged after asking, and end as unresolved', async () => {
    const bench = createWorkerBench({ fraction: 0 });
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(...Array(20).fill(timeout));
    let ending = await bench.deliver(body);
    for (let step = 0; step < 5; step++) ending = await deliverAgain(bench, body, ending);
    bench.payments.findThrows = new ProviderError('provider-answered-503', { sent: 'maybe' });
    bench.clock.advance(49 * 3_600_000);
    const asked = bench.payments.findCalls.length;
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'unresolved' } });
    expect(bench.payments.findCalls).toHaveLength(asked + 1);
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', 'sent:capture:1': 6 });
  });

  test('of a job with an item of its own are bounded the same way, from when its message was first written', async () => {
    const bench = createWorkerBench();
    const fails = () => Promise.reject(new RetryableError('mail-down', { sent: 'maybe' }));
    const definition = scriptedJob(fails, { ask: fails });
    const body = messageOf(definition, { id: 'a' });
    let ending = await bench.deliver(body, { definition });
    for (let step = 0; step < 6; step++) ending = await deliverAgain(bench, body, ending, { definition });
    expect(ending).toMatchObject({ action: 'hand-back', outcome: 'retry' });
    bench.clock.advance(49 * 3_600_000);
    expect(await bench.deliver(body, { definition })).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'unresolved' } });
  });

  test('of a kind that cannot ask end in a dead letter at the sixth', async () => {
    const bench = createWorkerBench();
    let runs = 0;
    const definition = scriptedJob(async () => {
      runs++;
      throw new RetryableError('mail-down', { sent: 'maybe' });
    });
    const body = messageOf(definition, { id: 'a' });
    let ending = await bench.deliver(body, { definition });
    for (let step = 0; step < 5; step++) ending = await deliverAgain(bench, body, ending, { definition });
    expect(ending).toMatchObject({ action: 'ack', outcome: 'dead-lettered', facts: { code: 'attempts-spent' } });
    expect(runs).toBe(6);
    expect(bench.item(scriptedItem('a'))).toMatchObject({ 'op:run': { reason: 'attempts-spent', tries: 6 } });
  });
});

describe('a crash', () => {
  /** A worker that claimed and is gone: nothing of it remains but its write. */
  async function crash(bench: WorkerBench, number: number): Promise<void> {
    const nowMs = bench.clock.nowMs();
    const intentHash = String(bench.order('ord-1')['hash:capture:1']);
    const claim = claimWrite({
      key: orderItemKey(USER, 'ord-1'),
      operation: 'capture:1',
      owner: `gone-${number}`,
      intentHash,
      nowMs,
      leaseUntilMs: nowMs + 27_000,
    });
    expect(await bench.store.write(claim)).toMatchObject({ accepted: true });
    bench.clock.advance(27_001);
  }

  /** The hash the real worker writes, so that the crashed ones are copies of the same job. */
  async function benchWithHash(): Promise<{ bench: WorkerBench; body: string }> {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(later);
    await bench.deliver(body);
    bench.clock.advance(60_000);
    bench.payments.captureCalls.length = 0;
    return { bench, body };
  }

  test('blocks nobody for longer than its lease, and spends an attempt that may have charged', async () => {
    const { bench, body } = await benchWithHash();
    await crash(bench, 1);
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 2, 'sent:capture:1': 1, lease: 'held' });
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'committed', facts: { attempt: 3, fence: 3 } });
    expect(bench.payments.findCalls).toHaveLength(1);
    expect(bench.payments.captureCalls).toHaveLength(1);
  });

  test('at every attempt ends all the same: asked first, then discarded without another call', async () => {
    const { bench, body } = await benchWithHash();
    for (let number = 1; number <= 5; number++) await crash(bench, number);
    expect(bench.order('ord-1')['try:capture:1']).toBe(6);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'dead-lettered', facts: { code: 'attempts-spent' } });
    expect(bench.payments.findCalls).toHaveLength(1);
    expect(bench.payments.captureCalls).toEqual([]);
    expect(bench.letters).toHaveLength(1);
  });

  test('at every attempt is paid all the same when one of them charged', async () => {
    const { bench, body } = await benchWithHash();
    for (let number = 1; number <= 5; number++) await crash(bench, number);
    const { paymentIntentId, captureKey, amountMinor } = bench.order('ord-1') as {
      paymentIntentId: string;
      captureKey: string;
      amountMinor: number;
    };
    bench.payments.scripts.length = 0;
    await bench.payments.capture(
      { idempotencyKey: captureKey, paymentIntentId, reference: 'u-1/ord-1', amountMinor, currency: 'EUR' },
      { timeoutMs: 1 },
    );
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1').status).toBe('paid');
  });
});

import { describe, expect, test } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { done, PermanentError, RetryableError } from '#shared/worker/outcome.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';
import { gate, messageOf, scriptedItem, scriptedJob, until } from './scripted-job.ts';

const LEASE_MS = 27_001;

/** A first worker frozen at the provider, and a second that took over after the lease and finished. */
async function overtaken(firstEnds: object) {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  const freeze = gate();
  bench.payments.scripts.push({ holdAnswer: freeze.opened, ...firstEnds });
  const late = bench.deliver(body);
  await until(() => bench.payments.captureCalls.length === 1);
  bench.clock.advance(LEASE_MS);
  return { bench, body, late, freeze };
}

describe('a worker that wakes up after its lease', () => {
  test.each([
    ['returns', {}],
    ['was declined, which its key forgot', { answer: { status: 'declined', reason: 'late' }, kept: false }],
    ['throws that the outcome is unknown', { throws: new ProviderError('provider-timeout', { sent: 'maybe' }) }],
    ['throws that nothing was sent', { throws: new ProviderError('provider-unreachable', { sent: 'no' }) }],
    ['throws that it is hopeless', { throws: new ProviderError('provider-rejected-request', { sent: 'no', permanent: true }) }],
    ['throws nothing known', { throws: undefined }],
  ])('and %s changes nothing on the item its successor finished', async (_how, firstEnds) => {
    const { bench, body, late, freeze } = await overtaken(firstEnds);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed', facts: { fence: 2 } });
    const finished = bench.order('ord-1');
    freeze.open();
    expect(await late).toMatchObject({ action: 'hand-back', outcome: 'fenced', facts: { fence: 1 } });
    expect(finished.status).toBe('paid');
    expect(bench.order('ord-1')).toEqual(finished);
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
    expect(bench.letters).toEqual([]);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'duplicate' });
  });

  test('and was declined, as its successor then was under the same key, changes nothing either: nobody was charged', async () => {
    const { bench, body, late, freeze } = await overtaken({ answer: { status: 'declined', reason: 'late' } });
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed', facts: { fence: 2 } });
    const finished = bench.order('ord-1');
    expect(finished).toMatchObject({ status: 'payment_declined', declineReason: 'late' });
    freeze.open();
    expect(await late).toMatchObject({ action: 'hand-back', outcome: 'fenced', facts: { fence: 1 } });
    expect(bench.order('ord-1')).toEqual(finished);
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(0);
    expect(bench.letters).toEqual([]);
  });

  test.each([
    ['returns', {}],
    ['throws', { throws: new ProviderError('provider-timeout', { sent: 'maybe' }) }],
  ])('and %s leaves the lease of a successor at work alone', async (_how, firstEnds) => {
    const { bench, body, late, freeze } = await overtaken(firstEnds);
    const successor = gate();
    bench.payments.find = async () => {
      await successor.opened;
      return { status: 'not-captured' };
    };
    const second = bench.deliver(body);
    await until(() => bench.order('ord-1').fence === 2);
    const held = bench.order('ord-1');
    freeze.open();
    expect(await late).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
    expect(bench.order('ord-1')).toEqual(held);
    successor.open();
    expect(await second).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  });

  test('may still commit when nobody took over, however late', async () => {
    const { bench, late, freeze } = await overtaken({});
    freeze.open();
    expect(await late).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1').status).toBe('paid');
  });

  test('is handed back with the delay it would have had', async () => {
    const bench = createWorkerBench({ fraction: 0 });
    const freeze = gate();
    const definition = scriptedJob(async () => {
      await freeze.opened;
      throw new RetryableError('later', { sent: 'no', retryAfterMs: 42_000 });
    });
    const quick = scriptedJob(async () => done({}));
    const body = messageOf(definition, { id: 'a' });
    const late = bench.deliver(body, { definition });
    await until(() => bench.item(scriptedItem('a'))?.['lease'] === 'held');
    bench.clock.advance(LEASE_MS);
    await bench.deliver(body, { definition: quick });
    freeze.open();
    expect(await late).toMatchObject({ action: 'hand-back', outcome: 'fenced', delayMs: 42_000 });
  });

  test('sends no letter when its discard is refused: the successor’s answer stands', async () => {
    const bench = createWorkerBench();
    const freeze = gate();
    const definition = scriptedJob(async () => {
      await freeze.opened;
      throw new PermanentError('cannot-work');
    });
    const body = messageOf(definition, { id: 'a' });
    const late = bench.deliver(body, { definition });
    await until(() => bench.item(scriptedItem('a'))?.['lease'] === 'held');
    bench.clock.advance(LEASE_MS);
    // The successor failed as well and freed the item; its fence is higher, so the late discard must not end the job.
    const failing = scriptedJob(() => Promise.reject(new RetryableError('later', { sent: 'no' })));
    await bench.deliver(body, { definition: failing });
    freeze.open();
    expect(await late).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
    expect(bench.letters).toEqual([]);
    expect(bench.item(scriptedItem('a'))?.['op:run']).toBeUndefined();
  });
});

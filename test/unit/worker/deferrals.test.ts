import { describe, expect, test } from 'vitest';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { Deferral, RetryableError } from '#shared/worker/outcome.ts';
import type { Ending } from '#shared/worker/worker.ts';
import { createWorkerBench, type WorkerBench } from '../../support/worker-bench.ts';
import { messageOf, scriptedItem, scriptedJob, succeeding } from './scripted-job.ts';

const unreachable = new ProviderError('provider-unreachable', { sent: 'no' });
const refusing = { charge: false, throws: unreachable };
const unanswered = { charge: false, throws: new ProviderError('provider-timeout', { sent: 'maybe' }) };
const HOUR_MS = 3_600_000;

const delayOf = (ending: Ending): number => {
  if (ending.action !== 'hand-back') throw new Error(`not handed back but ${ending.outcome}`);
  return ending.delayMs;
};

/** One message that comes back again and again: it ages, as a redelivered one does. */
function aging(bench: WorkerBench, body: string) {
  const firstReceivedAtMs = bench.clock.nowMs();
  return {
    deliver: () => bench.deliver(body, { firstReceivedAtMs }),
    async deliverTimes(times: number): Promise<Ending[]> {
      const endings: Ending[] = [];
      for (let time = 0; time < times; time++) {
        const ending = await bench.deliver(body, { firstReceivedAtMs });
        endings.push(ending);
        bench.clock.advance(delayOf(ending));
      }
      return endings;
    },
  };
}

// B71
describe('a failure of the provider known not to have been sent', () => {
  test.each([
    ['it is unreachable', unreachable],
    ['it limits the rate', new ProviderError('provider-rate-limited', { sent: 'no' })],
    ['it does not let us in', new ProviderError('provider-authentication', { sent: 'no' })],
    ['the call was put off', new Deferral('circuit-open')],
  ])('puts the job off: the attempt and its mark of sending are given back, and no failure is recorded (%s)', async (_why, throws) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    const before = bench.order('ord-1');
    bench.payments.scripts.push({ charge: false, throws });
    expect(await bench.deliver(body)).toMatchObject({
      action: 'hand-back',
      outcome: 'deferred',
      delayMs: 8_000,
      facts: { code: throws.code },
    });
    const { outbox: _, outboxAtMs: __, ...accepted } = before;
    expect(bench.order('ord-1')).toEqual({
      ...accepted,
      fence: 1,
      'try:capture:1': 0,
      'sent:capture:1': 0,
      'due:capture:1': bench.clock.nowMs() + 7_000,
      'hash:capture:1': expect.any(String),
    });
    expect(bench.letters).toEqual([]);
  });

  test('leaves the next run the first attempt, with nothing to ask about', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(refusing);
    bench.clock.advance(delayOf(await bench.deliver(body)));
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed', facts: { attempt: 1 } });
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', 'op:capture:1': { tries: 1 } });
    expect(bench.payments.findCalls).toEqual([]);
  });

  test('waits once for all copies: the early ones come back unspent when it is due', async () => {
    const bench = createWorkerBench({ fraction: 0 });
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push(refusing);
    await bench.deliver(body);
    const before = bench.order('ord-1');
    for (let copy = 0; copy < 5; copy++) expect(await bench.deliver(body)).toMatchObject({ outcome: 'early', delayMs: 4_000 });
    expect(bench.order('ord-1')).toEqual(before);
    expect(bench.payments.captureCalls).toHaveLength(1);
  });
});

describe('the waits of a message put off', () => {
  const delaysAtAges = async (fraction: number, times: number): Promise<number[]> => {
    const bench = createWorkerBench({ fraction });
    bench.payments.scripts.push(...Array(times).fill(refusing));
    const endings = await aging(bench, await bench.createOrder('ord-1')).deliverTimes(times);
    return endings.map((ending) => delayOf(ending) / 1000);
  };

  test('are as long as it has waited so far: they double from 10 seconds to 15 minutes and stay there', async () => {
    expect(await delaysAtAges(0.999, 11)).toEqual([10, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]);
  });

  test('are cut down to a half by chance, in whole seconds', async () => {
    expect(await delaysAtAges(0, 8)).toEqual([5, 5, 5, 8, 12, 18, 27, 40]);
  });

  test('follow the message’s age and not the attempts spent', async () => {
    const bench = createWorkerBench({ fraction: 0.999 });
    const body = await bench.createOrder('ord-1');
    const spent = { charge: false, throws: new RetryableError('later', { sent: 'no' }) };
    bench.payments.scripts.push(spent, spent, spent);
    for (let attempt = 1; attempt <= 3; attempt++) bench.clock.advance(delayOf(await bench.deliver(body)));
    bench.payments.scripts.push(refusing);
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'deferred', delayMs: 10_000 });
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 3, 'sent:capture:1': 0 });
  });

  test('shrink with the stage’s scale, age and all, but never to nothing', async () => {
    const bench = createWorkerBench({ fraction: 0.999 });
    const world = { timeScale: 0.1 };
    bench.payments.scripts.push(refusing, refusing, refusing);
    const ages = [0, 40_000, HOUR_MS];
    const delays: number[] = [];
    for (const [index, ageMs] of ages.entries()) {
      const body = await bench.createOrder(`ord-${index}`);
      delays.push(delayOf(await bench.deliver(body, { world, firstReceivedAtMs: bench.clock.nowMs() - ageMs })));
    }
    expect(delays).toEqual([1_000, 40_000, 90_000]);
  });

  test.each([
    ['longer than the wait', 45_000, 45_000],
    ['shorter than the wait', 1_000, 8_000],
    ['in fractions of a second', 44_001, 45_000],
    ['of a day', 24 * HOUR_MS, HOUR_MS],
    ['that is no number', Number.NaN, 8_000],
  ])('give way to a Retry-After %s', async (_what, retryAfterMs, delayMs) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: new ProviderError('provider-rate-limited', { sent: 'no', retryAfterMs }) });
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'deferred', delayMs });
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 0, 'due:capture:1': bench.clock.nowMs() + delayMs - 1_000 });
  });
});

describe('however often and however long a job is put off', () => {
  test('fifty times cost no attempt, and it is paid at its first', async () => {
    const bench = createWorkerBench();
    const message = aging(bench, await bench.createOrder('ord-1'));
    bench.payments.scripts.push(...Array(50).fill(refusing));
    const outcomes = (await message.deliverTimes(50)).map(({ outcome }) => outcome);
    expect(new Set(outcomes)).toEqual(new Set(['deferred']));
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 0, 'sent:capture:1': 0, fence: 50, version: 1 });
    expect(await message.deliver()).toMatchObject({ action: 'ack', outcome: 'committed', facts: { attempt: 1 } });
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
    expect(bench.letters).toEqual([]);
  });

  test('three days make no dead letter', async () => {
    const bench = createWorkerBench();
    const down = scriptedJob(() => Promise.reject(new Deferral('circuit-open')));
    const body = messageOf(down, { id: 'a' });
    const firstReceivedAtMs = bench.clock.nowMs();
    await bench.deliver(body, { definition: down, firstReceivedAtMs });
    bench.clock.advance(72 * HOUR_MS);
    expect(await bench.deliver(body, { definition: down, firstReceivedAtMs })).toMatchObject({ outcome: 'deferred', delayMs: 675_000 });
    expect(bench.item(scriptedItem('a'))).toMatchObject({ lease: 'free', 'try:run': 0, 'sent:run': 0 });
    expect(bench.letters).toEqual([]);
    bench.clock.advance(675_000);
    expect(await bench.deliver(body, { definition: scriptedJob(succeeding) })).toMatchObject({
      outcome: 'committed',
      facts: { attempt: 1 },
    });
  });

  test('what an earlier attempt left is not forgotten: it stays counted as sent, marked overdue, and is asked about first', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    const message = aging(bench, body);
    bench.payments.scripts.push(unanswered);
    bench.clock.advance(delayOf(await message.deliver()));
    const { lastError, overdueShard } = bench.order('ord-1');
    bench.payments.findThrows = unreachable;
    for (const ending of await message.deliverTimes(10)) expect(ending).toMatchObject({ outcome: 'deferred' });
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 1, 'sent:capture:1': 1, lastError, overdueShard });
    // The mark waits along: the rescue looks when the message itself should have been back, not every few minutes.
    expect(bench.order('ord-1').overdueAtMs).toBeGreaterThan(Number(bench.order('ord-1')['due:capture:1']));
    expect([lastError, overdueShard]).toEqual(['provider-timeout', '0']);
    bench.payments.findThrows = undefined;
    bench.payments.findCalls.length = 0;
    expect(await message.deliver()).toMatchObject({ outcome: 'committed', facts: { attempt: 2 } });
    expect(bench.payments.findCalls).toHaveLength(1);
  });

  test('a job with all attempts spent and one perhaps charged stays open while nobody can be asked', async () => {
    const bench = createWorkerBench();
    const message = aging(bench, await bench.createOrder('ord-1'));
    bench.payments.scripts.push(...Array(6).fill(unanswered));
    await message.deliverTimes(6);
    bench.payments.findThrows = unreachable;
    for (const ending of await message.deliverTimes(5)) expect(ending).toMatchObject({ outcome: 'deferred', delayMs: 675_000 });
    expect(bench.order('ord-1')).toMatchObject({ 'try:capture:1': 6, 'sent:capture:1': 6 });
    expect(bench.letters).toEqual([]);
    bench.payments.findThrows = undefined;
    expect(await message.deliver()).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'attempts-spent' } });
    expect(bench.payments.captureCalls).toHaveLength(6);
  });
});

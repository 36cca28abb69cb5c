import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { rearmWrite } from '#shared/item/rearm.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import type { Gate } from '#shared/worker/gate.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';

// B34 B61
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const timeout = (): ProviderError => new ProviderError('provider-timeout', { sent: 'maybe' });
const ORDER = `${USER}/ord-1`;

/** What a replay of a dead letter does: arm the operation again, then send the letter's body. */
async function replay(bench: PipelineBench): Promise<void> {
  const { body } = bench.letters.at(-1) ?? { body: '' };
  const { kind, payload } = JSON.parse(body);
  await bench.store.write(
    rearmWrite(orderItemKey(USER, payload.orderId), `${kind.startsWith('refund') ? 'refund' : 'capture'}:${payload.attempt}`),
  );
  bench.queued.push({ kind, body, visibleAtMs: bench.clock.nowMs() });
}

/** After a restore: whatever the item says, the outside is asked first. */
const askingFirst = (bench: PipelineBench): Gate => ({
  admit: async (definition) => ({ ...(await bench.worker().gate.admit(definition)), askFirst: true }) as never,
});

describe('a charge whose answer was lost', () => {
  test('is found by asking when every answer is lost: paid, called once, charged once', async () => {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push(...Array.from({ length: 10 }, () => ({ throws: timeout() })));
    await bench.pass(HOUR_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', captureId: 'cap-1' });
    expect(bench.payments.captureCalls).toHaveLength(1);
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
    expect(bench.mails).toHaveLength(1);
  });

  test('stays pending while nobody can say what happened, and is paid as soon as somebody can', async () => {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push({ throws: timeout() });
    bench.payments.findThrows = timeout();
    await bench.pass(5 * HOUR_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', 'try:capture:1': 6 });
    expect(bench.payments.findCalls.length).toBeGreaterThan(8);
    bench.payments.findThrows = undefined;
    await bench.pass(HOUR_MS);
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.payments.captureCalls).toHaveLength(1);
    expect(bench.letters).toEqual([]);
  });
});

describe('a call that timed out before it charged', () => {
  test('is asked about and made again with the same key and body: paid by a later attempt, charged once', async () => {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: timeout() }, { charge: false, throws: timeout() });
    await bench.pass(HOUR_MS);
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.payments.captureCalls).toHaveLength(3);
    expect(new Set(bench.payments.captureCalls.map((call) => JSON.stringify(call)))).toHaveLength(1);
    expect(bench.payments.findCalls).toHaveLength(2);
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
  });

  test('whose 500 the provider stored ends as one dead letter, and is paid by a new payment attempt once the key has expired', async () => {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, stored: true, throws: new ProviderError('provider-answered-500', { sent: 'maybe' }) });
    await bench.pass(3 * HOUR_MS);
    expect(bench.letters.map(({ letter }) => [letter.reason, letter.attempts])).toEqual([['attempts-spent', 6]]);
    expect(bench.payments.captureCalls).toHaveLength(6);
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', 'op:capture:1': { status: 'discarded', buried: true } });

    await bench.pass(DAY_MS);
    await replay(bench);
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', declineReason: 'expired' });
    expect(bench.payments.captureCalls).toHaveLength(6);
    expect((await customerOf(bench).payAgain('ord-1', 'again')).statusCode).toBe(202);
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
  });
});

describe('near the end of the provider key', () => {
  test.each([
    ['a minute before the last hour', 23 * HOUR_MS - MINUTE_MS, 1],
    ['in the last hour', 23 * HOUR_MS, 0],
    ['after it', 30 * HOUR_MS, 0],
  ])('a first call %s is made or not: %#', async (_when, ageMs, calls) => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    bench.clock.advance(ageMs);
    await bench.deliverNow('capture-payment', body);
    expect(bench.payments.captureCalls).toHaveLength(calls);
    expect(bench.payments.voidCalls).toHaveLength(1 - calls);
    expect(bench.order('ord-1')).toMatchObject(calls === 1 ? { status: 'paid' } : { status: 'payment_declined', declineReason: 'expired' });
  });

  test.each([
    ['charged', true, { status: 'paid' }, 1],
    ['not charged', false, { status: 'payment_declined', declineReason: 'expired' }, 0],
  ])('an open outcome is %s and decided without a charging call', async (_what, charge, order, captures) => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge, throws: timeout() });
    await bench.deliverNow('capture-payment', body);
    bench.clock.advance(23 * HOUR_MS);
    await bench.deliverNow('capture-payment', body);
    expect(bench.order('ord-1')).toMatchObject(order);
    expect(bench.payments.captureCalls).toHaveLength(1);
    expect(bench.payments.settledCaptures(ORDER)).toBe(captures);
  });

  test('a call frozen since before the intent was closed is refused by the provider, and only a new attempt charges', async () => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    let thaw = (): void => undefined;
    bench.payments.scripts.push({ hold: new Promise((resolve) => (thaw = resolve)) });
    const frozen = bench.deliverNow('capture-payment', body);
    await expect.poll(() => bench.payments.captureCalls.length).toBe(1);
    bench.clock.advance(24 * HOUR_MS);
    await bench.deliverNow('capture-payment', body);
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', declineReason: 'expired' });
    expect((await customerOf(bench).payAgain('ord-1', 'again')).statusCode).toBe(202);
    thaw();
    expect(await frozen).toMatchObject({ outcome: 'fenced' });
    expect(bench.payments.settledCaptures(ORDER)).toBe(0);
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', attempt: 2 });
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });
    expect(bench.payments.events.map(({ what }) => what)).toEqual(['voided', 'captured']);
  });
});

describe('a provider that never says what happened', () => {
  async function neverAnswered(): Promise<PipelineBench> {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push({ throws: timeout() });
    bench.payments.findThrows = timeout();
    bench.payments.voidThrows = timeout();
    await bench.pass(50 * HOUR_MS);
    return bench;
  }

  test('ends as one dead letter, unresolved, after 48 hours and not before; the order is still not failed', async () => {
    const bench = await neverAnswered();
    expect(bench.letters.map(({ letter }) => letter.reason)).toEqual(['unresolved']);
    expect(bench.order('ord-1')).toMatchObject({
      status: 'pending_payment',
      'op:capture:1': { status: 'discarded', reason: 'unresolved', buried: true },
    });
    const record = bench.order('ord-1')['op:capture:1'] as { atMs: number };
    expect(record.atMs - Number(bench.order('ord-1').createdAtMs)).toBeGreaterThan(48 * HOUR_MS);
    expect(bench.payments.captureCalls).toHaveLength(1);
    // Six in the schedule, then one or two an hour.
    expect(bench.payments.findCalls.length).toBeLessThan(6 + 2 * 48);
  });

  test('is asked again when the letter is replayed a day later: paid by asking, charged once', async () => {
    const bench = await neverAnswered();
    await bench.pass(DAY_MS);
    bench.payments.findThrows = undefined;
    await replay(bench);
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
    expect(bench.payments.captureCalls).toHaveLength(1);
  });

  test('is asked its six times again after a replay, however old the intent is, before the next letter', async () => {
    const bench = await neverAnswered();
    const before = bench.payments.findCalls.length;
    await replay(bench);
    await bench.pass(10 * MINUTE_MS);
    expect(bench.letters).toHaveLength(1);
    await bench.pass(2 * HOUR_MS);
    expect(bench.letters.map(({ letter }) => letter.reason)).toEqual(['unresolved', 'unresolved']);
    expect(bench.payments.findCalls.length - before).toBe(7);
  });
});

describe('a table put back five minutes', () => {
  test.each([
    ['while the provider still knows the key', 5 * MINUTE_MS],
    ['just before the last hour of the key', 23 * HOUR_MS - MINUTE_MS],
    ['long after', 40 * HOUR_MS],
  ])('%s: the forgotten charge is found, none is added', async (_when, ageMs) => {
    const bench = createPipelineBench();
    const body = await bench.createOrder('ord-1');
    const before = bench.order('ord-1');
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1').status).toBe('paid');
    bench.clock.advance(ageMs - MINUTE_MS);
    bench.restore(before);
    bench.overrides.gate = askingFirst(bench);
    await bench.deliverNow('capture-payment', body);
    expect(bench.order('ord-1').status).toBe('paid');
    await bench.pass(MINUTE_MS);
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
    expect(bench.payments.captureCalls).toHaveLength(1);
    expect(bench.mails).toHaveLength(1);
  });

  test('to before a payment attempt that was charged: the attempt is opened again by asking, its job leaves no closed door behind', async () => {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push({ answer: { status: 'declined', reason: 'card-declined' } });
    const atFirstAttempt = bench.order('ord-1');
    await bench.pass(MINUTE_MS);
    await customerOf(bench).payAgain('ord-1', 'again');
    bench.dispatch();
    const [second] = bench.queued;
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });

    bench.restore(atFirstAttempt);
    bench.overrides.gate = askingFirst(bench);
    await bench.deliverNow('capture-payment', second?.body ?? '');
    expect(bench.letters.map(({ letter }) => letter.reason)).toEqual(['attempt-not-opened']);
    await bench.deliverNow('capture-payment', String(bench.sent[0]?.body));
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', attempt: 1 });

    bench.clock.advance(2 * DAY_MS);
    expect((await customerOf(bench).payAgain('ord-1', 'once-more')).statusCode).toBe(202);
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2, captureId: 'cap-1' });
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
  });
});

describe('patience', () => {
  test('25 unanswered questions do not end a job; it finishes when the 26th is answered, and no queue was sent to', async () => {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push({ throws: timeout() });
    bench.payments.findThrows = timeout();
    while (bench.payments.findCalls.length < 25) await bench.pass(MINUTE_MS);
    bench.payments.findThrows = undefined;
    await bench.pass(HOUR_MS);
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.aws.calls.filter(({ service }) => service === 'sqs')).toEqual([]);
    expect(bench.sent.filter(({ kind }) => kind === 'capture-payment')).toHaveLength(1);
  });

  test('25 deferrals cost no attempt, and the job still finishes', async () => {
    const bench = createPipelineBench();
    await bench.createOrder('ord-1');
    bench.overrides.gate = { admit: async () => ({ admitted: false, code: 'circuit-open' }) };
    while (bench.endings.length < 25) await bench.pass(MINUTE_MS);
    expect(Object.keys(bench.order('ord-1')).filter((name) => name.startsWith('try:'))).toEqual([]);
    bench.overrides = {};
    await bench.pass(HOUR_MS);
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.sent.filter(({ kind }) => kind === 'capture-payment')).toHaveLength(1);
  });
});

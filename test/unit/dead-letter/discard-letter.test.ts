import { describe, expect, test } from 'vitest';
import { discardLetter } from '#shared/dead-letter/discard-letter.ts';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { executeJob } from '#shared/worker/execute-job.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';
import { createLetterBench, createMortalOperator, type LetterBench } from './letter-bench.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KIND = 'capture-payment';
const ORDER = `${USER}/ord-1`;
const unanswered = (): ProviderError => new ProviderError('provider-answered-500', { sent: 'maybe' });

/** An order whose only letter says that nobody knows whether it was charged. */
async function unresolved(charge: boolean): Promise<{ bench: LetterBench; letter: DeadLetter }> {
  const bench = createLetterBench();
  await bench.createOrder('ord-1');
  bench.payments.scripts.push({ charge, throws: unanswered() });
  bench.payments.findThrows = unanswered();
  bench.payments.voidThrows = unanswered();
  await bench.pass(50 * HOUR_MS);
  const [letter] = await bench.take(KIND);
  if (letter === undefined) throw new Error('there is no letter');
  expect(letter.why?.reason).toBe('unresolved');
  return { bench, letter };
}

/** A message whose code never ran to an end, as SQS moves it. */
async function moved(bench: LetterBench, kind: string, body: string): Promise<DeadLetter> {
  const { deadLetterQueueName, queueUrl } = bench.source(kind);
  const QueueUrl = queueUrl.replace(/[^/]+$/, deadLetterQueueName);
  const fifo = bench.source(kind).fifo ? { MessageGroupId: 'g', MessageDeduplicationId: 'd' } : {};
  bench.aws.sqs.handle('SendMessage', { QueueUrl, MessageBody: body, ...fifo });
  const [letter] = await bench.take(kind);
  if (letter === undefined) throw new Error('there is no letter');
  return letter;
}

/** A week of sweeps and rescues over messages that are all lost. */
async function aWeekLater(bench: LetterBench): Promise<void> {
  bench.purge();
  bench.loseStream();
  for (let day = 0; day < 7; day++) {
    bench.clock.advance(DAY_MS);
    await bench.sweep();
    await bench.pass(HOUR_MS, { rescue: true });
  }
}

const receipt = JSON.stringify({
  kind: 'send-receipt',
  version: 1,
  idempotencyKey: `receipt:${USER}/ord-1:1`,
  payload: { userId: USER, orderId: 'ord-1', attempt: 1, amountMinor: 4999, currency: 'EUR', captureId: 'cap-1' },
  enqueuedAt: '2026-11-30T10:00:00.000Z',
});

describe('an unresolved letter', () => {
  test('is not discarded while the provider does not answer', async () => {
    const { bench, letter } = await unresolved(false);
    expect(await bench.discard(letter)).toEqual({ outcome: 'refused', code: 'provider-unanswered' });
    expect(bench.lettersOf(KIND)).toHaveLength(1);
    expect(bench.objects.stored.size).toBe(0);
    expect(await bench.audit()).toMatchObject([
      { what: 'discard', who: 'tester', why: 'because', outcome: 'refused: provider-unanswered' },
    ]);
  });

  test('is not discarded when the customer was charged; replayed, the order is paid', async () => {
    const { bench, letter } = await unresolved(true);
    bench.payments.findThrows = undefined;
    expect(await bench.discard(letter)).toEqual({ outcome: 'refused', code: 'charged-at-provider' });
    await bench.replay(letter);
    bench.carryOver();
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1').status).toBe('paid');
  });

  test('is discarded although the customer was charged only by somebody who says that it is settled by hand', async () => {
    const { bench, letter } = await unresolved(true);
    const knowing = { who: 'tester', why: 'given back at the counter', moneyIsKnown: true };
    expect(await discardLetter(letter, knowing, bench.operator(KIND))).toEqual({ outcome: 'refused', code: 'provider-unanswered' });
    bench.payments.findThrows = undefined;
    expect(await discardLetter(letter, knowing, bench.operator(KIND))).toEqual({ outcome: 'discarded' });
  });

  test('is discarded once the provider says that nothing was charged, and after that no late call can charge', async () => {
    const { bench, letter } = await unresolved(false);
    bench.payments.findThrows = undefined;
    bench.payments.voidThrows = undefined;
    expect(await bench.discard(letter)).toEqual({ outcome: 'discarded' });
    expect(bench.lettersOf(KIND)).toHaveLength(0);
    const order = bench.order('ord-1');
    const late = {
      idempotencyKey: String(order.captureKey),
      paymentIntentId: String(order.paymentIntentId),
      reference: ORDER,
      amountMinor: 4999,
      currency: 'EUR',
    };
    expect(await bench.payments.capture(late, { timeoutMs: 1 })).toMatchObject({ status: 'declined' });
  });
});

describe('a discarded job stays discarded', () => {
  test('whatever rescue and sweep derive from an order that still awaits its payment', async () => {
    const { bench, letter } = await unresolved(false);
    bench.payments.findThrows = undefined;
    bench.payments.voidThrows = undefined;
    await bench.discard(letter);
    const calls = bench.payments.captureCalls.length;
    await aWeekLater(bench);
    expect(bench.sent.filter(({ kind }) => kind === KIND)).toHaveLength(1);
    expect(bench.payments.captureCalls).toHaveLength(calls);
    expect(bench.order('ord-1').status).toBe('pending_payment');
  });

  test('when SQS moved its message before any code ran', async () => {
    const bench = createLetterBench();
    const letter = await moved(bench, KIND, await bench.createOrder('ord-1'));
    expect(await bench.discard(letter)).toEqual({ outcome: 'discarded' });
    expect(bench.order('ord-1')['op:capture:1']).toMatchObject({
      status: 'discarded',
      reason: 'discarded-by-operator',
      buried: true,
      tries: 0,
    });
    await aWeekLater(bench);
    expect(bench.payments.captureCalls).toEqual([]);
    expect(bench.sent.filter(({ kind }) => kind === KIND)).toEqual([]);
    expect(await bench.deliverNow(KIND, letter.received.body)).toMatchObject({ action: 'ack', outcome: 'duplicate-of-discarded' });
  });

  test('when it has an item of its own and never began: the sweep does not take it for forgotten', async () => {
    const bench = createLetterBench();
    await bench.createOrder('ord-1');
    bench.dispatch();
    await bench.deliverNow(KIND, String(bench.queued[0]?.body));
    expect(await bench.discard(await moved(bench, 'send-receipt', receipt))).toEqual({ outcome: 'discarded' });
    await aWeekLater(bench);
    expect(bench.mails).toEqual([]);
  });

  test('and a plain copy of it, or its letter put back, is archived work that a replay opens again', async () => {
    const bench = createLetterBench();
    await bench.createOrder('ord-1');
    bench.dispatch();
    await bench.deliverNow(KIND, String(bench.queued[0]?.body));
    bench.purge();
    await bench.discard(await moved(bench, 'send-receipt', receipt));
    expect([...bench.objects.stored.values()].map((text) => JSON.parse(text).body)).toEqual([receipt]);
    expect(await bench.replay(await moved(bench, 'send-receipt', receipt))).toEqual({ outcome: 'replayed', rearmed: true });
    bench.carryOver();
    await bench.pass(MINUTE_MS);
    expect(bench.mails).toHaveLength(1);
  });

  test('when the worker that gave it up died before it could mark the letter as sent', async () => {
    const bench = createLetterBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: new ProviderError('provider-rejected-request', { sent: 'no', permanent: true }) });
    const store = {
      ...bench.store,
      write: async (write: Parameters<typeof bench.store.write>[0]) =>
        write.update?.includes('buried') ? Promise.reject(new Error('died')) : bench.store.write(write),
    };
    bench.overrides.store = store;
    await bench.deliverNow(KIND, body);
    bench.overrides.store = bench.store;
    expect(bench.order('ord-1')['op:capture:1']).not.toHaveProperty('buried');
    const [letter] = await bench.take(KIND);
    expect(await bench.discard(letter as DeadLetter)).toEqual({ outcome: 'discarded' });
    await aWeekLater(bench);
    expect(bench.letters).toHaveLength(1);
    expect(bench.order('ord-1')).not.toHaveProperty('overdueAtMs');
  });

  test('and locks out a worker that was frozen since before: it commits nothing, and its charge is refused', async () => {
    const bench = createLetterBench();
    const body = await bench.createOrder('ord-1');
    let thaw = (): void => undefined;
    bench.payments.scripts.push({
      hold: new Promise((resolve) => {
        thaw = () => resolve();
      }),
    });
    const frozen = executeJob(
      { messageId: 'm', receiptHandle: 'r', body, receiveCount: 1, firstReceivedAtMs: bench.clock.nowMs() },
      bench.worker(),
      25_000,
    );
    await expect.poll(() => bench.payments.captureCalls.length).toBe(1);
    const letter = await moved(bench, KIND, body);
    expect(await bench.discard(letter)).toEqual({ outcome: 'refused', code: 'busy' });
    expect(bench.payments.voidCalls).toEqual([]);
    bench.clock.advance(MINUTE_MS);
    expect(await bench.discard(letter)).toEqual({ outcome: 'discarded' });
    thaw();
    expect(await frozen).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
    expect(bench.payments.settledCaptures(ORDER)).toBe(0);
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', 'op:capture:1': { status: 'discarded' } });
  });
});

describe('what a discard leaves alone', () => {
  test('a completed operation: only the letter goes', async () => {
    const bench = createLetterBench();
    const body = await bench.createOrder('ord-1');
    await bench.pass(MINUTE_MS);
    const order = bench.order('ord-1');
    expect(await bench.discard(await moved(bench, KIND, body))).toEqual({ outcome: 'discarded' });
    expect(bench.order('ord-1')).toEqual(order);
    expect(bench.payments.findCalls).toEqual([]);
  });

  test('a payment attempt that its order has not come to: it can still be opened, and is charged once', async () => {
    const bench = createLetterBench();
    const body = (await bench.createOrder('ord-1')).replace('"attempt":1', '"attempt":2').replace('ord-1:1', 'ord-1:2');
    await bench.deliverNow(KIND, body);
    const [letter] = await bench.take(KIND);
    expect(letter?.why?.reason).toBe('attempt-not-opened');
    expect(await bench.discard(letter as DeadLetter)).toEqual({ outcome: 'discarded' });
    bench.payments.scripts.push({ answer: { status: 'declined', reason: 'no' } });
    await bench.pass(MINUTE_MS);
    expect((await customerOf(bench).payAgain('ord-1', 'again')).statusCode).toBe(202);
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });
  });

  test('an overdue mark that another operation of the item still needs', async () => {
    const bench = createLetterBench();
    const body = await bench.createOrder('ord-1');
    bench.putItem({ ...bench.order('ord-1'), 'try:refund:1': 1, overdueShard: '0', overdueAtMs: 5 });
    await bench.discard(await moved(bench, KIND, body));
    expect(bench.order('ord-1')).toMatchObject({ overdueAtMs: 5, 'op:capture:1': { status: 'discarded' } });
  });
});

test('a letter without a reason for it is not discarded, and no entry says so', async () => {
  const bench = createLetterBench();
  const letter = await moved(bench, KIND, await bench.createOrder('ord-1'));
  await expect(discardLetter(letter, { who: 'tester', why: ' ' }, bench.operator(KIND))).rejects.toThrow('say why');
  expect(await bench.audit()).toEqual([]);
  expect(bench.lettersOf(KIND)).toHaveLength(1);
});

test('a letter is archived, whole, before anything of it goes; an archive that fails keeps it where it is', async () => {
  const bench = createLetterBench();
  const body = await bench.createOrder('ord-1');
  const letter = await moved(bench, KIND, body);
  const failing = { ...bench.operator(KIND), archive: { keep: () => Promise.reject(new Error('full')) } };
  await expect(bench.discard(letter, failing)).rejects.toThrow('full');
  expect(bench.lettersOf(KIND)).toHaveLength(1);
  expect(bench.order('ord-1')).not.toHaveProperty('op:capture:1');
  expect(await bench.audit()).toMatchObject([{ outcome: 'failed: Error' }]);
  await bench.discard(letter);
  const [[name, text] = ['', '']] = [...bench.objects.stored];
  expect(name).toBe(`dead-letters/${KIND}-dlq/${letter.received.messageId}.json`);
  expect(JSON.parse(text)).toMatchObject({ queue: `${KIND}-dlq`, kind: KIND, messageId: letter.received.messageId, body });
});

test('a refund that was carried out is not discarded; one that was not is', async () => {
  for (const refund of [true, false]) {
    const bench = createLetterBench();
    await bench.createOrder('ord-1');
    await bench.pass(MINUTE_MS);
    await customerOf(bench).refund('ord-1', 'back');
    bench.dispatch();
    const [message] = bench.queued;
    bench.payments.refundScripts.push({ refund, throws: unanswered() });
    await bench.deliverNow('refund-payment', String(message?.body));
    bench.purge();
    bench.clock.advance(HOUR_MS);
    const letter = await moved(bench, 'refund-payment', String(message?.body));
    expect(await bench.discard(letter)).toEqual(refund ? { outcome: 'refused', code: 'refunded-at-provider' } : { outcome: 'discarded' });
    expect(bench.payments.voidCalls).toEqual([]);
  }
});

/** Two for each request of the longest discard: entry, look, find, void, archive, end, delete, outcome. */
const STEPS = 16;

test.each(Array.from({ length: STEPS }, (_, step) => step))(
  'a tool that dies at step %i of a discard is run again: archived once, ended, gone, and the audit tells of both',
  async (step) => {
    const bench = createLetterBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: unanswered() });
    await bench.deliverNow(KIND, body);
    bench.clock.advance(HOUR_MS);
    const letter = await moved(bench, KIND, body);
    const { world, died } = createMortalOperator(bench.operator(KIND), step);
    expect(await Promise.race([bench.discard(letter, world), died])).toBe('died');
    bench.clock.advance(2 * MINUTE_MS);
    const [again] = await bench.take(KIND);
    // It goes last, so as long as anything is left to do it is there.
    expect(again === undefined).toBe(step >= 13);
    if (again !== undefined) expect(await bench.discard(again)).toEqual({ outcome: 'discarded' });
    expect(bench.objects.stored.size).toBe(1);
    expect(bench.order('ord-1')['op:capture:1']).toMatchObject({ status: 'discarded', buried: true });
    const calls = bench.payments.captureCalls.length;
    await aWeekLater(bench);
    expect(bench.payments.captureCalls).toHaveLength(calls);
    const [first] = await bench.audit();
    expect(first?.outcome).toBe(step === 0 || step === STEPS - 1 ? 'discarded' : undefined);
  },
);

test('a worker that comes in between look and end is not overrun: its result stands', async () => {
  const bench = createLetterBench();
  const body = await bench.createOrder('ord-1');
  const letter = await moved(bench, KIND, body);
  const world = bench.operator(KIND);
  let came = false;
  const archive = {
    keep: async (...given: Parameters<typeof world.archive.keep>) => {
      if (!came) await bench.deliverNow(KIND, body);
      came = true;
      return world.archive.keep(...given);
    },
  };
  expect(await bench.discard(letter, { ...world, archive })).toEqual({ outcome: 'discarded' });
  expect(bench.order('ord-1')).toMatchObject({ status: 'paid', 'op:capture:1': { status: 'completed' } });
});

test('a worker that charges in between and hears nothing is noticed: the provider is asked once more, and the letter stays', async () => {
  const bench = createLetterBench();
  const body = await bench.createOrder('ord-1');
  const letter = await moved(bench, KIND, body);
  const world = bench.operator(KIND);
  bench.payments.scripts.push({ throws: unanswered() });
  let came = false;
  const archive = {
    keep: async (...given: Parameters<typeof world.archive.keep>) => {
      if (!came) await bench.deliverNow(KIND, body);
      came = true;
      return world.archive.keep(...given);
    },
  };
  expect(await bench.discard(letter, { ...world, archive })).toEqual({ outcome: 'refused', code: 'charged-at-provider' });
  expect(bench.lettersOf(KIND)).toHaveLength(1);
  expect(bench.order('ord-1')).not.toHaveProperty('op:capture:1');
});

test('a discard whose every answer from a table is lost once still ends the job once', async () => {
  const bench = createLetterBench();
  const letter = await moved(bench, KIND, await bench.createOrder('ord-1'));
  const lost = new Set<string>();
  bench.aws.fault = ({ service, operation, input }) => {
    const name = `${operation} ${input.TableName ?? ''}`;
    if (service === 'sqs' || lost.has(name)) return undefined;
    lost.add(name);
    return 'apply-then-lose-answer';
  };
  expect(await bench.discard(letter)).toEqual({ outcome: 'discarded' });
  expect(bench.order('ord-1')).toMatchObject({ fence: 1, 'op:capture:1': { status: 'discarded', fence: 1 } });
});

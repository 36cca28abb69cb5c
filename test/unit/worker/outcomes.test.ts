import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { done, PermanentError, RetryableError, UnknownOutcome } from '#shared/worker/outcome.ts';
import { createWorkerBench, USER, type WorkerBench } from '../../support/worker-bench.ts';
import { gate, messageOf, scriptedItem, scriptedJob, succeeding, until } from './scripted-job.ts';

const PROTOCOL_OF_CAPTURE = /^(try|sent|due|hash):|^lease(Owner|Op|UntilMs)$|^overdue/;
const leftovers = (item: Record<string, unknown>): string[] => Object.keys(item).filter((name) => PROTOCOL_OF_CAPTURE.test(name));

async function paidOrder(): Promise<{ bench: WorkerBench; body: string }> {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  await bench.deliver(body);
  bench.aws.calls.length = 0;
  return { bench, body };
}

/** Changes business attributes beside the protocol, as an operator or a restore would. */
const overwrite = (bench: WorkerBench, orderId: string, change: Record<string, unknown>): void =>
  bench.putItem({ ...bench.order(orderId), ...change });

describe('an answer', () => {
  test('that the card was declined is committed, acknowledged and never retried', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, answer: { status: 'declined', reason: 'insufficient-funds' } });
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1')).toMatchObject({
      status: 'payment_declined',
      declineReason: 'insufficient-funds',
      version: 2,
      lease: 'free',
      'op:capture:1': { status: 'completed', result: { declineReason: 'insufficient-funds' } },
    });
    expect(bench.order('ord-1').outbox).toBeUndefined();
    expect(leftovers(bench.order('ord-1'))).toEqual([]);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'duplicate' });
    expect(bench.payments.captureCalls).toHaveLength(1);
  });

  test('costs two writes and no read', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.aws.calls.length = 0;
    await bench.deliver(body);
    expect(bench.aws.calls.map(({ operation }) => operation)).toEqual(['UpdateItem', 'UpdateItem']);
  });

  test('a duplicate makes no call, one refused write, and leaves the item as it is', async () => {
    const { bench, body } = await paidOrder();
    const before = bench.order('ord-1');
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'duplicate' });
    expect(bench.aws.calls.map(({ answer }) => answer)).toEqual(['ConditionalCheckFailedException']);
    expect(bench.order('ord-1')).toEqual(before);
    expect(bench.letters).toEqual([]);
  });
});

// B67
describe('a job that no longer matters', () => {
  test.each([
    ['paid', 'paid'],
    ['refund_pending', 'refund_pending'],
    ['refunded', 'refunded'],
  ])('is recorded as ignored and changes nothing when the order is %s', async (status, reason) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    overwrite(bench, 'ord-1', { status, captureId: 'cap-9' });
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1')).toMatchObject({
      status,
      captureId: 'cap-9',
      version: 1,
      'op:capture:1': { status: 'completed', result: { obsolete: reason } },
    });
    expect(bench.order('ord-1').outbox).toBeUndefined();
    expect(bench.payments.captureCalls).toEqual([]);
  });

  test('is acknowledged when a later attempt is open: no call, no letter, and not a word of it on the item', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    overwrite(bench, 'ord-1', { attempt: 2 });
    const before = bench.order('ord-1');
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'superseded' });
    expect(bench.order('ord-1')).toEqual(before);
    expect(bench.payments.captureCalls).toEqual([]);
    expect(bench.payments.findCalls).toEqual([]);
    expect(bench.letters).toEqual([]);
  });

  test('is a dead letter when its attempt was never opened', async () => {
    const bench = createWorkerBench();
    const body = (await bench.createOrder('ord-1')).replace('"attempt":1', '"attempt":2').replace('ord-1:1', 'ord-1:2');
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'dead-lettered', facts: { code: 'attempt-not-opened' } });
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', version: 1 });
    expect(bench.payments.captureCalls).toEqual([]);
  });

  test('cannot bring a late decline of the first attempt onto an order the second attempt paid', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    const late = gate();
    bench.payments.scripts.push({ charge: false, hold: late.opened, answer: { status: 'declined', reason: 'late' } });
    const first = bench.deliver(body);
    await until(() => bench.payments.captureCalls.length === 1);
    overwrite(bench, 'ord-1', { status: 'paid', attempt: 2, captureId: 'cap-2', fence: 2, lease: 'free' });
    const before = bench.order('ord-1');
    late.open();
    expect(await first).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
    expect(bench.order('ord-1')).toEqual(before);
  });
});

describe('a job behind another run', () => {
  const hold = async (bench: WorkerBench, operation: string): Promise<void> => {
    const nowMs = bench.clock.nowMs();
    const key = orderItemKey(USER, 'ord-1');
    expect(
      await bench.store.write(claimWrite({ key, operation, owner: 'somebody', intentHash: 'h', nowMs, leaseUntilMs: nowMs + 20_000 })),
    ).toMatchObject({ accepted: true });
  };

  test('of another operation waits about as long as that takes, unspent and unwritten', async () => {
    const bench = createWorkerBench({ fraction: 0.999 });
    const body = await bench.createOrder('ord-1');
    await hold(bench, 'refund:1');
    const before = bench.order('ord-1');
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'busy', delayMs: 3_000 });
    expect(bench.order('ord-1')).toEqual(before);
  });

  test('of its own waits until that one’s deadline, unspent and unwritten', async () => {
    const bench = createWorkerBench({ fraction: 0 });
    const body = await bench.createOrder('ord-1');
    const never = gate();
    bench.payments.scripts.push({ hold: never.opened });
    const first = bench.deliver(body, { remainingMs: 20_000 });
    await until(() => bench.payments.captureCalls.length === 1);
    bench.clock.advance(5_000);
    const before = bench.order('ord-1');
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'busy', delayMs: 17_000 });
    expect(bench.order('ord-1')).toEqual(before);
    never.open();
    expect(await first).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  });

  test('of any operation on another order never waits', async () => {
    const bench = createWorkerBench();
    const first = await bench.createOrder('ord-1');
    const second = await bench.createOrder('ord-2');
    const never = gate();
    bench.payments.scripts.push({ hold: never.opened });
    const waiting = bench.deliver(first);
    await until(() => bench.payments.captureCalls.length === 1);
    expect(await bench.deliver(second)).toMatchObject({ action: 'ack', outcome: 'committed' });
    never.open();
    await waiting;
  });
});

test('six copies of a failed job wait once: the early ones are handed back unspent until it is due', async () => {
  const bench = createWorkerBench({ fraction: 0 });
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ charge: false, throws: new RetryableError('later', { sent: 'no' }) });
  await bench.deliver(body);
  const before = bench.order('ord-1');
  for (let copy = 0; copy < 5; copy++)
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back', outcome: 'early', delayMs: 4_000 });
  expect(bench.order('ord-1')).toEqual(before);
  expect(before).toMatchObject({ 'try:capture:1': 1, 'sent:capture:1': 0 });
});

describe('a failure', () => {
  const failing = async (thrown: unknown) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: thrown });
    const ending = await bench.deliver(body);
    return { ending, item: bench.order('ord-1'), bench, body };
  };

  test('of the job itself before anything was sent frees the item, spends the attempt and takes the mark of sending back', async () => {
    const { ending, item, bench } = await failing(new RetryableError('later', { sent: 'no' }));
    expect(ending).toMatchObject({ action: 'hand-back', outcome: 'retry', facts: { code: 'later', attempt: 1 } });
    expect(item).toMatchObject({
      lease: 'free',
      'try:capture:1': 1,
      'sent:capture:1': 0,
      lastError: 'later',
      overdueShard: '0',
      version: 1,
    });
    // Until the message is back, its visibility has passed twice over and five minutes more.
    expect(item.overdueAtMs).toBe(bench.clock.nowMs() + 8_000 + 150_000 + 300_000);
    expect(item['due:capture:1']).toBe(bench.clock.nowMs() + 7_000);
  });

  test.each([
    [
      'a provider error that may have charged',
      new ProviderError('provider-answered-500', { sent: 'maybe' }),
      'unknown',
      'provider-answered-500',
    ],
    ['an unknown outcome', new UnknownOutcome('no-answer'), 'unknown', 'no-answer'],
    ['an error nobody foresaw', new TypeError('x is not a function'), 'retry', 'unexpected-TypeError'],
    ['undefined', undefined, 'retry', 'unexpected-undefined'],
    ['null', null, 'retry', 'unexpected-null'],
    ['a text', 'text', 'retry', 'unexpected-string'],
    ['an object', { code: 1 }, 'retry', 'unexpected-object'],
    ['an error whose name is no name', Object.assign(new Error('x'), { name: 'card 4000000000000002' }), 'retry', 'unexpected-error'],
  ])('%s counts as possibly sent and is asked about first', async (_what, thrown, outcome, code) => {
    const { ending, item, bench, body } = await failing(thrown);
    expect(ending).toMatchObject({ action: 'hand-back', outcome, facts: { code } });
    expect(item).toMatchObject({ lease: 'free', 'sent:capture:1': 1, 'try:capture:1': 1, status: 'pending_payment' });
    bench.clock.advance(60_000);
    await bench.deliver(body);
    expect(bench.payments.findCalls).toHaveLength(1);
    expect(bench.order('ord-1').status).toBe('paid');
  });

  test('that no repetition can help is a dead letter at once, with the body untouched, and acknowledged', async () => {
    const { ending, item, bench, body } = await failing(new ProviderError('provider-rejected-request', { sent: 'no', permanent: true }));
    expect(ending).toMatchObject({ action: 'ack', outcome: 'dead-lettered', facts: { code: 'provider-rejected-request' } });
    expect(bench.letters).toMatchObject([{ body, letter: { reason: 'provider-rejected-request', attempts: 1, schemaVersion: 1 } }]);
    expect(item).toMatchObject({
      lease: 'free',
      status: 'pending_payment',
      version: 1,
      'sent:capture:1': 0,
      'op:capture:1': { status: 'discarded', reason: 'provider-rejected-request', buried: true },
    });
    expect(item.overdueAtMs).toBeUndefined();
  });

  test('of a permanent kind while an earlier attempt may be out, with no answer about it, ends as unresolved', async () => {
    const { bench, body } = await failing(new UnknownOutcome('no-answer'));
    bench.clock.advance(60_000);
    bench.payments.findThrows = new ProviderError('provider-rejected-request', { sent: 'no', permanent: true });
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'unresolved' } });
    expect(bench.letters).toMatchObject([{ letter: { reason: 'unresolved', detail: 'provider-rejected-request' } }]);
  });

  test('of a permanent kind after the provider said that nothing happened keeps its own reason', async () => {
    const { bench, body } = await failing(new UnknownOutcome('no-answer'));
    bench.clock.advance(60_000);
    bench.payments.scripts.push({ charge: false, throws: new ProviderError('provider-rejected-request', { sent: 'no', permanent: true }) });
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'provider-rejected-request' } });
  });
});

describe('the letter of a discarded job', () => {
  const discardedOnce = async (sendFails: boolean) => {
    const bench = createWorkerBench();
    const definition = scriptedJob(() => Promise.reject(new PermanentError('cannot-work')));
    const body = messageOf(definition, { id: 'a' });
    const world = sendFails ? { deadLetters: { send: () => Promise.reject(new Error('queue unreachable')) } } : {};
    const ending = await bench.deliver(body, { definition, world }).catch((error: unknown) => error);
    return { bench, definition, body, ending };
  };

  test('goes out once: later copies are acknowledged without another', async () => {
    const { bench, definition, body } = await discardedOnce(false);
    expect(await bench.deliver(body, { definition })).toMatchObject({ action: 'ack', outcome: 'duplicate-of-discarded' });
    expect(bench.letters).toHaveLength(1);
  });

  test('goes out again for a message replayed from this discard, which the item has forgotten, and not for one of an earlier', async () => {
    const { bench, definition, body } = await discardedOnce(false);
    const record = bench.item(scriptedItem('a'))?.['op:run'];
    const { fence } = record as { fence: number };
    expect(await bench.deliver(body, { definition, replayOf: fence - 1 })).toMatchObject({ outcome: 'duplicate-of-discarded' });
    expect(await bench.deliver(body, { definition, replayOf: fence })).toMatchObject({ outcome: 'dead-lettered' });
    expect(bench.letters).toHaveLength(2);
  });

  test('is made up for by the next copy when it could not be sent, and the message is not acknowledged before', async () => {
    const { bench, definition, body, ending } = await discardedOnce(true);
    expect(ending).toBeInstanceOf(Error);
    expect(bench.item(scriptedItem('a'))).toMatchObject({
      'op:run': { status: 'discarded' },
      overdueShard: '0',
      overdueAtMs: bench.clock.nowMs() + 300_000,
    });
    expect(await bench.deliver(body, { definition })).toMatchObject({
      action: 'ack',
      outcome: 'dead-lettered',
      facts: { code: 'cannot-work' },
    });
    expect(bench.letters).toMatchObject([{ body, letter: { reason: 'cannot-work', attempts: 1 } }]);
    expect(bench.item(scriptedItem('a'))).toMatchObject({ 'op:run': { buried: true } });
  });

  test('still lets the message go when only the mark that it is out could not be written', async () => {
    const bench = createWorkerBench();
    const definition = scriptedJob(() => Promise.reject(new PermanentError('cannot-work')));
    bench.aws.fault = ({ input }) =>
      String(input['UpdateExpression']).includes('#buried') ? { error: 'InternalServerError', status: 500 } : undefined;
    expect(await bench.deliver(messageOf(definition, { id: 'a' }), { definition })).toMatchObject({
      action: 'ack',
      outcome: 'dead-lettered',
    });
    expect(bench.item(scriptedItem('a'))?.['overdueAtMs']).toBeDefined();
  });
});

test('a job of an order that does not exist is a dead letter and brings no item into being', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  const stranger = body.replaceAll('ord-1', 'ord-9');
  expect(await bench.deliver(stranger)).toMatchObject({ action: 'ack', outcome: 'dead-lettered', facts: { code: 'order-not-found' } });
  expect(bench.letters).toMatchObject([{ body: stranger, letter: { reason: 'order-not-found', attempts: 0 } }]);
  expect(bench.item(orderItemKey(USER, 'ord-9'))).toBeUndefined();
  expect(bench.payments.captureCalls).toEqual([]);
});

// B06
describe('another payload under the same key', () => {
  const definition = scriptedJob(succeeding);
  const body = messageOf(definition, { id: 'a', amount: 1 });
  const other = messageOf(definition, { id: 'a', amount: 2 });
  const refused = { action: 'ack', outcome: 'dead-lettered', facts: { code: 'payload-mismatch' } };

  test('is refused for good after the first run, and gets nobody’s answer', async () => {
    const bench = createWorkerBench();
    await bench.deliver(body, { definition });
    const before = bench.item(scriptedItem('a'));
    expect(await bench.deliver(other, { definition })).toMatchObject(refused);
    expect(bench.item(scriptedItem('a'))).toEqual(before);
    expect(bench.letters).toMatchObject([{ body: other, letter: { reason: 'payload-mismatch' } }]);
  });

  test('is refused for good while the first run goes on, not put off as busy', async () => {
    const bench = createWorkerBench();
    const waiting = gate();
    const held = scriptedJob(async (input) => {
      await waiting.opened;
      return succeeding(input);
    });
    const first = bench.deliver(body, { definition: held });
    await until(() => bench.item(scriptedItem('a'))?.['lease'] === 'held');
    expect(await bench.deliver(other, { definition })).toMatchObject(refused);
    waiting.open();
    expect(await first).toMatchObject({ action: 'ack', outcome: 'committed' });
  });

  test('is refused for good between two attempts of the first', async () => {
    const bench = createWorkerBench();
    const failing = scriptedJob(() => Promise.reject(new RetryableError('later', { sent: 'no' })));
    await bench.deliver(body, { definition: failing });
    expect(await bench.deliver(other, { definition: failing })).toMatchObject(refused);
    bench.clock.advance(60_000);
    expect(await bench.deliver(body, { definition })).toMatchObject({ outcome: 'committed' });
  });
});

test('hands back when the business condition broke under a held lease, frees the item and keeps that a charge may be out', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  const answer = gate();
  bench.payments.scripts.push({ holdAnswer: answer.opened });
  const running = bench.deliver(body);
  await until(() => bench.payments.captureCalls.length === 1);
  overwrite(bench, 'ord-1', { status: 'payment_declined' });
  answer.open();
  expect(await running).toMatchObject({ action: 'hand-back', outcome: 'retry', facts: { code: 'guard-failed' } });
  expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', lease: 'free', 'sent:capture:1': 1 });
  expect(bench.order('ord-1')['op:capture:1']).toBeUndefined();
});

test('leaves the overdue mark of another unfinished operation standing, at the commit and when a letter is out', async () => {
  const bench = createWorkerBench();
  const key = orderItemKey(USER, 'ord-1');
  const marks = { overdueShard: '0', overdueAtMs: 99, lastError: 'theirs' };
  await bench.store.write(acceptWrite(key, { 'try:refund:1': 2, ...marks }, [], 1));
  const onOrder = { item: () => key, operation: () => 'other:1' };
  const answering = scriptedJob(async () => done({}), onOrder);
  await bench.deliver(messageOf(answering, { id: 'a' }), { definition: answering });
  expect(bench.order('ord-1')).toMatchObject({ ...marks, 'op:other:1': { status: 'completed' } });

  const hopeless = scriptedJob(() => Promise.reject(new PermanentError('cannot-work')), { ...onOrder, operation: () => 'third:1' });
  await bench.deliver(messageOf(hopeless, { id: 'b' }), { definition: hopeless });
  expect(bench.order('ord-1')).toMatchObject({ 'op:third:1': { status: 'discarded', buried: true }, overdueShard: '0' });
});

test('erases the overdue mark with the commit when no other operation is unfinished', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ charge: false, throws: new RetryableError('later', { sent: 'no' }) });
  await bench.deliver(body);
  expect(bench.order('ord-1').overdueAtMs).toBeDefined();
  bench.clock.advance(60_000);
  await bench.deliver(body);
  expect(bench.order('ord-1')).toMatchObject({ status: 'paid' });
  expect(leftovers(bench.order('ord-1'))).toEqual([]);
  expect(bench.order('ord-1').lastError).toBeUndefined();
});

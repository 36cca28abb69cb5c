import { describe, expect, test } from 'vitest';
import { type DeadLetter, readLetter } from '#shared/dead-letter/read-letter.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';
import { createLetterBench, createMortalOperator, type LetterBench } from './letter-bench.ts';

// B61 B74 B76 B78 B79
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KIND = 'capture-payment';
const ORDER = `${USER}/ord-1`;
const unanswered = (): ProviderError => new ProviderError('provider-answered-500', { sent: 'maybe' });

/** One order whose six attempts are spent: the provider failed each time before it charged. */
async function spent(charge = false): Promise<{ bench: LetterBench; letter: DeadLetter }> {
  const bench = createLetterBench();
  await bench.createOrder('ord-1');
  bench.payments.scripts.push(...Array.from({ length: 6 }, () => ({ charge, throws: unanswered() })));
  if (charge) bench.payments.findThrows = unanswered();
  await bench.pass(charge ? 50 * HOUR_MS : 3 * HOUR_MS);
  bench.payments.findThrows = undefined;
  const [letter] = await bench.take(KIND);
  if (letter === undefined) throw new Error('there is no letter');
  return { bench, letter };
}

/** A message that no code ever came to an end with. */
async function movedBySqs(bench: LetterBench, body: string, attributes = {}): Promise<DeadLetter> {
  const { deadLetterQueueName } = bench.source(KIND);
  bench.aws.sqs.createQueue({
    QueueName: 'crashing',
    Attributes: {
      RedrivePolicy: JSON.stringify({
        deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:${deadLetterQueueName}`,
        maxReceiveCount: 1,
      }),
    },
  });
  const QueueUrl = bench.source(KIND).queueUrl.replace(KIND, 'crashing');
  bench.aws.sqs.handle('SendMessage', { QueueUrl, MessageBody: body, MessageAttributes: attributes });
  bench.aws.sqs.handle('ReceiveMessage', { QueueUrl, VisibilityTimeout: 0 });
  bench.aws.sqs.handle('ReceiveMessage', { QueueUrl, VisibilityTimeout: 0 });
  const [letter] = await bench.take(KIND);
  if (letter === undefined) throw new Error('there is no letter');
  return letter;
}

async function finish(bench: LetterBench): Promise<void> {
  bench.carryOver();
  await bench.pass(HOUR_MS);
}

describe('a letter that newer code wrote', () => {
  test.each(['replay', 'discard'] as const)('is left alone by an older tool (%s): sent unread, its job would be lost', async (act) => {
    const { bench } = await spent();
    bench.clock.advance(10 * MINUTE_MS);
    const [letter] = await bench.take(KIND);
    if (letter === undefined) throw new Error('there is no letter');
    const received = { ...letter.received, body: letter.received.body.replace('"version":1', '"version":2') };
    const newer = readLetter(received, letter.source);
    expect(await bench[act](newer)).toEqual({ outcome: 'refused', code: 'unsupported-version' });
    expect(bench.lettersOf(KIND)).toHaveLength(1);
    expect(bench.messagesOf(KIND)).toEqual([]);
  });
});

describe('a letter that is replayed', () => {
  test('gets its operation armed again with a fresh budget, is sent, and only then deleted; the order is paid under the same key', async () => {
    const { bench, letter } = await spent();
    expect(letter.why).toMatchObject({ reason: 'attempts-spent', attempts: 6 });
    bench.payments.scripts.push(...Array.from({ length: 5 }, () => ({ charge: false, throws: unanswered() })));
    expect(await bench.replay(letter)).toEqual({ outcome: 'replayed', rearmed: true });
    expect(bench.lettersOf(KIND)).toHaveLength(0);
    bench.carryOver();
    await bench.pass(2 * HOUR_MS);
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.payments.captureCalls).toHaveLength(12);
    expect(new Set(bench.payments.captureCalls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
  });

  test('whose charge may be out is asked about before anything is called', async () => {
    const { bench, letter } = await spent(true);
    expect(letter.why?.reason).toBe('unresolved');
    await bench.replay(letter);
    await finish(bench);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', captureId: 'cap-1' });
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
  });

  test('past the life of its key frees an order that was never charged, so that it can be paid by a new attempt', async () => {
    const { bench, letter } = await spent();
    bench.clock.advance(2 * DAY_MS);
    const before = bench.payments.captureCalls.length;
    await bench.replay(letter);
    await finish(bench);
    expect(bench.order('ord-1')).toMatchObject({ status: 'payment_declined', declineReason: 'expired' });
    expect(bench.payments.captureCalls).toHaveLength(before);
    expect((await customerOf(bench).payAgain('ord-1', 'again')).statusCode).toBe(202);
    await bench.pass(MINUTE_MS);
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', attempt: 2 });
    expect(bench.payments.settledCaptures(ORDER)).toBe(1);
  });

  test('fails three times and keeps its body byte for byte, its key and its fresh budget each time', async () => {
    const { bench, letter } = await spent();
    let again = letter;
    for (let round = 1; round <= 3; round++) {
      bench.payments.scripts.push(...Array.from({ length: 6 }, () => ({ charge: false, throws: unanswered() })));
      await bench.replay(again);
      bench.carryOver();
      await bench.pass(2 * HOUR_MS);
      const [next] = await bench.take(KIND);
      if (next === undefined) throw new Error(`no letter after round ${round}`);
      expect(next.received.body).toBe(letter.received.body);
      expect(next.why?.attempts).toBe(6);
      again = next;
    }
    expect(bench.payments.captureCalls).toHaveLength(24);
  });

  test('of a completed operation is refused, touches nothing and stays where it is', async () => {
    const { bench, letter } = await spent();
    await bench.replay(letter);
    await finish(bench);
    bench.aws.sqs.handle('SendMessage', {
      QueueUrl: bench.source(KIND).queueUrl.replace(KIND, `${KIND}-dlq`),
      MessageBody: letter.received.body,
    });
    const [copy] = await bench.take(KIND);
    const order = bench.order('ord-1');
    expect(await bench.replay(copy as DeadLetter)).toEqual({ outcome: 'refused', code: 'already-completed' });
    expect(bench.order('ord-1')).toEqual(order);
    expect(bench.lettersOf(KIND)).toHaveLength(1);
    expect(bench.messagesOf(KIND)).toHaveLength(0);
  });

  test('of another payload under a known key is refused and does not open the operation of the first one', async () => {
    const { bench } = await spent();
    const receipt = (captureId: string) =>
      JSON.stringify({
        kind: 'send-receipt',
        version: 1,
        idempotencyKey: `receipt:${USER}/ord-1:1`,
        payload: { userId: USER, orderId: 'ord-1', attempt: 1, amountMinor: 1, currency: 'EUR', captureId },
        enqueuedAt: '2026-11-30T10:00:00.000Z',
      });
    bench.overrides.gate = {
      admit: async () =>
        ({
          admitted: true,
          askFirst: false,
          ports: { mail: { send: () => Promise.reject(new TypeError('x')), wasSent: async () => false } },
        }) as never,
    };
    for (let tries = 0; tries < 12; tries++) {
      await bench.deliverNow('send-receipt', receipt('cap-1'));
      bench.clock.advance(20 * MINUTE_MS);
    }
    await bench.deliverNow('send-receipt', receipt('cap-2'));
    const letters = await bench.take('send-receipt');
    const mismatch = letters.find(({ why }) => why?.reason === 'payload-mismatch') as DeadLetter;
    expect(await bench.replay(mismatch)).toEqual({ outcome: 'refused', code: 'payload-mismatch' });
    const item = bench.item(mismatch.job?.target.key as never);
    expect(item?.['op:run']).toMatchObject({ status: 'discarded' });
    expect(await bench.discard(mismatch)).toEqual({ outcome: 'discarded' });
    expect(bench.item(mismatch.job?.target.key as never)).toEqual(item);
  });

  test('of an order that is not there is refused: it would be back at once', async () => {
    const bench = createLetterBench();
    const body = (await bench.createOrder('ord-1')).replaceAll('ord-1', 'ord-9');
    await bench.deliverNow(KIND, body);
    const [letter] = await bench.take(KIND);
    expect(await bench.replay(letter as DeadLetter)).toEqual({ outcome: 'refused', code: 'item-not-found' });
    expect(bench.lettersOf(KIND)).toHaveLength(1);
  });

  test('that nobody can read goes back as it is, without a look at any item', async () => {
    const bench = createLetterBench();
    const body = '{ "kind":"capture-payment", "big": 12345678901234567890, "text": "\\u00e9 " }  ';
    await bench.deliverNow(KIND, body);
    const [letter] = await bench.take(KIND);
    expect(letter?.unreadable?.reason).toBe('malformed');
    expect(await bench.replay(letter as DeadLetter)).toEqual({ outcome: 'replayed', rearmed: false });
    expect(bench.messagesOf(KIND).map((message) => message.body)).toEqual([body]);
  });
});

describe('a letter that SQS moved by itself', () => {
  test('is understood, sent without touching its operation, and keeps every attribute but the reason', async () => {
    const bench = createLetterBench();
    const body = await bench.createOrder('ord-1');
    bench.loseStream();
    const attributes = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`a${index}`, { DataType: 'String', StringValue: `v${index}` }]),
    );
    const letter = await movedBySqs(bench, body, {
      ...attributes,
      raw: { DataType: 'Binary', BinaryValue: Buffer.from([1, 2, 255]).toString('base64') },
    });
    expect(letter).toMatchObject({ movedBySqs: true, why: undefined, job: { key: `capture:${ORDER}:1` } });
    expect(await bench.replay(letter)).toEqual({ outcome: 'replayed', rearmed: false });
    const [message] = bench.messagesOf(KIND);
    expect(message).toMatchObject({ body, attributes: { ...attributes, raw: { DataType: 'Binary', BinaryValue: 'AQL/' } } });
    await finish(bench);
    expect(bench.order('ord-1').status).toBe('paid');
  });

  test('loses the reason of an earlier death, or it would be taken for one that is moved back by hand, and says which death it was', async () => {
    const { bench, letter } = await spent();
    expect(letter.received.attributes['andal']).toBeDefined();
    await bench.replay(letter);
    const { fence } = bench.order('ord-1') as { fence: number };
    expect(bench.messagesOf(KIND)[0]?.attributes).toMatchObject({ 'andal-replay': { DataType: 'Number', StringValue: String(fence) } });
    expect(bench.messagesOf(KIND)[0]?.attributes).not.toHaveProperty('andal');
  });
});

describe('on a FIFO queue', () => {
  const adjustment = JSON.stringify({
    kind: 'adjust-stock',
    version: 1,
    idempotencyKey: 'adjust:bolt/a-1',
    payload: { sku: 'bolt', adjustmentId: 'a-1', delta: -5 },
    enqueuedAt: '2026-11-30T10:00:00.000Z',
  });

  async function shortage(): Promise<{ bench: LetterBench; letter: DeadLetter }> {
    const bench = createLetterBench();
    const { queueUrl } = bench.source('adjust-stock');
    const worker = { ...bench.worker(bench.source('adjust-stock').definition), deadLetters: bench.overrides.deadLetters as never };
    bench.aws.sqs.handle('SendMessage', {
      QueueUrl: queueUrl,
      MessageBody: adjustment,
      MessageGroupId: 'bolt',
      MessageDeduplicationId: 'first',
    });
    bench.carryOver();
    const { executeJob } = await import('#shared/worker/execute-job.ts');
    const delivery = {
      messageId: 'm',
      receiptHandle: 'r',
      body: adjustment,
      receiveCount: 1,
      firstReceivedAtMs: bench.clock.nowMs(),
      fifoGroup: 'bolt',
    };
    await executeJob(delivery, worker, 25_000);
    bench.queued.length = 0;
    const [letter] = await bench.take('adjust-stock');
    if (letter === undefined) throw new Error('there is no letter');
    return { bench, letter };
  }

  test('a replay within five minutes keeps the group and is not swallowed as a repetition', async () => {
    const { bench, letter } = await shortage();
    expect(letter.why?.reason).toBe('stock-insufficient');
    expect(await bench.replay(letter)).toEqual({ outcome: 'replayed', rearmed: true });
    const [message] = bench.messagesOf('adjust-stock');
    expect(message).toMatchObject({ body: adjustment, system: { MessageGroupId: 'bolt' } });
    expect(message?.system['MessageDeduplicationId']).toMatch(/^[0-9a-f]{64}$/);
  });

  test('two letters of one key are two messages, one letter sent twice is one', async () => {
    const { bench, letter } = await shortage();
    await bench.replay(letter);
    await bench.replay(letter);
    expect(bench.messagesOf('adjust-stock')).toHaveLength(1);
    await bench.replay({ ...letter, received: { ...letter.received, messageId: 'another' } });
    expect(bench.messagesOf('adjust-stock')).toHaveLength(2);
  });

  test('a body nobody can read has an id of its own, too', async () => {
    const { bench, letter } = await shortage();
    await bench.replay({ ...letter, job: undefined });
    expect(bench.messagesOf('adjust-stock')).toHaveLength(1);
  });
});

describe('a letter is not deleted', () => {
  test.each([
    ['its queue is gone', { error: 'QueueDoesNotExist' }, 'QueueDoesNotExist'],
    ['nobody may send', { error: 'AccessDenied', status: 403 }, 'AccessDenied'],
    ['there is no answer', 'apply-then-lose-answer' as const, 'unanswered'],
    ['only its entry failed', { failedEntries: { '0': { Code: 'InternalError' } } }, 'InternalError'],
  ])('when %s', async (_why, fault, code) => {
    const { bench, letter } = await spent();
    bench.aws.fault = ({ operation }) => (operation === 'SendMessageBatch' ? (fault as never) : undefined);
    expect(await bench.replay(letter)).toEqual({ outcome: 'not-sent', code });
    bench.aws.fault = undefined;
    expect(bench.lettersOf(KIND)).toHaveLength(1);
    expect((await bench.audit()).at(-1)?.outcome).toBe(`not-sent: ${code}`);
    bench.clock.advance(2 * MINUTE_MS);
    const [again] = await bench.take(KIND);
    expect(await bench.replay(again as DeadLetter)).toEqual({ outcome: 'replayed', rearmed: false });
    await finish(bench);
    expect(bench.order('ord-1').status).toBe('paid');
  });

  test('before its message was accepted: the order of all requests of a replay', async () => {
    const { bench, letter } = await spent();
    bench.aws.calls.length = 0;
    await bench.replay(letter);
    expect(bench.aws.calls.map(({ operation, input }) => `${operation} ${input.TableName ?? ''}`.trim())).toEqual([
      'UpdateItem Control',
      'PutItem Control',
      'GetItem State',
      'UpdateItem State',
      'SendMessageBatch',
      'DeleteMessageBatch',
      'UpdateItem Control',
    ]);
  });

  test('when there is no audit entry: nothing at all is done', async () => {
    const { bench, letter } = await spent();
    const before = bench.order('ord-1');
    bench.aws.fault = ({ input }) => (input.TableName === 'Control' ? { error: 'AccessDeniedException' } : undefined);
    await expect(bench.replay(letter)).rejects.toThrow();
    expect(bench.order('ord-1')).toEqual(before);
    expect(bench.lettersOf(KIND)).toHaveLength(1);
    expect(bench.messagesOf(KIND)).toHaveLength(0);
  });
});

/** Two for each request of the longest replay: entry, look, arm, send, delete, outcome. */
const STEPS = 12;

test.each(Array.from({ length: STEPS }, (_, step) => step))(
  'a tool that dies at step %i of a replay is run again: nothing is lost, nothing happens twice, the audit tells of both',
  async (step) => {
    for (const meanwhile of ['nothing', 'workers', 'sweep'] as const) {
      const { bench, letter } = await spent();
      const { world, died } = createMortalOperator(bench.operator(KIND), step);
      expect(await Promise.race([bench.replay(letter, world), died])).toBe('died');
      if (meanwhile !== 'nothing') await finish(bench);
      if (meanwhile === 'sweep') await sweepADayLater(bench);
      bench.clock.advance(2 * MINUTE_MS);
      const [again] = await bench.take(KIND);
      if (again !== undefined) {
        const replayed = await bench.replay(again);
        if (replayed.outcome === 'refused') expect(await bench.discard(again)).toEqual({ outcome: 'discarded' });
      }
      await finish(bench);
      expect(['paid', 'payment_declined']).toContain(bench.order('ord-1').status);
      expect(bench.payments.settledCaptures(ORDER)).toBe(bench.order('ord-1').status === 'paid' ? 1 : 0);
      expect(bench.mails).toHaveLength(bench.payments.settledCaptures(ORDER));
      expect(bench.lettersOf(KIND)).toHaveLength(0);
      const [first] = await bench.audit();
      // The entry of a tool that died before it was in is not there; that of one that died before its end was in has none.
      const seen = step === 0 || step === STEPS - 1 ? expect.stringMatching(/^replayed, armed again as \S+$/) : undefined;
      expect(first?.outcome).toEqual(seen);
    }
  },
);

async function sweepADayLater(bench: LetterBench): Promise<void> {
  bench.clock.advance(DAY_MS);
  await bench.sweep();
  await bench.pass(HOUR_MS);
}

test('a replay whose every request is answered late or twice still armed, sent and deleted once', async () => {
  const { bench, letter } = await spent();
  const lost = new Set<string>();
  bench.aws.fault = ({ service, operation, input }) => {
    const name = `${operation} ${input.TableName ?? ''}`;
    if (service === 'sqs' || lost.has(name)) return undefined;
    lost.add(name);
    return 'apply-then-lose-answer';
  };
  expect(await bench.replay(letter)).toEqual({ outcome: 'replayed', rearmed: true });
  await finish(bench);
  expect(bench.order('ord-1').status).toBe('paid');
  expect(await bench.audit()).toMatchObject([{ outcome: expect.stringMatching(/^replayed, armed again as \S+$/) }]);
});

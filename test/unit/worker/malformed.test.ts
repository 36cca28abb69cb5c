import { describe, expect, test } from 'vitest';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

const good = {
  kind: 'capture-payment',
  version: 1,
  idempotencyKey: 'capture:u-1/ord-1:1',
  payload: { userId: 'u-1', orderId: 'ord-1', attempt: 1 },
  enqueuedAt: '2026-11-30T10:00:00.000Z',
};
const without = (name: string): object => Object.fromEntries(Object.entries(good).filter(([field]) => field !== name));
const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

// B04, B06, B18
describe('a body that cannot be run', () => {
  test.each([
    ['not JSON', '{not json', 'not-json'],
    ['empty', '', 'not-json'],
    ['null', 'null', 'body: Invalid input: expected object, received null'],
    ['an array', '[]', 'body: Invalid input: expected object, received array'],
    ['a text', '"text"', 'body: Invalid input: expected object, received string'],
    ['a number', '1', 'body: Invalid input: expected object, received number'],
    ['base64', Buffer.from(JSON.stringify(good)).toString('base64'), 'not-json'],
    ['JSON within JSON', JSON.stringify(JSON.stringify(good)), 'body: Invalid input: expected object, received string'],
    ['of another kind', JSON.stringify({ ...good, kind: 'send-receipt' }), 'this queue runs capture-payment, not another kind'],
    ['with an unknown field', JSON.stringify({ ...good, extra: 1 }), '1 unknown field(s)'],
    [
      'with an unknown field in its payload',
      JSON.stringify({ ...good, payload: { ...good.payload, a: 1, b: 2 } }),
      '2 unknown field(s) in payload',
    ],
    ['without a key', JSON.stringify(without('idempotencyKey')), 'idempotencyKey: Invalid input: expected string, received undefined'],
    [
      'with an empty key',
      JSON.stringify({ ...good, idempotencyKey: '' }),
      'idempotencyKey: must be 1 to 128 printable ASCII characters without spaces',
    ],
    [
      'with a key that is not the derived one',
      JSON.stringify({ ...good, idempotencyKey: 'capture:u-1/ord-2:1' }),
      'idempotencyKey is not the one its payload gives',
    ],
    ['without a payload', JSON.stringify(without('payload')), 'payload: Invalid input: expected record, received undefined'],
    [
      'without an order',
      JSON.stringify({ ...good, payload: { userId: 'u-1', attempt: 1 } }),
      'payload.orderId: Invalid input: expected string, received undefined',
    ],
    [
      'with a numeric id',
      JSON.stringify(good).replace('"ord-1"', '12345678901234567890'),
      'payload.orderId: Invalid input: expected string, received number',
    ],
    [
      'with a broken attempt',
      JSON.stringify({ ...good, payload: { ...good.payload, attempt: 1.5 } }),
      'payload.attempt: Invalid input: expected int, received number',
    ],
    ['of 17 KB', JSON.stringify({ ...good, trace: 'x'.repeat(17 * 1024) }), 'too-large'],
    ['nested deeply', nested(2_000), 'too-deep'],
    ['with a prototype trick', JSON.stringify(good).replace('"attempt"', '"__proto__":{"a":1},"attempt"'), 'forbidden-name'],
    [
      'with a constructor trick',
      JSON.stringify({ ...good, payload: { ...good.payload, constructor: { prototype: {} } } }),
      'forbidden-name',
    ],
  ])('(%s) is a dead letter after one delivery, byte for byte and with its reason', async (_what, body, detail) => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    bench.aws.calls.length = 0;
    expect(await bench.deliver(body)).toEqual({ action: 'ack', outcome: 'dead-lettered', facts: { code: 'malformed' } });
    expect(bench.letters).toHaveLength(1);
    expect(bench.letters[0]).toMatchObject({ body, letter: { reason: 'malformed', detail, attempts: 0 } });
    expect(bench.aws.calls).toEqual([]);
    expect(bench.payments.captureCalls).toEqual([]);
  });

  test('is not acknowledged while its letter cannot be sent', async () => {
    const bench = createWorkerBench();
    await expect(
      bench.deliver('{', { world: { deadLetters: { send: () => Promise.reject(new Error('queue unreachable')) } } }),
    ).rejects.toThrow('queue unreachable');
  });
});

// B94
describe('a version this code does not read', () => {
  const LIMIT_MS = 24 * 3_600_000;
  const future = JSON.stringify({ ...good, version: 2 });
  const handedBack = (delayMs: number) => ({
    action: 'hand-back',
    outcome: 'unsupported-version',
    delayMs,
    facts: { code: 'unsupported-version', version: 2 },
  });

  test.each([
    [0, 450_000],
    [0.5, 675_000],
    [0.999, 900_000],
  ])('waits half to all of 15 minutes for the rollout that brings its code, untouched (chance %d)', async (fraction, delayMs) => {
    const bench = createWorkerBench({ fraction });
    await bench.createOrder('ord-1');
    bench.aws.calls.length = 0;
    expect(await bench.deliver(future)).toEqual(handedBack(delayMs));
    expect(bench.aws.calls).toEqual([]);
    expect(bench.letters).toEqual([]);
    expect(bench.payments.captureCalls).toEqual([]);
  });

  test('waits as long each time, and is a dead letter 24 hours after it first came, byte for byte and with both versions', async () => {
    const bench = createWorkerBench({ fraction: 0.999 });
    const firstReceivedAtMs = bench.clock.nowMs();
    for (let waits = 0; waits < 96; waits++) {
      expect(await bench.deliver(future, { firstReceivedAtMs })).toEqual(handedBack(900_000));
      bench.clock.advance(900_000);
    }
    expect(bench.clock.nowMs() - firstReceivedAtMs).toBe(LIMIT_MS);
    expect(await bench.deliver(future, { firstReceivedAtMs })).toEqual({
      action: 'ack',
      outcome: 'dead-lettered',
      facts: { code: 'unsupported-version', version: 2 },
    });
    expect(bench.letters).toMatchObject([
      {
        body: future,
        letter: {
          reason: 'unsupported-version',
          detail: 'version 2, this code reads 1',
          schemaVersion: 2,
          attempts: 0,
          firstSeenAt: new Date(firstReceivedAtMs).toISOString(),
        },
      },
    ]);
  });

  test('still waits a millisecond before the limit, and both shrink with the stage’s scale', async () => {
    const bench = createWorkerBench({ fraction: 0.999 });
    const ago = (ageMs: number) => ({ firstReceivedAtMs: bench.clock.nowMs() - ageMs });
    expect(await bench.deliver(future, ago(LIMIT_MS - 1))).toEqual(handedBack(900_000));
    const world = { timeScale: 0.1 };
    expect(await bench.deliver(future, { ...ago(LIMIT_MS / 10 - 1), world })).toEqual(handedBack(90_000));
    expect(await bench.deliver(future, { ...ago(LIMIT_MS / 10), world })).toMatchObject({ action: 'ack', outcome: 'dead-lettered' });
  });

  test('runs as any other once code that reads it is there', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    expect(await bench.deliver(future)).toMatchObject({ action: 'hand-back' });
    expect(await bench.deliver(future, { definition: { ...capturePayment, version: 2 } })).toMatchObject({ outcome: 'committed' });
    expect(bench.order('ord-1').status).toBe('paid');
  });
});

test('letters of one cause share a fingerprint, others do not', async () => {
  const bench = createWorkerBench();
  for (const body of ['{', '{{', '[]', JSON.stringify({ ...good, kind: 'other' })]) await bench.deliver(body);
  const [first, second, third, fourth] = bench.letters.map(({ letter }) => letter.fingerprint);
  expect(first).toBe(second);
  expect(new Set([first, third, fourth]).size).toBe(3);
});

test('two messages of different orders that lack their key share nothing', async () => {
  const bench = createWorkerBench();
  for (const orderId of ['ord-1', 'ord-2']) {
    await bench.createOrder(orderId);
    const { idempotencyKey: _, ...rest } = { ...good, payload: { ...good.payload, orderId } };
    expect(await bench.deliver(JSON.stringify(rest))).toMatchObject({ outcome: 'dead-lettered' });
    expect(Object.keys(bench.order(orderId)).filter((name) => /^(op|try):/.test(name))).toEqual([]);
  }
  expect(bench.letters.map(({ letter }) => letter.reason)).toEqual(['malformed', 'malformed']);
});

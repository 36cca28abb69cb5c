import { describe, expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { readLetter } from '#shared/dead-letter/read-letter.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { type AnyJobDefinition, defineJob, job } from '#shared/worker/define-job.ts';
import { fifoIds } from '#shared/worker/fifo-ids.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { PermanentError } from '#shared/worker/outcome.ts';
import { olderVersion } from '#shared/worker/payload-versions.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

const older = { payload: z.strictObject({ userId: z.string(), orderId: z.string(), attempt: z.int() }) };
/** Version 2 of the capture says where it was ordered and calls the attempt by another name. */
const payload = z.strictObject({ userId: z.string(), orderId: z.string(), paymentAttempt: z.int(), channel: z.enum(['web', 'shop']) });
type Payload = z.infer<typeof payload>;
type Old = z.infer<typeof older.payload>;
const asOld = ({ userId, orderId, paymentAttempt: attempt }: Payload): Old => ({ userId, orderId, attempt });

const seen: unknown[] = [];
const inVersion2 = (upgrade: (old: Old) => Payload = upgraded): AnyJobDefinition => {
  const { item, operation, current, asksAtOnce, ask, run, ...rest } = capturePayment;
  return defineJob({
    ...(rest as unknown as object),
    version: 2,
    payload,
    versions: { 1: olderVersion(older.payload, upgrade) },
    key: (given: Payload) => capturePayment.key(asOld(given)),
    item: (given: Payload) => item?.(asOld(given)),
    operation: (given: Payload) => operation?.(asOld(given)),
    current: (given: Payload) => current?.(asOld(given)),
    intent: (given: Payload) => capturePayment.intent(asOld(given)),
    run: (input: { payload: Payload }) => {
      seen.push(input.payload);
      return run({ ...input, payload: asOld(input.payload) } as never);
    },
  } as never);
};
const upgraded = ({ attempt, ...ids }: Old): Payload => ({ ...ids, paymentAttempt: attempt, channel: 'web' });

const ORDER = { userId: 'u-1', orderId: 'ord-1' };
const messageOf = (definition: AnyJobDefinition, given: object): string => JSON.stringify(outboxMessage(job(definition, given), 0));
const V1 = messageOf(capturePayment, { ...ORDER, attempt: 1 });
const V2 = messageOf(inVersion2(), { ...ORDER, paymentAttempt: 1, channel: 'shop' });

describe('a message of an earlier version', () => {
  test('runs as one of today’s, under the key it was written with, and its version is in the facts', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    seen.length = 0;
    expect(await bench.deliver(V1, { definition: inVersion2() })).toMatchObject({ outcome: 'committed', facts: { version: 1 } });
    expect(seen).toEqual([{ ...ORDER, paymentAttempt: 1, channel: 'web' }]);
    expect(bench.payments.captureCalls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['capture:u-1/ord-1:1']);
  });

  test('says nothing of its version in the facts where it is today’s', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    expect((await bench.deliver(V1)).facts).not.toHaveProperty('version');
  });

  // B94
  test.each([
    ['the old version first', [V1, V2]],
    ['the new version first', [V2, V1]],
  ])('is one job with its twin of the new version: one charge and a duplicate (%s)', async (_order, bodies) => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    const outcomes: string[] = [];
    for (const body of bodies) outcomes.push((await bench.deliver(body, { definition: inVersion2() })).outcome);
    expect(outcomes).toEqual(['committed', 'duplicate']);
    expect(bench.payments.captureCalls).toHaveLength(1);
  });

  // B89, B94
  test('is finished by the old code after the new code had begun it and was rolled back, with one charge', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    bench.payments.scripts.push({ charge: false, throws: new ProviderError('provider-timeout', { sent: 'maybe' }) });
    expect(await bench.deliver(V1, { definition: inVersion2() })).toMatchObject({ action: 'hand-back' });
    bench.clock.advance(3_600_000);
    expect(await bench.deliver(V1)).toMatchObject({ outcome: 'committed' });
    expect(bench.order('ord-1').status).toBe('paid');
    expect(bench.payments.captureCalls).toHaveLength(2);
    expect(new Set(bench.payments.captureCalls.map((call) => JSON.stringify(call))).size).toBe(1);
    expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  });

  test('keeps its body byte for byte when it becomes a letter, with its own version', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    const spaced = V1.replace('{"kind"', '{  "kind"');
    const definition = { ...inVersion2(), run: () => Promise.reject(new PermanentError('no-such-thing')) };
    expect(await bench.deliver(spaced, { definition })).toMatchObject({ outcome: 'dead-lettered' });
    expect(bench.letters).toMatchObject([{ body: spaced, letter: { reason: 'no-such-thing', schemaVersion: 1 } }]);
  });

  test('with a field its version does not know is malformed, though the new version has it', async () => {
    const bench = createWorkerBench();
    const mixed = V1.replace('"attempt":1', '"attempt":1,"channel":"web"');
    expect(await bench.deliver(mixed, { definition: inVersion2() })).toMatchObject({ outcome: 'dead-lettered' });
    expect(bench.letters).toMatchObject([{ letter: { reason: 'malformed', detail: '1 unknown field(s) in payload' } }]);
  });

  test.each([
    ['changes the key', (old: Old) => ({ ...upgraded(old), orderId: 'ord-2' }), 'idempotencyKey is not the one its payload gives'],
    ['gives no payload of today’s', (old: Old) => ({ ...upgraded(old), channel: 'fax' }) as never, 'version 1 could not be upgraded to 2'],
    [
      'throws, with the payload in its words',
      (old: Old) => {
        throw new Error(JSON.stringify(old));
      },
      'version 1 could not be upgraded to 2',
    ],
  ])('is not run when its upgrade %s: a letter without a call, which mended code can read', async (_what, upgrade, detail) => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    bench.aws.calls.length = 0;
    expect(await bench.deliver(V1, { definition: inVersion2(upgrade) })).toMatchObject({ action: 'ack', outcome: 'dead-lettered' });
    expect(bench.letters).toMatchObject([{ body: V1, letter: { reason: 'malformed', detail } }]);
    expect(bench.aws.calls).toEqual([]);
    expect(bench.payments.captureCalls).toEqual([]);
    const received = { messageId: 'm', receiptHandle: 'r', body: V1, attributes: {}, sentAtMs: 0 } as never;
    const source = { deadLetterQueueName: 'd', queueUrl: 'q', fifo: false, definition: inVersion2() };
    expect(readLetter(received, source).job).toMatchObject({ body: V1, key: 'capture:u-1/ord-1:1' });
  });

  test('goes into the same FIFO group as its twin of the new version', () => {
    const definition = defineJob({
      ...adjustStock,
      version: 2,
      payload: z.strictObject({ article: z.string(), adjustmentId: z.string(), delta: z.int() }),
      versions: { 1: olderVersion(adjustStock.payload, ({ sku, ...rest }) => ({ article: sku, ...rest })) },
      key: ({ article, adjustmentId }: { article: string; adjustmentId: string }) => `adjust:${article}/${adjustmentId}`,
      queue: { ...adjustStock.queue, fifoGroup: ({ article }: { article: string }) => article },
    } as never) as AnyJobDefinition;
    const old = outboxMessage(job(adjustStock, { sku: 'bolt', adjustmentId: 'a', delta: 1 }), 0);
    const own = outboxMessage(job(definition, { article: 'bolt', adjustmentId: 'a', delta: 1 }), 0);
    expect(fifoIds(old, () => definition)).toEqual(fifoIds(own, () => definition));
    expect(fifoIds(old, () => definition)?.group).toBe('bolt');
  });
});

describe('a message of newer code that older code sends on', () => {
  const sent = (payload: Record<string, unknown>, version = 2) =>
    fifoIds({ ...outboxMessage(job(adjustStock, { sku: 'bolt', adjustmentId: 'a', delta: 1 }), 0), version, payload }, () => adjustStock);

  test('keeps its FIFO group where the field that names it is called the same', () =>
    expect(sent({ sku: 'bolt', adjustmentId: 'a', delta: 1, shelf: 'x' })?.group).toBe('bolt'));

  test.each([
    ['another name', { article: 'bolt' }],
    ['another type', { sku: 7 }],
    ['what is no group', { sku: 'two words' }],
  ])('has a group of its own where that field has %s', (_what, payload) => {
    const ids = sent(payload);
    expect(ids?.group).toBe(ids?.deduplicationId);
  });

  test('is not trusted with a group when it claims a version that is known', () => {
    const ids = sent({ sku: 'bolt', adjustmentId: 'a', delta: 1, shelf: 'x' }, 1);
    expect(ids?.group).toBe(ids?.deduplicationId);
  });
});

describe('a version whose reader was removed', () => {
  const { versions: _, ...rest } = inVersion2();
  const definition = defineJob({ ...rest, oldestVersion: 2 } as AnyJobDefinition);

  test('waits a day as one from the future does, and its letter says what this code reads', async () => {
    const bench = createWorkerBench();
    await bench.createOrder('ord-1');
    expect(await bench.deliver(V1, { definition })).toMatchObject({
      action: 'hand-back',
      outcome: 'unsupported-version',
      facts: { version: 1 },
    });
    const firstReceivedAtMs = bench.clock.nowMs() - 24 * 3_600_000;
    await bench.deliver(V1, { definition, firstReceivedAtMs });
    expect(bench.letters).toMatchObject([{ body: V1, letter: { reason: 'unsupported-version', detail: 'version 1, this code reads 2' } }]);
  });
});

describe('a definition', () => {
  const define = (fields: object) => () => defineJob({ ...capturePayment, ...fields } as never);
  const reader = olderVersion(older.payload, (old) => old);

  test.each([
    ['without its upgrade', { version: 2 }, /writes version 2 and cannot read version 1: add `versions: \{ 1: olderVersion/],
    ['with a gap', { version: 3, versions: { 1: reader } }, /cannot read version 2/],
    ['with a gap at its oldest version', { version: 3, oldestVersion: 1, versions: { 2: reader } }, /cannot read version 1/],
    ['with an upgrade of its own version', { version: 1, versions: { 1: reader } }, /version 1 is none of the earlier versions \(none\)/],
    ['with an upgrade below its oldest', { version: 3, oldestVersion: 2, versions: { 1: reader, 2: reader } }, /version 1 is none of/],
    ['with an oldest version above its own', { version: 1, oldestVersion: 2 }, /oldestVersion/],
    ['with a version that is no number of a version', { version: 1.5 }, /whole numbers/],
    ['with version 0', { version: 0, oldestVersion: 0 }, /whole numbers/],
  ])('%s is refused where it stands', (_what, fields, message) => expect(define(fields)).toThrow(message));

  test('with every earlier version, or from its oldest on, is one', () => {
    expect(define({ version: 3, versions: { 1: reader, 2: reader } })).not.toThrow();
    expect(define({ version: 3, oldestVersion: 2, versions: { 2: reader } })).not.toThrow();
    expect(define({ version: 3, oldestVersion: 3 })).not.toThrow();
  });

  test('whose upgrade gives something else than today’s payload does not compile', () => {
    const version = olderVersion(z.strictObject({ a: z.string() }), ({ a }) => ({ b: a }));
    expectTypeOf(version.upgrade).returns.toEqualTypeOf<{ b: string }>();
    const base = { kind: 'x', version: 2, payload: z.strictObject({ b: z.string() }), key: ({ b }: { b: string }) => b };
    const rest = {
      intent: () => ({}),
      timing: capturePayment.timing,
      queue: capturePayment.queue,
      result: z.unknown(),
      run: capturePayment.run,
    };
    defineJob<{ b: string }, unknown>({ ...base, ...rest, versions: { 1: version } } as never);
    // @ts-expect-error a number where the payload has a text
    const wrong: typeof version = olderVersion(z.strictObject({ a: z.number() }), ({ a }) => ({ b: a }));
    // @ts-expect-error no upgrade
    const missing: typeof version = { payload: z.strictObject({ a: z.string() }) };
    expect([wrong, missing]).toHaveLength(2);
  });
});

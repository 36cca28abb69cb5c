import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type CaptureAnswer, ProviderError } from '#shared/payments/payment-port.ts';
import { done } from '#shared/worker/outcome.ts';
import { createWorkerBench, type WorkerBench } from '../../support/worker-bench.ts';
import { messageOf, scriptedItem, scriptedJob } from './scripted-job.ts';

class Odd {
  readonly text = 'odd';
}

// B08
describe('a provider that charges and answers oddly', () => {
  const charged = { status: 'captured', captureId: 'cap-1', amountMinor: 4999, currency: 'EUR' };

  test.each([
    ['a date beside the answer', { ...charged, at: new Date(0) }],
    ['a class instance beside it', { ...charged, raw: new Odd() }],
    ['a nested undefined beside it', { ...charged, raw: { nested: undefined } }],
    ['450 KB beside it', { ...charged, raw: 'x'.repeat(450_000) }],
  ])('with %s is taken at its word, and only the small plain result is stored', async (_what, answer) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ answer: answer as CaptureAnswer });
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1')['op:capture:1']).toMatchObject({ result: { captureId: 'cap-1' } });
    expect(JSON.stringify(bench.order('ord-1')).length).toBeLessThan(2_000);
  });

  test.each([
    ['a date', new Date(0)],
    ['a class instance', new Odd()],
    ['a BigInt', 1n],
    ['NaN', Number.NaN],
    ['undefined', undefined],
    ['450 KB', 'x'.repeat(450_000)],
  ])('with %s for a capture id is asked again instead of charged again, and ends paid', async (_what, captureId) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ answer: { ...charged, captureId } as never });
    expect(await bench.deliver(body)).toMatchObject({ action: 'hand-back' });
    expect(bench.order('ord-1')).toMatchObject({ lease: 'free', status: 'pending_payment' });
    bench.clock.advance(60_000);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'committed' });
    expect(bench.order('ord-1')).toMatchObject({ status: 'paid', captureId: 'cap-1' });
    expect(bench.payments.captureCalls).toHaveLength(1);
  });

  test('of another amount is for a person to judge: a dead letter, not paid, and nothing is called again', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    bench.payments.scripts.push({ answer: { ...charged, amountMinor: 9999 } as CaptureAnswer });
    expect(await bench.deliver(body)).toMatchObject({
      action: 'ack',
      outcome: 'dead-lettered',
      facts: { code: 'captured-amount-differs' },
    });
    expect(bench.order('ord-1')).toMatchObject({ status: 'pending_payment', 'sent:capture:1': 1 });
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'duplicate-of-discarded' });
    expect(bench.payments.captureCalls).toHaveLength(1);
  });
});

describe('a result', () => {
  test.each([
    ['longer than 256 bytes', { text: 'x'.repeat(260) }],
    ['of another shape', { other: 1 }],
    ['that is missing', undefined],
  ])('%s is not stored and counts as unknown', async (_what, result) => {
    const bench = createWorkerBench();
    const definition = scriptedJob(async () => done(result), { result: z.strictObject({ text: z.string() }) });
    expect(await bench.deliver(messageOf(definition, { id: 'a' }), { definition })).toMatchObject({
      action: 'hand-back',
      outcome: 'unknown',
      facts: { code: 'result-invalid' },
    });
  });

  test('is stored as its schema made it, not as the run returned it', async () => {
    const bench = createWorkerBench();
    const definition = scriptedJob(async () => done({ text: 'kept', raw: new Odd() }), { result: z.object({ text: z.string() }) });
    expect(await bench.deliver(messageOf(definition, { id: 'a' }), { definition })).toMatchObject({ outcome: 'committed' });
    expect(bench.item(scriptedItem('a'))?.['op:run']).toMatchObject({ result: { text: 'kept' } });
    expect(JSON.stringify(bench.item(scriptedItem('a')))).not.toContain('odd');
  });
});

// B97
describe('an order whose stored numbers are no longer exact', () => {
  function storeNumber(bench: WorkerBench, name: string, digits: string): void {
    const key = { pk: { S: 'USER#u-1' }, sk: { S: 'ORDER#ord-1' } };
    bench.aws.dynamodb.handle('PutItem', {
      TableName: 'State',
      Item: { ...bench.aws.dynamodb.item('State', key as never), [name]: { N: digits } },
    });
  }

  test.each([
    ['amountMinor', '9007199254740993', 'order-unreadable'],
    ['amountMinor', '1000000000000000000000', 'order-unreadable'],
    ['amountMinor', '49.99', 'order-unreadable'],
    ['amountMinor', '-1', 'order-unreadable'],
    ['amountMinor', '0', 'order-unreadable'],
    ['attempt', '9007199254740993', 'order-unreadable'],
  ])('(%s %s) is a dead letter of its own, with no call and nothing rounded', async (name, digits, code) => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    const other = await bench.createOrder('ord-2');
    storeNumber(bench, name, digits);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'dead-lettered', facts: { code } });
    expect(bench.payments.captureCalls).toEqual([]);
    const stored = bench.aws.dynamodb.item('State', { pk: { S: 'USER#u-1' }, sk: { S: 'ORDER#ord-1' } } as never);
    expect(stored?.[name]).toEqual({ N: digits });
    expect(await bench.deliver(other)).toMatchObject({ outcome: 'committed' });
  });
});

test('a charge found at the provider after a lost answer is paid with the id the provider knows', async () => {
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ throws: new ProviderError('provider-answered-500', { sent: 'maybe' }) });
  await bench.deliver(body);
  bench.clock.advance(60_000);
  await bench.deliver(body);
  expect(bench.order('ord-1')).toMatchObject({
    status: 'paid',
    captureId: 'cap-1',
    outbox: [{ kind: 'send-receipt', payload: { captureId: 'cap-1', amountMinor: 4999 } }],
  });
});

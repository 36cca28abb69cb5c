import { afterEach, describe, expect, test, vi } from 'vitest';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { ProviderError } from '#shared/payments/payment-port.ts';
import { refuseDisabledIdempotency } from '#shared/runtime/environment.ts';
import type { RunInput } from '#shared/worker/define-job.ts';
import { done, RetryableError } from '#shared/worker/outcome.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';
import { messageOf, scriptedItem, scriptedJob, succeeding } from './scripted-job.ts';

afterEach(() => vi.unstubAllEnvs());

// B13
describe('the name of a job’s record', () => {
  test('is fixed by business ids alone', () => {
    expect(capturePayment.key({ userId: 'u-17', orderId: 'ord-1', attempt: 1 })).toBe('capture:u-17/ord-1:1');
    expect(capturePayment.item?.({ userId: 'u-17', orderId: 'ord-1', attempt: 1 })).toEqual({ pk: 'USER#u-17', sk: 'ORDER#ord-1' });
    expect(capturePayment.operation?.({ userId: 'u-17', orderId: 'ord-1', attempt: 1 })).toBe('capture:1');
    expect(sendReceipt.key({ userId: 'u-17', orderId: 'ord-1', attempt: 1, amountMinor: 1, currency: 'EUR', captureId: 'c' })).toBe(
      'receipt:u-17/ord-1:1',
    );
  });

  test('stands on the item exactly so', async () => {
    const bench = createWorkerBench();
    await bench.deliver(await bench.createOrder('ord-1'));
    const definition = scriptedJob(succeeding);
    await bench.deliver(messageOf(definition, { id: 'a' }), { definition });
    expect(Object.keys(bench.order('ord-1')).filter((name) => name.startsWith('op:'))).toEqual(['op:capture:1']);
    expect(bench.item({ pk: 'JOB#scripted-job#scripted:a', sk: 'JOB' })).toHaveProperty('op:run');
  });

  test.each(['andal-old-name', 'andal-new-name', ''])('does not know what the function is called (%s)', async (name) => {
    const bench = createWorkerBench();
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'first-name');
    const body = await bench.createOrder('ord-1');
    await bench.deliver(body);
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', name);
    expect(await bench.deliver(body)).toMatchObject({ action: 'ack', outcome: 'duplicate' });
    expect(bench.payments.captureCalls).toHaveLength(1);
  });

  test('does not know message ids, receive counts or the time of sending', async () => {
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    await bench.deliver(body);
    const resent = JSON.stringify({ ...JSON.parse(body), enqueuedAt: '2027-01-01T00:00:00.000Z', trace: 'another' });
    expect(await bench.deliver(resent, { receiveCount: 7 })).toMatchObject({ action: 'ack', outcome: 'duplicate' });
  });
});

// B59
test('the provider gets the same key and body at every attempt, whatever changes around the job', async () => {
  const bench = createWorkerBench({ fraction: 0 });
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push(
    { throws: new ProviderError('provider-timeout', { sent: 'maybe' }) },
    ...Array(4).fill({ charge: false, throws: new ProviderError('provider-unreachable', { sent: 'no' }) }),
  );
  // The provider's search knows nothing yet, so each attempt really calls.
  bench.payments.find = async () => ({ status: 'not-captured' });
  for (let attempt = 1; attempt <= 6; attempt++) {
    const again = JSON.stringify({
      ...JSON.parse(body),
      enqueuedAt: new Date(bench.clock.nowMs()).toISOString(),
      trace: `trace-${attempt}`,
    });
    await bench.deliver(again, { receiveCount: attempt });
    bench.clock.advance(900_000);
  }
  expect(bench.payments.captureCalls).toHaveLength(6);
  expect(new Set(bench.payments.captureCalls.map((call) => JSON.stringify(call)))).toEqual(
    new Set([
      JSON.stringify({
        idempotencyKey: 'capture:u-1/ord-1:1',
        paymentIntentId: 'pi-ord-1-1',
        reference: 'u-1/ord-1',
        amountMinor: 4999,
        currency: 'EUR',
      }),
    ]),
  );
  expect(bench.payments.settledCaptures('u-1/ord-1')).toBe(1);
  expect(bench.order('ord-1').status).toBe('paid');
});

// B02
describe('a run that edits what it was given', () => {
  const edit = (input: RunInput<{ id: string }>): void => {
    const loose = input as unknown as {
      payload: { id: string; processed?: boolean };
      item: Record<string, unknown>;
      key: string;
      attempt: number;
    };
    const edits = [
      () => (loose.payload.id = 'moved'),
      () => (loose.payload.processed = true),
      () => (loose.item['fence'] = 99),
      () => delete loose.item['leaseOwner'],
      () => (loose.key = 'other'),
      () => (loose.attempt = 0),
    ];
    for (const attempt of edits) expect(attempt).toThrow(TypeError);
  };

  test('cannot, and its result is filed where the copy looks for it', async () => {
    const bench = createWorkerBench();
    const definition = scriptedJob(async (input) => {
      edit(input);
      return done({ ok: true });
    });
    const body = messageOf(definition, { id: 'a' });
    expect(await bench.deliver(body, { definition })).toMatchObject({ outcome: 'committed' });
    expect(await bench.deliver(body, { definition })).toMatchObject({ outcome: 'duplicate' });
    expect(bench.aws.dynamodb.items('State')).toHaveLength(1);
  });

  test('frees the item it claimed when it fails afterwards, and no other', async () => {
    const bench = createWorkerBench();
    const definition = scriptedJob(async (input) => {
      edit(input);
      throw new RetryableError('later', { sent: 'no' });
    });
    await bench.deliver(messageOf(definition, { id: 'a' }), { definition });
    expect(bench.aws.dynamodb.items('State')).toHaveLength(1);
    expect(bench.item(scriptedItem('a'))).toMatchObject({ lease: 'free', 'try:run': 1 });
  });
});

describe('a function told to skip idempotency', () => {
  test.each(['1', 'true', 'TRUE', 'yes', 'on', 't', 'y', 'maybe', ' true ', ''])('refuses to start (%s)', (value) => {
    vi.stubEnv('POWERTOOLS_IDEMPOTENCY_DISABLED', value);
    expect(() => refuseDisabledIdempotency(process.env)).toThrow('POWERTOOLS_IDEMPOTENCY_DISABLED is set');
  });

  test.each([undefined, '0', 'false', 'no', 'off'])('starts when it is told not to (%s), and claims', async (value) => {
    vi.stubEnv('POWERTOOLS_IDEMPOTENCY_DISABLED', value);
    expect(() => refuseDisabledIdempotency(process.env)).not.toThrow();
    const bench = createWorkerBench();
    const body = await bench.createOrder('ord-1');
    expect(await bench.deliver(body)).toMatchObject({ outcome: 'committed', facts: { fence: 1 } });
  });
});

test('the function refuses to be loaded while idempotency is disabled', async () => {
  vi.stubEnv('POWERTOOLS_IDEMPOTENCY_DISABLED', 'true');
  await expect(import('../../../functions/execute-job/index.ts')).rejects.toThrow('jobs would run without claim and fence');
});

test('nothing is ever asked of Powertools’ own clock: no run warns about a missing deadline or a foreign configuration', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const bench = createWorkerBench();
  const body = await bench.createOrder('ord-1');
  bench.payments.scripts.push({ throws: undefined });
  await bench.deliver(body, { remainingMs: 0 });
  await bench.deliver(body);
  bench.clock.advance(60_000);
  await Promise.all([bench.deliver(body), bench.deliver(body), bench.deliver(body)]);
  // The SDK's codec complains about the test's transport once a process; that is not ours.
  expect(warn.mock.calls.filter(([text]) => !String(text).includes('JsonCodec'))).toEqual([]);
  warn.mockRestore();
});

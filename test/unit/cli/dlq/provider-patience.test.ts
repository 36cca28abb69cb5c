import { expect, it } from 'vitest';
import { type FindAnswer, ProviderError } from '#shared/payments/payment-port.ts';
import { patiently } from '../../../../cli/dead-letters/provider-patience.ts';

const VOIDED: FindAnswer = { status: 'voided' };
const timedOut = () => new ProviderError('provider-timeout', { sent: 'maybe' });
const call = { timeoutMs: 1_000 };
const asking = (find: (timeoutMs: number) => Promise<FindAnswer>) =>
  patiently(
    { find: (_, { timeoutMs }) => find(timeoutMs), void: (_, { timeoutMs }) => find(timeoutMs) },
    { atOnce: 3, answerWithinMs: 9_000, sleep: async () => undefined },
  );

it('asks a few at a time, all of them, and waits longer than a worker would', async () => {
  let [running, most] = [0, 0];
  const waits: number[] = [];
  const payments = asking(async (timeoutMs) => {
    waits.push(timeoutMs);
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return VOIDED;
  });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => payments.find({ paymentIntentId: `p-${index}` }, call)));
  expect(answers).toHaveLength(20);
  expect(most).toBe(3);
  expect(new Set(waits)).toEqual(new Set([9_000]));
});

it('asks once more where no usable answer came, and only once', async () => {
  let asked = 0;
  const second = asking(async () => {
    if (++asked === 1) throw timedOut();
    return VOIDED;
  });
  expect(await second.void({ paymentIntentId: 'p', idempotencyKey: 'k' }, call)).toEqual(VOIDED);
  const never = asking(async () => {
    asked++;
    throw timedOut();
  });
  asked = 0;
  await expect(never.find({ paymentIntentId: 'p' }, call)).rejects.toThrow('provider-timeout');
  expect(asked).toBe(2);
});

it('repeats nothing that no repetition can change, and makes room for the next', async () => {
  let asked = 0;
  const payments = asking(async () => {
    asked++;
    throw new ProviderError('provider-rejected-request', { sent: 'no', permanent: true });
  });
  await Promise.allSettled(Array.from({ length: 7 }, () => payments.find({ paymentIntentId: 'p' }, call)));
  expect(asked).toBe(7);
});

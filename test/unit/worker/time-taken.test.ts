import { expect, it } from 'vitest';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { PaymentPort } from '#shared/payments/payment-port.ts';
import { noteTimes } from '../../../functions/execute-job/time-taken.ts';

function bench() {
  let nowMs = 1_000;
  const times = noteTimes(() => nowMs);
  const after = async <Answer>(durationMs: number, answer: Answer): Promise<Answer> => {
    nowMs += durationMs;
    return answer;
  };
  return { times, after };
}

it('notes how long answered calls and writes took, and tells each of them once', async () => {
  const { times, after } = bench();
  const payments = times.payments({ find: () => after(40, { status: 'voided' }) } as unknown as PaymentPort);
  const store = times.store({ write: () => after(7, { accepted: true }), read: () => after(3, undefined) } as unknown as ItemStore);
  expect(await payments.find({ paymentIntentId: 'p' }, { timeoutMs: 1 })).toEqual({ status: 'voided' });
  await store.write({} as never);
  await store.read({} as never);
  expect(times.take()).toEqual({ callMs: [40], writeMs: [7] });
  expect(times.take()).toEqual({});
});

it('notes nothing of a call without an answer, and hands on what it threw', async () => {
  const { times } = bench();
  const lost = new Error('lost');
  const payments = times.payments({ capture: () => Promise.reject(lost) } as unknown as PaymentPort);
  await expect(payments.capture({} as never, { timeoutMs: 1 })).rejects.toBe(lost);
  expect(times.take()).toEqual({});
});

it('hands on the very promise: being watched makes nobody wait', () => {
  const { times } = bench();
  const answer = Promise.resolve(undefined);
  const store = times.store({ write: () => answer } as unknown as ItemStore);
  expect(store.write({} as never)).toBe(answer);
});

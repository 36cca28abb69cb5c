import * as z from 'zod';
import { orderId, positiveInteger, shortString, userId } from '#shared/contract/identifiers.ts';
import { amountMinor, currency } from '#shared/domain/money.ts';
import { defineJob } from '#shared/worker/define-job.ts';
import { done } from '#shared/worker/outcome.ts';

/** Tells a customer that an order is paid. Its own item: it changes no order. */
export const sendReceipt = defineJob({
  kind: 'send-receipt',
  version: 1,
  payload: z.strictObject({ userId, orderId, attempt: positiveInteger, amountMinor, currency, captureId: shortString }).meta({
    examples: [{ userId: 'u-1', orderId: 'ord-1', attempt: 1, amountMinor: 4_999, currency: 'EUR', captureId: 'cap-1' }],
  }),
  key: ({ userId, orderId, attempt }) => `receipt:${userId}/${orderId}:${attempt}`,
  intent: ({ amountMinor, currency, captureId }) => ({ amountMinor, currency, captureId }),
  timing: { p99Ms: 1_000, dependencyTimeoutMs: 5_000, marginMs: 3_000 },
  queue: { batchSize: 10, maxConcurrency: 10 },
  result: z.strictObject({ delivered: z.literal(true) }),
  async ask({ key, ports }) {
    return (await ports.mail.wasSent(key)) ? done({ delivered: true as const }) : undefined;
  },
  async run({ payload, key, ports }) {
    const { userId, orderId, amountMinor, currency, captureId } = payload;
    await ports.mail.send({ deliveryKey: key, userId, orderId, amountMinor, currency, captureId });
    return done({ delivered: true as const });
  },
});

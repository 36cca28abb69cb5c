import { createHash } from 'node:crypto';
import * as z from 'zod';
import { amountMinor, currency } from './money.ts';
import { captureKey, type Order, paymentIntentId } from './order.ts';

/** Only what XML 1.0 allows may travel through SQS; a note with anything else is refused at the entrance, in words, not at every send. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

export const createOrderSchema = z.strictObject({
  amountMinor,
  currency,
  note: z
    .string()
    .max(140)
    .refine((text) => !NOT_XML.test(text), 'must not contain control characters, lone surrogates or U+FFFE/U+FFFF')
    .optional(),
  retryDeclined: z.boolean().optional(),
});
export type CreateOrder = z.infer<typeof createOrderSchema>;

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const ORDER_ID_CHARACTERS = 26;

/** The order's name follows from who asks and with which key, so a repeated request meets the order its first one made. */
export function orderIdOf(userId: string, idempotencyKey: string): string {
  const digest = createHash('sha256').update(userId).update('\0').update(idempotencyKey).digest();
  let id = '';
  let bits = 0;
  let value = 0;
  for (const byte of digest) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5 && id.length < ORDER_ID_CHARACTERS; bits -= 5) id += BASE32[(value >> (bits - 5)) & 31];
  }
  return id;
}

/** A new order at its first payment attempt. */
export const newOrder = (userId: string, orderId: string, body: CreateOrder, nowMs: number): Order => ({
  userId,
  orderId,
  status: 'pending_payment',
  version: 1,
  attempt: 1,
  amountMinor: body.amountMinor,
  currency: body.currency,
  ...(body.note === undefined ? {} : { note: body.note }),
  ...(body.retryDeclined === true ? { retryDeclined: true } : {}),
  createdAtMs: nowMs,
  intentAtMs: nowMs,
  paymentIntentId: paymentIntentId(orderId, 1),
  captureKey: captureKey(userId, orderId, 1),
});

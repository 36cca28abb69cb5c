import * as z from 'zod';
import { shortString } from '#shared/contract/identifiers.ts';
import { amountMinor, currency } from '#shared/domain/money.ts';
import type { CaptureAnswer, FindAnswer, RefundAnswer } from './payment-port.ts';

/** What a usable answer looks like; anything else says nothing about what happened. */
const captured = z.strictObject({ status: z.literal('captured'), captureId: shortString, amountMinor, currency });
const declined = z.strictObject({ status: z.literal('declined'), reason: shortString });
const refunded = z.strictObject({ status: z.literal('refunded'), captureId: shortString, refundId: shortString });

export const captureAnswer: z.ZodType<CaptureAnswer> = z.discriminatedUnion('status', [captured, declined]);
export const findAnswer: z.ZodType<FindAnswer> = z.discriminatedUnion('status', [
  captured,
  refunded,
  z.strictObject({ status: z.literal('not-captured') }),
  z.strictObject({ status: z.literal('voided') }),
]);
export const refundAnswer: z.ZodType<RefundAnswer> = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('refunded'), refundId: shortString }),
  declined,
]);

import * as z from 'zod';
import { idempotencyKey, jobKind, positiveInteger } from './identifiers.ts';

/** One document, the same in outbox, queue and dead-letter queue. */
export const messageSchema = z.strictObject({
  kind: jobKind,
  version: positiveInteger,
  idempotencyKey,
  payload: z.record(z.string().max(64), z.unknown()),
  enqueuedAt: z.iso.datetime(),
  trace: z.string().max(256).optional(),
});

export type JobMessage = z.infer<typeof messageSchema>;

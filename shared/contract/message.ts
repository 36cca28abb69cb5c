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

/** Ids in every spelling known, with a letter somewhere: a number alone may be a card's. */
const TELLABLE = /^(?=.*[A-Za-z])[\w.:;=+/-]+$/;

/** A message's trace where logs and letters may show it. Whoever can send to a queue can write anything there. */
export const tellableTrace = ({ trace = '' }: Pick<JobMessage, 'trace'>): { readonly trace?: string } =>
  TELLABLE.test(trace) ? { trace } : {};

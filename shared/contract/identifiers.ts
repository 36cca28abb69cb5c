import * as z from 'zod';

/** Users and orders are named by their callers; the alphabet keeps every key, header and group id safe to build from them. */
const identifier = z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, 'must be 1 to 40 characters of A-Z a-z 0-9 _ -');

export const userId = identifier;
export const orderId = identifier;
export const exportId = identifier;
export const sku = identifier;
export const adjustmentId = identifier;

/** An idempotency key as a caller may send it: printable ASCII, at most 128 characters. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'must be 1 to 128 printable ASCII characters without spaces');

export const jobKind = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);
export const positiveInteger = z.int().min(1).max(1_000_000);
export const shortString = z.string().min(1).max(64);

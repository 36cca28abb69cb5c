import { createHash } from 'node:crypto';
import * as z from 'zod';
import { idempotencyKey } from '#shared/contract/identifiers.ts';
import { amountMinor, currency } from '#shared/domain/money.ts';
import { type Answer, problem } from './answer.ts';
import { invalid, readJson, type SandboxRequest } from './read-request.ts';

export const reference = z.string().regex(/^[A-Za-z0-9_-]{1,40}\/[A-Za-z0-9_-]{1,40}$/);

export const captureBody = z.strictObject({ reference, amountMinor, currency });
export const refundBody = z.strictObject({ amountMinor, currency });
export const voidBody = z.strictObject({});

/** A call that changes something: it carries a key, and a body that must be the same, byte for byte, whenever the key is. */
interface Call<Body> {
  readonly paymentIntentId: string;
  readonly key: string;
  readonly bodyHash: string;
  readonly body: Body;
}
export type CaptureCall = Call<z.infer<typeof captureBody>>;
export type RefundCall = Call<z.infer<typeof refundBody>>;
export type VoidCall = Call<z.infer<typeof voidBody>>;

/** Operation and intent are part of what a key stands for. */
export const hashOf = ({ method, path, body }: SandboxRequest): string =>
  createHash('sha256').update(`${method}\n${path}\n${body}`).digest('hex');

export function readCall<Body>(
  request: SandboxRequest,
  paymentIntentId: string,
  schema: z.ZodType<Body>,
): Call<Body> | { refusal: Answer } {
  const key = idempotencyKey.safeParse(request.idempotencyKey);
  if (!key.success)
    return { refusal: problem(400, 'idempotency-key-missing', 'Send an Idempotency-Key: 1 to 128 printable ASCII characters.') };
  const parsed = readBody(request.body, schema);
  if ('refusal' in parsed) return parsed;
  return { paymentIntentId, key: key.data, bodyHash: hashOf(request), body: parsed.body };
}

export function readBody<Body>(text: string, schema: z.ZodType<Body>): { body: Body } | { refusal: Answer } {
  const json = readJson(text);
  if ('refusal' in json) return json;
  const parsed = schema.safeParse(json.value);
  if (parsed.success) return { body: parsed.data };
  const fields = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'} (${issue.code})`);
  return { refusal: invalid(`These fields do not fit: ${fields.join(', ')}.`) };
}

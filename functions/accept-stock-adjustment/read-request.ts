import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { ProblemResponse } from '#shared/contract/problem.ts';
import { type HttpRequest, readFields, readIdempotencyKey, readJsonBody, readSku } from '#shared/http/read-parts.ts';
import { stockDelta } from '#shared/jobs/adjust-stock.ts';

export interface StockAdjustment {
  readonly sku: string;
  readonly adjustmentId: string;
  readonly delta: number;
}

const body = z.strictObject({ delta: stockDelta });
const ABOUT_BODY = { code: 'invalid-adjustment', known: 'Known is delta.' };

/** The request as the job needs it, or the 400 that says what to change. */
export function readRequest(event: HttpRequest): StockAdjustment | ProblemResponse {
  const sku = readSku(event);
  if (!sku.ok) return sku.problem;
  const key = readIdempotencyKey(event, 'adjustment');
  if (!key.ok) return key.problem;
  const json = readJsonBody(event);
  if (!json.ok) return json.problem;
  const fields = readFields(body, json.value, ABOUT_BODY);
  if (!fields.ok) return fields.problem;
  return { sku: sku.value, adjustmentId: adjustmentIdOf(key.value), delta: fields.value.delta };
}

/** A caller's key may hold any printable character; the adjustment's name goes into keys and may not. */
const adjustmentIdOf = (idempotencyKey: string): string => createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 32);

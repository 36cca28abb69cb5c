import * as z from 'zod';

/** The rows of the Control table that steer load, their ids and shapes. Times are milliseconds since the epoch. */
export const ASK_FIRST_ROW = 'askFirst';

export const pauseRow = (kind: string): string => `pause:${kind}`;
export const breakerRow = (dependency: string): string => `breaker:${dependency}`;
export const rateRow = (dependency: string): string => `rate:${dependency}`;
export const slowRow = (dependency: string): string => `slow:${dependency}`;
export const mappingRow = (kind: string): string => `mapping:${kind}`;

const instantMs = z.number();

/** Set when the State table was restored: earlier attempts may be forgotten, so they are asked about first. */
export const askFirstSchema = z.object({ untilMs: instantMs });

/** Somebody stopped this kind. */
export const pauseSchema = z.object({ pausedAtMs: instantMs, by: z.string(), reason: z.string() });
export type Pause = z.infer<typeof pauseSchema>;

/** Calls have become slower than a healthy run. */
export const slowSchema = z.object({ sinceMs: instantMs, p50Ms: z.number() });

/** The governor's dead man's handle: past the deadline anybody may turn the mapping on again. */
export const mappingSchema = z.object({ disabledAtMs: instantMs, deadlineMs: instantMs, reason: z.string() });

/** A row that cannot be read counts as none: what it asked for ends by itself elsewhere, and a job must not wait for its repair. */
export function readRow<Shape>(schema: z.ZodType<Shape>, row: Readonly<Record<string, unknown>> | undefined): Shape | undefined {
  const parsed = schema.safeParse(row);
  return parsed.success ? parsed.data : undefined;
}

/** When DynamoDB may forget a row; whole seconds, as its time to live counts. */
export const expiresAtSeconds = (atMs: number): number => Math.ceil(atMs / 1000);

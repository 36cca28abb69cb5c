import * as z from 'zod';

/**
 * What each function reads from its environment. The stacks build these objects and the functions parse them, so a name
 * crosses from infrastructure to code once. Credentials, region and endpoint are the SDK's own variables.
 */
const name = z.string().min(1);
const url = z.url();

export const acceptOrderEnvironment = z.object({ STATE_TABLE: name });
export const readOrderEnvironment = z.object({ STATE_TABLE: name, CACHE_TABLE: name, CACHE_TTL_SECONDS: z.coerce.number().int().min(1) });

/** `throw` where the mapping ignores partial batch responses (the local emulator), `report` on AWS. */
const streamFailureMode = z.enum(['throw', 'report']);

export const dispatchOutboxEnvironment = z.object({
  /** JSON object: job kind → queue URL. */
  QUEUE_URLS: name,
  OUTBOX_FAILED_QUEUE_URL: url,
  STREAM_FAILURE_MODE: streamFailureMode,
});
/** Takes over what dispatch-outbox parked. */
export const retryOutboxEnvironment = z.object({ QUEUE_URLS: name });

export const executeJobEnvironment = z.object({
  JOB_KIND: name,
  STATE_TABLE: name,
  MAIL_TABLE: name,
  QUEUE_URL: url,
  DEAD_LETTER_QUEUE_URL: url,
  PAYMENT_PROVIDER_URL: url,
  /** Multiplies every declared duration and retry delay; 1 but in stage local. */
  TIME_SCALE: z.coerce.number().positive().max(1),
});

export const invalidateCacheEnvironment = z.object({
  CACHE_TABLE: name,
  INVALIDATION_RETRY_QUEUE_URL: url,
  STREAM_FAILURE_MODE: streamFailureMode,
});
export const retryInvalidationEnvironment = z.object({ CACHE_TABLE: name });

export const paymentSandboxEnvironment = z.object({
  SANDBOX_TABLE: name,
  /** How long a scripted fault withholds its answer; longer than the worker's dependency timeout. */
  SLOW_ANSWER_MS: z.coerce.number().int().min(1),
});

export type EnvironmentOf<Schema extends z.ZodObject> = { [Name in keyof z.input<Schema>]: string };

/** @throws when the variable is no JSON object of job kinds and queue URLs */
export const readQueueUrls = (json: string): Record<string, string> => z.record(z.string(), url).parse(JSON.parse(json));

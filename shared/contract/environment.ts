import * as z from 'zod';

/**
 * What each function reads from its environment. The stacks build these objects and the functions parse them, so a name
 * crosses from infrastructure to code once. Credentials, region and endpoint are the SDK's own variables.
 */
const name = z.string().min(1);
const url = z.url();

export const acceptOrderEnvironment = z.object({ STATE_TABLE: name });
export const readOrderEnvironment = z.object({ STATE_TABLE: name, CACHE_TABLE: name, CACHE_TTL_SECONDS: z.coerce.number().int().min(1) });

/** Besides, where the cache is a Valkey server that lets users in by IAM. */
export const valkeyEnvironment = z.object({
  CACHE_HOST: name,
  CACHE_PORT: z.coerce.number().int().min(1).max(65_535),
  CACHE_NAME: name,
  CACHE_USER: name,
});

/** `throw` where the mapping ignores partial batch responses (the local emulator), `report` on AWS. */
const streamFailureMode = z.enum(['throw', 'report']);

export const dispatchOutboxEnvironment = z.object({
  /** JSON object: job kind → queue URL. */
  QUEUE_URLS: name,
  OUTBOX_FAILED_QUEUE_URL: url,
  STREAM_FAILURE_MODE: streamFailureMode,
});
/** Besides, where receipts go out by SES. */
export const sesEnvironment = z.object({
  MAIL_FROM: z.email(),
  /** An address in which `{userId}` stands for the customer. */
  MAIL_TO: z.string().regex(/^[^@\s]*\{userId\}[^@\s]*@[^@\s]+$/, 'must be an address with {userId} before the @'),
});

/** Takes over what dispatch-outbox parked. */
export const retryOutboxEnvironment = z.object({ QUEUE_URLS: name });

export const executeJobEnvironment = z.object({
  JOB_KIND: name,
  STATE_TABLE: name,
  CONTROL_TABLE: name,
  MAIL_TABLE: name,
  EXPORT_BUCKET: name,
  QUEUE_URL: url,
  DEAD_LETTER_QUEUE_URL: url,
  PAYMENT_PROVIDER_URL: url,
  /** `iam` where the provider is our own sandbox behind an API for IAM callers; a real one knows other ways. */
  PAYMENT_PROVIDER_AUTHORIZATION: z.enum(['none', 'iam']),
  /** JSON object: dependency → calls per second that all workers together may make. */
  RATE_LIMITS: name,
  /** Multiplies every declared duration and retry delay; 1 but in stage local. */
  TIME_SCALE: z.coerce.number().positive().max(1),
  /** How long the provider remembers an idempotency key. */
  PROVIDER_KEY_HORIZON_SECONDS: z.coerce.number().int().positive(),
  /** How long after its intent an unanswered outcome becomes a dead letter. */
  UNRESOLVED_AFTER_SECONDS: z.coerce.number().int().positive(),
});

export const invalidateCacheEnvironment = z.object({
  CACHE_TABLE: name,
  INVALIDATION_RETRY_QUEUE_URL: url,
  STREAM_FAILURE_MODE: streamFailureMode,
});
export const retryInvalidationEnvironment = z.object({ CACHE_TABLE: name });

export const verifyCacheEnvironment = z.object({
  STATE_TABLE: name,
  CACHE_TABLE: name,
  /** Multiplies the wait between two looks. */
  TIME_SCALE: z.coerce.number().positive().max(1),
});

export const paymentSandboxEnvironment = z.object({
  SANDBOX_TABLE: name,
  /** How long a scripted fault withholds its answer; longer than the worker's dependency timeout. */
  SLOW_ANSWER_MS: z.coerce.number().int().min(1),
});

export type EnvironmentOf<Schema extends z.ZodObject> = { [Name in keyof z.input<Schema>]: string };

const queueUrls = z.record(z.string(), url);
const mappingIds = z.record(z.string(), name);
const rateLimits = z.record(z.string(), z.number().positive());

/** @throws when the variable is no JSON object of job kinds and queue URLs */
export const readQueueUrls = (json: string): Record<string, string> => queueUrls.parse(JSON.parse(json));

/** The entrances of jobs that have an item of their own: accept-export, accept-stock-adjustment. */
export const acceptJobEnvironment = z.object({ STATE_TABLE: name });

/** What the rescue needs to know to send a job again: shared by rescue-jobs and sweep-state. */
const rescue = {
  STATE_TABLE: name,
  CONTROL_TABLE: name,
  QUEUE_URLS: name,
  TIME_SCALE: z.coerce.number().positive().max(1),
  PROVIDER_KEY_HORIZON_SECONDS: z.coerce.number().int().positive(),
};

export const rescueJobsEnvironment = z.object({
  ...rescue,
  /** JSON object: job kind → id of the event source mapping that feeds its worker. */
  MAPPING_IDS: name,
});

export const sweepStateEnvironment = z.object({
  ...rescue,
  /** Parts of the table that are read side by side. */
  SWEEP_SEGMENTS: z.coerce.number().int().min(1).max(100),
  /** For all segments together. */
  SWEEP_READ_UNITS_PER_SECOND: z.coerce.number().positive(),
});

export const governQueuesEnvironment = z.object({
  CONTROL_TABLE: name,
  /** JSON object: job kind → id of the event source mapping of its queue. */
  MAPPING_IDS: name,
  TIME_SCALE: z.coerce.number().positive().max(1),
  /** The stage's own limit to every kind's concurrency, on top of the definitions'. */
  MAX_CONCURRENCY: z.coerce.number().int().min(2).max(1000),
});

/** @throws when the variable is no JSON object of job kinds and mapping ids */
export const readMappingIds = (json: string): Record<string, string> => mappingIds.parse(JSON.parse(json));

/** @throws when the variable is no JSON object of dependencies and positive limits */
export const readRateLimits = (json: string): Record<string, number> => rateLimits.parse(JSON.parse(json));

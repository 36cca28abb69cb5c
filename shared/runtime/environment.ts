import type * as z from 'zod';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param schema what the function needs, from shared/contract/environment.ts
 * @throws Error naming every missing or malformed variable, never its value
 */
export function readEnvironment<Schema extends z.ZodObject>(schema: Schema, environment: Environment): z.output<Schema> {
  const parsed = schema.safeParse(environment);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`this function's environment does not fit; redeploy the stack that sets it (${problems.join('; ')})`);
}

/** Powertools skips idempotency altogether when this says so, and nothing would be claimed or fenced. Left empty, it fails every job instead. */
export function refuseDisabledIdempotency({ POWERTOOLS_IDEMPOTENCY_DISABLED: value }: Environment): void {
  if (value !== undefined && !['0', 'false', 'no', 'off', 'n', 'f'].includes(value.toLowerCase())) {
    throw new Error('POWERTOOLS_IDEMPOTENCY_DISABLED is set: jobs would run without claim and fence; remove it from this function');
  }
}

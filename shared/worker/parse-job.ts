import type * as z from 'zod';
import { MAX_MESSAGE_BYTES } from '#shared/contract/limits.ts';
import { type JobMessage, messageSchema } from '#shared/contract/message.ts';
import { parseStrictJson } from '#shared/contract/strict-json.ts';
import type { AnyJobDefinition } from './define-job.ts';
import { readPayload } from './payload-versions.ts';

export interface ParsedJob {
  /** As it was written, in its own version. */
  readonly message: JobMessage;
  /** Upgraded to the version this code writes. */
  readonly payload: unknown;
  readonly key: string;
}

export type ParseAnswer = { readonly ok: true; readonly job: ParsedJob } | Unreadable;

export interface Unreadable {
  readonly ok: false;
  /** `unsupported-version`: written by newer code (a rollout may bring it here yet), or so old that its reader was removed. */
  readonly reason: 'malformed' | 'unsupported-version';
  readonly detail: string;
  /** Where a version was all that stood in the way. */
  readonly version?: number;
}

/** Everything that can be known from the body alone, before anything costly. The reasons name fields, never their values. */
export function parseJob(body: string, definition: AnyJobDefinition): ParseAnswer {
  const json = parseStrictJson(body, MAX_MESSAGE_BYTES);
  if (!json.ok) return malformed(json.reason);
  const message = messageSchema.safeParse(json.value);
  if (!message.success) return malformed(describe(message.error));
  if (message.data.kind !== definition.kind) return malformed(`this queue runs ${definition.kind}, not another kind`);
  const payload = readPayload(message.data, definition);
  if (payload.kind === 'unsupported')
    return { ok: false, reason: 'unsupported-version', detail: payload.detail, version: message.data.version };
  if (payload.kind === 'not-upgraded') return malformed(payload.detail);
  if (payload.kind === 'invalid') return malformed(describe(payload.error, 'payload.'));
  return withKey(payload.payload, message.data, definition);
}

/** An upgrade that changed the key would make a second job of the first: one that is refused instead can be replayed by mended code. */
function withKey(payload: unknown, message: JobMessage, definition: AnyJobDefinition): ParseAnswer {
  const key = definition.key(payload);
  if (key !== message.idempotencyKey) return malformed('idempotencyKey is not the one its payload gives');
  return { ok: true, job: { message, payload, key } };
}

const malformed = (detail: string): ParseAnswer => ({ ok: false, reason: 'malformed', detail });

/** Paths come from our own schemas; names a sender made up are counted, not repeated. */
function describe(error: z.ZodError, prefix = ''): string {
  const problems = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return `${issue.keys.length} unknown field(s)${issue.path.length > 0 || prefix !== '' ? ' in payload' : ''}`;
    if (issue.code === 'invalid_key') return `${prefix}${issue.path.slice(0, -1).join('.')}: a field name that is too long`;
    return `${prefix}${issue.path.join('.') || 'body'}: ${issue.message}`;
  });
  return problems.join('; ').slice(0, 300);
}

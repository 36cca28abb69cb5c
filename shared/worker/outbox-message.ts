import type { JobMessage } from '#shared/contract/message.ts';
import type { JobReference } from './define-job.ts';

/**
 * The message of a job to be enqueued, with the key its own definition derives.
 *
 * @param nowMs when the writing commit or request happens, milliseconds since the epoch
 * @throws z.ZodError when the payload is not the kind's
 */
export function outboxMessage({ definition, payload }: JobReference, nowMs: number, trace?: string): JobMessage {
  const checked = definition.payload.parse(payload);
  return {
    kind: definition.kind,
    version: definition.version,
    idempotencyKey: definition.key(checked),
    payload: checked,
    enqueuedAt: new Date(nowMs).toISOString(),
    ...(trace === undefined ? {} : { trace }),
  };
}

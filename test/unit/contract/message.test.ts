import { describe, expect, test } from 'vitest';
import { readQueueUrls } from '#shared/contract/environment.ts';
import { messageSchema } from '#shared/contract/message.ts';
import { jobOfKind, jobs } from '#shared/jobs/index.ts';
import { defineJob, job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { parseJob } from '#shared/worker/parse-job.ts';
import { examplesOf } from '../../../scripts/payload-schemas.ts';

/** Of kinds with bounds of their own; the others are tried with the example their file gives. */
const longest: Record<string, object> = {
  'capture-payment': { userId: 'u'.repeat(40), orderId: 'o'.repeat(40), attempt: 1_000_000 },
  'send-receipt': {
    userId: 'u'.repeat(40),
    orderId: 'o'.repeat(40),
    attempt: 1_000_000,
    amountMinor: 99_999_999,
    currency: 'EUR',
    captureId: 'c'.repeat(64),
  },
  'refund-payment': { userId: 'u'.repeat(40), orderId: 'o'.repeat(40), attempt: 1_000_000 },
  'export-orders': { userId: 'u'.repeat(40), exportId: 'e'.repeat(40), step: 1_000_000, cursor: 'o'.repeat(40) },
  'adjust-stock': { sku: 's'.repeat(40), adjustmentId: 'a'.repeat(40), delta: -1_000_000 },
};

describe.each(jobs.map((definition) => [definition.kind, definition] as const))('a message of %s', (kind, definition) => {
  test('with the longest ids there are, or as its example, is one this code reads again', () => {
    const payload = longest[kind] ?? examplesOf(definition, definition.version)[0];
    const message = outboxMessage(job(definition, payload), 0, 'trace');
    expect(messageSchema.safeParse(message).success).toBe(true);
    expect(parseJob(JSON.stringify(message), definition)).toMatchObject({ ok: true, job: { key: message.idempotencyKey } });
  });

  test('names its kind, and the registry finds it', () => expect(jobOfKind(kind)).toBe(definition));

  test('cannot be written with a payload of another kind', () => {
    expect(() => outboxMessage(job(definition, { other: 1 }), 0)).toThrow();
  });
});

test('kinds are unique, and a definition cannot be changed after it was made', () => {
  expect(new Set(jobs.map(({ kind }) => kind)).size).toBe(jobs.length);
  for (const definition of jobs) expect(Object.isFrozen(definition)).toBe(true);
  expect(Object.isFrozen(defineJob({ ...jobs[0] } as never))).toBe(true);
  expect(jobOfKind('nobody')).toBeUndefined();
});

describe('the environment’s queue list', () => {
  test('is read as kinds and URLs', () =>
    expect(readQueueUrls('{"send-receipt":"https://q.example/1"}')).toEqual({ 'send-receipt': 'https://q.example/1' }));
  test.each(['', '{', '[]', '{"a":1}', '{"a":"no url"}'])('is refused when it is something else (%s)', (json) =>
    expect(() => readQueueUrls(json)).toThrow(),
  );
});

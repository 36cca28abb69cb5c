import * as z from 'zod';
import { type AnyJobDefinition, defineJob, job, type RunInput } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { type Decision, done } from '#shared/worker/outcome.ts';

const payload = z.strictObject({ id: z.string(), amount: z.int().optional() });
type Payload = z.infer<typeof payload>;
type Run = (input: RunInput<Payload>) => Promise<Decision>;

/** A job kind of the tests: an item of its own, and a run that does as each test says. */
export const scriptedJob = (run: Run, extra: Partial<AnyJobDefinition> = {}): AnyJobDefinition =>
  defineJob({
    kind: 'scripted-job',
    version: 1,
    payload,
    key: ({ id }) => `scripted:${id}`,
    intent: ({ amount }) => ({ amount: amount ?? null }),
    timing: { p99Ms: 1_000, dependencyTimeoutMs: 5_000, marginMs: 3_000 },
    queue: { batchSize: 10, maxConcurrency: 2 },
    result: z.unknown(),
    run,
    ...extra,
  });

export const succeeding: Run = async () => done({ ok: true });

/** The message the outbox would carry. */
export const messageOf = (definition: AnyJobDefinition, of: object, nowMs = Date.parse('2026-11-30T10:00:00.000Z')): string =>
  JSON.stringify(outboxMessage(job(definition, of), nowMs));

export const scriptedItem = (id: string) => ({ pk: `JOB#scripted-job#scripted:${id}`, sk: 'JOB' });

/** A promise to be settled from outside: holds a run where a test wants it. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Lets everything that is on its way arrive, until the condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 10_000) throw new Error('what the test waits for never happened');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

import { readParkedKey } from '#shared/cache/parked-change.ts';

/** Invalidates what invalidate-cache could not. Each message succeeds or fails alone; one that cannot be read fails until SQS redrives it. */
export interface RetryInvalidationWorld {
  readonly invalidate: (key: string) => Promise<void>;
  /** Members of the log line that count what failed. */
  readonly measure: (failures: number) => Record<string, unknown>;
  readonly log: {
    info(message: string, fields: Record<string, unknown>): void;
    error(message: string, fields: Record<string, unknown>): void;
  };
}

interface Message {
  readonly messageId: string;
  readonly body: string;
}

export const retryInvalidation =
  (world: RetryInvalidationWorld) =>
  async ({ Records: messages }: { readonly Records: readonly Message[] }): Promise<{ batchItemFailures: { itemIdentifier: string }[] }> => {
    const results = await Promise.all(messages.map((message) => retry(message, world)));
    const failed = results.filter(({ problem }) => problem !== undefined);
    const keys = results.filter(({ problem }) => problem === undefined).map(({ key }) => key);
    if (failed.length === 0) world.log.info('cache invalidated', { invalidated: keys.length, keys });
    else world.log.error('invalidation failed again', { invalidated: keys.length, keys, failed, ...world.measure(failed.length) });
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };

interface Result {
  readonly messageId: string;
  readonly key: string | undefined;
  readonly problem: 'unreadable' | 'cache-failed' | undefined;
}

async function retry({ messageId, body }: Message, { invalidate }: RetryInvalidationWorld): Promise<Result> {
  const key = readParkedKey(body);
  if (key === undefined) return { messageId, key, problem: 'unreadable' };
  try {
    await invalidate(key);
    return { messageId, key, problem: undefined };
  } catch {
    return { messageId, key, problem: 'cache-failed' };
  }
}

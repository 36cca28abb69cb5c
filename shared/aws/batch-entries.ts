import type { EntryFailure } from '#shared/dead-letter/letter-queue-port.ts';

export const MAX_BATCH_ENTRIES = 10;

export const inTens = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / MAX_BATCH_ENTRIES) }, (_, index) =>
    items.slice(index * MAX_BATCH_ENTRIES, (index + 1) * MAX_BATCH_ENTRIES),
  );

interface BatchAnswer {
  readonly Successful?: readonly { readonly Id?: string | undefined }[] | undefined;
  readonly Failed?: readonly { readonly Id?: string | undefined; readonly Code?: string | undefined }[] | undefined;
}

/**
 * Sends one batch whose entries are named by their index. A 200 for the call says nothing about its entries: what is not named as
 * successful counts as failed.
 */
export async function failuresOf(messageIds: readonly string[], send: () => Promise<BatchAnswer>): Promise<EntryFailure[]> {
  let answer: BatchAnswer = {};
  let code = 'unanswered';
  try {
    answer = await send();
  } catch (error) {
    code = codeOf(error);
  }
  const done = new Set((answer.Successful ?? []).map(({ Id }) => Id));
  const codes = new Map((answer.Failed ?? []).map(({ Id, Code }) => [Id, Code]));
  return messageIds.flatMap((messageId, index) => (done.has(String(index)) ? [] : [{ messageId, code: codes.get(String(index)) ?? code }]));
}

/** An answer names the trouble (AccessDenied, QueueDoesNotExist); no answer leaves open what became of the call. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && '$metadata' in error && '$fault' in error && error.$fault === 'client' ? error.name : 'unanswered';

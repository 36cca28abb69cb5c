import type { LetterQueuePort, ReceivedLetter } from '#shared/dead-letter/letter-queue-port.ts';
import { giveBack, receiptOf } from './receipts.ts';

/** Hidden while the look lasts, so that each letter is seen once; a look that is killed gives back this much later. */
const HIDDEN_SECONDS = 120;
const LETTERS_PER_CALL = 10;
const CALLS_AT_ONCE = 4;
/** SQS asks a part of its machines; nothing found once does not mean that nothing is there. */
const EMPTY_ROUNDS = 2;
/** So many rounds that find nothing new end a look that takes longer than letters are hidden. */
const STALE_ROUNDS = 5;

type LookedAt = Pick<LetterQueuePort, 'receive' | 'hide'>;

/** SQS hides at most 120,000 messages of a queue at a time (20,000 of a FIFO queue). */
const isFull = (error: unknown): boolean => error instanceof Error && error.name === 'OverLimit';

/**
 * Every letter of a queue, once, some at a time; all of them are given back at the end, however it comes. Only their receipts are
 * kept until then, never their bodies.
 *
 * Does not protect against a FIFO queue's order: of one group SQS hands out no further letters while some are hidden, so the first ten
 * of each group are seen and no others.
 */
export async function* lookThrough(queue: LookedAt): AsyncGenerator<readonly ReceivedLetter[]> {
  const receipts = new Map<string, ReceivedLetter>();
  try {
    let [empty, stale] = [0, 0];
    while (empty < EMPTY_ROUNDS && stale < STALE_ROUNDS) {
      const found = await receiveSome(queue);
      if (found === 'full') return;
      const fresh = new Map(found.filter(({ messageId }) => !receipts.has(messageId)).map((letter) => [letter.messageId, letter]));
      for (const letter of found) receipts.set(letter.messageId, receiptOf(letter));
      empty = found.length === 0 ? empty + 1 : 0;
      stale = found.length > 0 && fresh.size === 0 ? stale + 1 : 0;
      if (fresh.size > 0) yield [...fresh.values()];
    }
  } finally {
    await giveBack(queue, [...receipts.values()]);
  }
}

async function receiveSome(queue: LookedAt): Promise<readonly ReceivedLetter[] | 'full'> {
  const calls = Array.from({ length: CALLS_AT_ONCE }, () =>
    queue.receive(LETTERS_PER_CALL, HIDDEN_SECONDS).catch((error: unknown) => {
      if (isFull(error)) return 'full' as const;
      throw error;
    }),
  );
  // All of them first: what one call received must not be forgotten because another one failed.
  const answers = await Promise.allSettled(calls);
  const failed = answers.find((answer) => answer.status === 'rejected');
  const pages = answers.flatMap((answer) => (answer.status === 'fulfilled' && answer.value !== 'full' ? answer.value : []));
  if (failed !== undefined) {
    await giveBack(queue, pages);
    throw failed.reason;
  }
  const isOver = answers.every((answer) => answer.status === 'fulfilled' && answer.value === 'full');
  return isOver ? 'full' : pages;
}

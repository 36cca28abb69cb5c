import type { LetterQueuePort, ReceivedLetter } from '#shared/dead-letter/letter-queue-port.ts';

const LETTERS_PER_CALL = 10;
const CALLS_AT_ONCE = 4;

/** What is kept of a letter until it is given back: never its body. */
export const receiptOf = (letter: ReceivedLetter): ReceivedLetter => ({ ...letter, body: '', attributes: {} });

/** A letter that cannot be given back comes by itself when its time is up. */
export async function giveBack(queue: Pick<LetterQueuePort, 'hide'>, letters: readonly ReceivedLetter[]): Promise<void> {
  const size = LETTERS_PER_CALL * CALLS_AT_ONCE;
  for (let start = 0; start < letters.length; start += size) {
    const some = letters.slice(start, start + size);
    const tens = Array.from({ length: CALLS_AT_ONCE }, (_, index) => some.slice(index * LETTERS_PER_CALL, (index + 1) * LETTERS_PER_CALL));
    await Promise.all(tens.filter((ten) => ten.length > 0).map((ten) => queue.hide(ten, 0)));
  }
}

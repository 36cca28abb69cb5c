import { readLetter } from '#shared/dead-letter/read-letter.ts';
import { causeOf } from '../dead-letters/cause.ts';
import { desksOf, isMissingQueue, type LetterDesk } from '../dead-letters/letter-desk.ts';
import { lookThrough } from '../dead-letters/look.ts';
import type { Session } from '../session.ts';
import type { OrderName } from './order-name.ts';

/** A dead letter that names the order. */
export interface FoundLetter {
  readonly queue: string;
  readonly messageId: string;
  readonly sentAtMs: number;
  readonly reason: string;
  readonly attempts: number | null;
  readonly key: string | null;
}

/** A dead-letter queue that was looked through; without it, "no letter" would only mean that none was seen. */
export interface LookedThrough {
  readonly queue: string;
  readonly seen: number;
  /** About how many were not: hidden by somebody else, or behind the first ten of their FIFO group. */
  readonly unseen: number;
  /** `missing`: somebody deleted the queue. */
  readonly state: 'there' | 'missing';
}

export interface OrderLetters {
  readonly letters: readonly FoundLetter[];
  readonly lookedThrough: readonly LookedThrough[];
}

/** Every letter that names an order, in every dead-letter queue; all are given back. */
export async function findOrderLetters(session: Session, name: OrderName): Promise<OrderLetters> {
  const found = await Promise.all(desksOf(session).map((desk) => lookIn(desk, name)));
  return { letters: found.flatMap(({ letters }) => letters), lookedThrough: found.map(({ letters: _, ...looked }) => looked) };
}

async function lookIn({ name, source, letters: queue, facts }: LetterDesk, { userId, orderId }: OrderName) {
  const letters: FoundLetter[] = [];
  let [seen, expected] = [0, 0];
  try {
    const { waiting, inFlight } = await facts();
    expected = waiting + inFlight;
    for await (const page of lookThrough(queue)) {
      seen += page.length;
      for (const received of page.filter(({ body }) => body.includes(orderId) && body.includes(userId))) {
        const letter = readLetter(received, source);
        const { messageId, sentAtMs } = received;
        const [attempts, key] = [letter.why?.attempts ?? null, letter.job?.key ?? null];
        letters.push({ queue: name, messageId, sentAtMs, reason: causeOf(letter).reason, attempts, key });
      }
    }
  } catch (error) {
    if (!isMissingQueue(error)) throw error;
    return { queue: name, seen: 0, unseen: 0, state: 'missing' as const, letters: [] };
  }
  return { queue: name, seen, unseen: Math.max(0, expected - seen), state: 'there' as const, letters };
}

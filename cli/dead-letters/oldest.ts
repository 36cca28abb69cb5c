import { type DeadLetter, readLetter } from '#shared/dead-letter/read-letter.ts';
import type { Inspected } from './inspection.ts';
import { isMissingQueue, type LetterDesk } from './letter-desk.ts';
import { type LetterFilter, matches } from './letter-filter.ts';
import { lookThrough } from './look.ts';

export interface Oldest {
  /** The first to be deleted comes first. */
  readonly letters: readonly Inspected[];
  readonly matched: number;
  /** Names of queues that are not there any more. */
  readonly missing: readonly string[];
  /** Letters that somebody hid before this look began. */
  readonly hidden: number;
}

/** The oldest letters that are meant, and no more of them than asked for, however many there are. */
export async function oldestOf(desks: readonly LetterDesk[], filter: LetterFilter, most: number, nowMs: number): Promise<Oldest> {
  const found = await Promise.all(desks.map((desk) => oldestIn(desk, filter, most, nowMs)));
  return {
    letters: byAge(found.flatMap(({ letters }) => letters)).slice(0, most),
    matched: found.reduce((sum, { matched }) => sum + matched, 0),
    missing: found.flatMap(({ missing }) => missing),
    hidden: found.reduce((sum, { hidden }) => sum + hidden, 0),
  };
}

async function oldestIn({ name, source, letters, facts }: LetterDesk, filter: LetterFilter, most: number, nowMs: number): Promise<Oldest> {
  try {
    const { retentionMs, inFlight: hidden } = await facts();
    const isWanted = matches(filter, nowMs);
    let [kept, matched]: [Inspected[], number] = [[], 0];
    for await (const page of lookThrough(letters)) {
      const wanted = page.map((received) => readLetter(received, source)).filter(isWanted);
      matched += wanted.length;
      kept = byAge([...kept, ...wanted.map((letter) => ({ letter, queue: name, retentionMs }))]).slice(0, most);
    }
    return { letters: kept, matched, missing: [], hidden };
  } catch (error) {
    if (!isMissingQueue(error)) throw error;
    return { letters: [], matched: 0, missing: [name], hidden: 0 };
  }
}

const byAge = (letters: readonly Inspected[]): Inspected[] => [...letters].sort((one, other) => sentAt(one.letter) - sentAt(other.letter));
const sentAt = ({ received }: DeadLetter): number => received.sentAtMs;

import { type DeadLetter, readLetter } from '#shared/dead-letter/read-letter.ts';
import { causeOf } from './cause.ts';
import { ageOf, type LetterAge } from './letter-age.ts';
import { isMissingQueue, type LetterDesk } from './letter-desk.ts';
import { isOpenFilter, type LetterFilter, matches } from './letter-filter.ts';
import { lookThrough } from './look.ts';

/** Letters of one queue with one cause. */
export interface LetterGroup {
  readonly fingerprint: string;
  readonly reason: string;
  readonly detail: string | null;
  readonly count: number;
  /** How many of them no code wrote: SQS moved them. */
  readonly movedBySqs: number;
  readonly oldest: LetterAge;
  readonly example: { readonly messageId: string; readonly key: string | null };
}

export interface QueueSurvey {
  readonly name: string;
  readonly deadLetterQueue: string;
  /** `missing`: somebody deleted the queue; nothing below is known then. */
  readonly state: 'there' | 'missing';
  /** As SQS counts, which is approximate: what can be received, and what somebody hides at present. */
  readonly waiting: number;
  readonly hidden: number;
  /** Letters this look saw, and those of them that were asked for. */
  readonly seen: number;
  readonly matched: number;
  /** Fewer seen than wait: letters behind others of their FIFO group, or received by somebody else meanwhile. */
  readonly complete: boolean;
  readonly retentionMs: number;
  /** The one SQS deletes first, of those asked for. */
  readonly oldest: LetterAge | null;
  readonly groups: readonly LetterGroup[];
}

/** Looks through one dead-letter queue; what is kept grows with the number of causes, not of letters. */
export async function surveyQueue(desk: LetterDesk, filter: LetterFilter, nowMs: number): Promise<QueueSurvey> {
  try {
    return await survey(desk, filter, nowMs);
  } catch (error) {
    if (!isMissingQueue(error)) throw error;
    const nothing = { waiting: 0, hidden: 0, seen: 0, matched: 0, complete: false, retentionMs: 0, oldest: null, groups: [] };
    return { name: desk.name, deadLetterQueue: desk.source.deadLetterQueueName, state: 'missing', ...nothing };
  }
}

async function survey({ name, source, letters, facts }: LetterDesk, filter: LetterFilter, nowMs: number): Promise<QueueSurvey> {
  const { waiting, inFlight: hidden, retentionMs } = await facts();
  const groups = new Map<string, LetterGroup>();
  const isWanted = matches(filter, nowMs);
  let seen = 0;
  for await (const page of lookThrough(letters)) {
    seen += page.length;
    const wanted = page.map((received) => readLetter(received, source)).filter(isWanted);
    for (const letter of wanted) addTo(groups, letter, ageOf(letter, retentionMs, nowMs));
  }
  const sorted = [...groups.values()].sort((left, right) => right.count - left.count || left.oldest.sentAtMs - right.oldest.sentAtMs);
  return {
    name,
    deadLetterQueue: source.deadLetterQueueName,
    state: 'there',
    waiting,
    hidden,
    seen,
    matched: sorted.reduce((sum, { count }) => sum + count, 0),
    complete: seen >= waiting,
    retentionMs,
    oldest: sorted.map(({ oldest }) => oldest).reduce<LetterAge | null>(older, null),
    groups: sorted,
  };
}

const older = (one: LetterAge | null, other: LetterAge): LetterAge => (one === null || other.sentAtMs < one.sentAtMs ? other : one);

function addTo(groups: Map<string, LetterGroup>, letter: DeadLetter, age: LetterAge): void {
  const { fingerprint, reason, detail } = causeOf(letter);
  const before = groups.get(fingerprint);
  const isOldest = before === undefined || age.sentAtMs < before.oldest.sentAtMs;
  groups.set(fingerprint, {
    fingerprint,
    reason,
    detail,
    count: (before?.count ?? 0) + 1,
    movedBySqs: (before?.movedBySqs ?? 0) + Number(letter.movedBySqs),
    oldest: isOldest ? age : before.oldest,
    example: isOldest ? { messageId: letter.received.messageId, key: letter.job?.key ?? null } : before.example,
  });
}

export interface Survey {
  readonly stage: string;
  readonly filtered: boolean;
  readonly matched: number;
  readonly queues: readonly QueueSurvey[];
}

export async function surveyAll(stage: string, desks: readonly LetterDesk[], filter: LetterFilter, nowMs: number): Promise<Survey> {
  const queues = await Promise.all(desks.map((desk) => surveyQueue(desk, filter, nowMs)));
  const { kind: _, ...narrowing } = filter;
  return { stage, filtered: !isOpenFilter(narrowing), matched: queues.reduce((sum, { matched }) => sum + matched, 0), queues };
}

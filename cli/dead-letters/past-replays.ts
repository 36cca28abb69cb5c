import type { ControlStore } from '#shared/control/control-store.ts';
import { type AuditEntry, readAudit, wentOnAs } from '#shared/dead-letter/audit.ts';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { daysBetween } from '../audit/days.ts';

export interface PastAct {
  readonly what: string;
  readonly atMs: number;
  /** Of the letter it was done to: another one than now, where it was sent again since. */
  readonly messageId: string | null;
  readonly who: string;
  readonly why: string;
  readonly outcome: string | null;
}

/** A letter of a queue of 14 days that was a message of 14 days before. */
const LONGEST_LIFE_MS = 29 * 86_400_000;
/** As long as the export bucket keeps what is archived. */
const LONGEST_ARCHIVED_MS = 45 * 86_400_000;

/**
 * What people did before about the keys of some letters, by the audit, oldest first. A letter that failed again is another message
 * under the same key, so the key is what is looked for; a letter without one is looked for by its id, and by those it had before a
 * restore or a replay sent it again.
 *
 * Does not protect against a worker that answers a replay of what is no job with a letter of its own: nothing joins its id to the old one.
 */
export async function pastActs(control: ControlStore, letters: readonly DeadLetter[], nowMs: number): Promise<Map<string, PastAct[]>> {
  const found = new Map<string, AuditEntry[]>(letters.map((letter) => [nameOf(letter), []]));
  if (letters.length === 0) return new Map();
  const isNameless = letters.some(({ job }) => job === undefined);
  const sentAgain = new Map<string, AuditEntry[]>();
  // A restored letter is a message of today, whenever it was discarded.
  const fromMs = isNameless ? nowMs - LONGEST_ARCHIVED_MS : Math.max(Math.min(...letters.map(beganAtMs)), nowMs - LONGEST_LIFE_MS);
  for (const day of daysBetween(fromMs, nowMs)) {
    for await (const entry of readAudit(control, day)) {
      if (entry.key !== undefined) found.get(entry.key)?.push(entry);
      // Whose they are is known only when the last of them has been read.
      else if (isNameless && entry.messageId !== undefined) push(sentAgain, entry.messageId, entry);
    }
  }
  for (const { job, received } of letters) if (job === undefined) found.set(received.messageId, chainTo(received.messageId, sentAgain));
  return new Map([...found].map(([name, entries]) => [name, entries.map(actOf)]));
}

export const nameOf = ({ job, received }: DeadLetter): string => job?.key ?? received.messageId;

const push = (map: Map<string, AuditEntry[]>, name: string, entry: AuditEntry): void =>
  void map.set(name, [...(map.get(name) ?? []), entry]);

/** Acts on a message and on those it was before, oldest first. */
function chainTo(messageId: string, byId: ReadonlyMap<string, readonly AuditEntry[]>): AuditEntry[] {
  const own = byId.get(messageId) ?? [];
  const others = new Map([...byId].filter(([id]) => id !== messageId));
  const earlier = [...others].find(([, entries]) => entries.some((entry) => wentOnAs(entry) === messageId));
  return earlier === undefined ? [...own] : [...chainTo(earlier[0], others), ...own];
}

const actOf = ({ what, atMs, messageId, who, why, outcome }: AuditEntry): PastAct => ({
  what,
  atMs,
  messageId: messageId ?? null,
  who,
  why,
  outcome: outcome ?? null,
});

/** Nobody acted on a job before it was written. */
function beganAtMs({ job, why, received }: DeadLetter): number {
  const times = [Date.parse(job?.message.enqueuedAt ?? ''), Date.parse(why?.firstSeenAt ?? ''), received.sentAtMs];
  return Math.min(...times.filter((time) => !Number.isNaN(time)));
}

import type { ControlStore } from '#shared/control/control-store.ts';
import { type AuditEntry, readAudit } from '#shared/dead-letter/audit.ts';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { daysBetween } from '../audit/days.ts';

export interface PastAct {
  readonly what: string;
  readonly atMs: number;
  readonly who: string;
  readonly why: string;
  readonly outcome: string | null;
}

/** A letter of a queue of 14 days that was a message of 14 days before. */
const LONGEST_LIFE_MS = 29 * 86_400_000;

/**
 * What people did before about the keys of some letters, by the audit, oldest first. A letter that failed again is another message
 * under the same key, so the key is what is looked for; a letter without one is looked for by its id.
 */
export async function pastActs(control: ControlStore, letters: readonly DeadLetter[], nowMs: number): Promise<Map<string, PastAct[]>> {
  const found = new Map<string, PastAct[]>(letters.map((letter) => [nameOf(letter), []]));
  if (letters.length === 0) return found;
  for (const day of daysBetween(Math.max(Math.min(...letters.map(beganAtMs)), nowMs - LONGEST_LIFE_MS), nowMs)) {
    for await (const entry of readAudit(control, day)) {
      const acts = found.get(entry.key ?? entry.messageId ?? '');
      acts?.push(actOf(entry));
    }
  }
  return found;
}

export const nameOf = ({ job, received }: DeadLetter): string => job?.key ?? received.messageId;

const actOf = ({ what, atMs, who, why, outcome }: AuditEntry): PastAct => ({ what, atMs, who, why, outcome: outcome ?? null });

/** Nobody acted on a job before it was written. */
function beganAtMs({ job, why, received }: DeadLetter): number {
  const times = [Date.parse(job?.message.enqueuedAt ?? ''), Date.parse(why?.firstSeenAt ?? ''), received.sentAtMs];
  return Math.min(...times.filter((time) => !Number.isNaN(time)));
}

import * as z from 'zod';
import type { ControlStore } from '#shared/control/control-store.ts';
import { expiresAtSeconds, readRow } from '#shared/control/rows.ts';
import type { Random } from '#shared/runtime/random.ts';
import type { DeadLetter } from './read-letter.ts';

/** What somebody is about to do with a letter. Ids and codes only, never a body. */
export interface AuditedAct {
  readonly what: 'replay' | 'discard';
  readonly who: string;
  readonly why: string;
  readonly letter: DeadLetter;
}

/** The acts of one run of a tool, in the order they were begun. */
export interface AuditTrail {
  /** @returns once the entry is in the table: only then may the act begin */
  begin(act: AuditedAct): Promise<OpenEntry>;
}

export interface OpenEntry {
  readonly id: string;
  /** Never throws: the act has happened, and an entry without an outcome says that nobody saw its end. */
  end(outcome: string): Promise<void>;
}

const entrySchema = z.object({
  id: z.string(),
  what: z.string(),
  who: z.string(),
  why: z.string(),
  atMs: z.number(),
  queue: z.string(),
  messageId: z.string(),
  kind: z.string().optional(),
  key: z.string().optional(),
  letterReason: z.string().optional(),
  /** None: the tool died in between, and what it did is to be seen on the item and in the queues. */
  outcome: z.string().optional(),
  endedAtMs: z.number().optional(),
});
export type AuditEntry = z.infer<typeof entrySchema>;

export const AUDIT_KEPT_DAYS = 400;
/** Entry numbers are taken so many at a time. */
const BLOCK = 100;
const DAY_MS = 86_400_000;

interface World {
  readonly control: ControlStore;
  readonly clock: { nowMs(): number };
  readonly random: Pick<Random, 'token'>;
}

const dayRow = (day: string): string => `audit:${day}`;
const entryRow = (run: string, number: number): string => `audit:${run}:${String(number).padStart(7, '0')}`;
const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
const expiry = (nowMs: number): number => expiresAtSeconds(nowMs + AUDIT_KEPT_DAYS * DAY_MS);

/**
 * Writes the entries of one run of a tool. The Control table has no key to sort by, so a run makes a directory of its own: a row
 * a day names the runs that began then and how many entry numbers each has taken, and an entry lies under its run and number.
 * So entries are read by key, in order and page by page, without a scan over everything else, and no row is written by every act.
 * Numbers are taken before they are used: a reader who goes up to that count misses no entry.
 */
export function createAuditTrail({ control, clock, random }: World): AuditTrail {
  const startedAtMs = clock.nowMs();
  const run = `${new Date(startedAtMs).toISOString().replace(/[-:.]/g, '')}-${random.token()}`;
  let [next, granted] = [1, 0];
  let granting: Promise<void> | undefined;
  // Added, not set: a late copy of this write may only waste numbers, never hide entries.
  const grant = async (): Promise<void> => {
    const change = { add: { [run]: BLOCK }, set: { expiresAt: expiry(clock.nowMs()) } };
    await control.update(dayRow(dayOf(startedAtMs)), change).finally(() => {
      granting = undefined;
    });
    granted += BLOCK;
  };
  const takeNumber = async (): Promise<number> => {
    const number = next++;
    while (number > granted) {
      granting ??= grant();
      await granting;
    }
    return number;
  };
  return {
    async begin(act) {
      const id = entryRow(run, await takeNumber());
      // A late copy of this write may not take the outcome away again.
      await control.put(id, entryOf(act, clock.nowMs()), { id: 'absent' });
      return {
        id,
        end: (outcome) => control.update(id, { set: { outcome, endedAtMs: clock.nowMs() } }).then(nothing, nothing),
      };
    },
  };
}

const nothing = (): void => undefined;

function entryOf({ what, who, why, letter: { received, source, job, why: reason } }: AuditedAct, nowMs: number): Record<string, unknown> {
  return {
    what,
    who,
    why,
    atMs: nowMs,
    queue: source.deadLetterQueueName,
    messageId: received.messageId,
    ...(source.definition === undefined ? {} : { kind: source.definition.kind }),
    ...(job === undefined ? {} : { key: job.key }),
    ...(reason === undefined ? {} : { letterReason: reason.reason }),
    expiresAt: expiry(nowMs),
  };
}

/** The entries of the runs that began on a day (UTC), run by run; read only as far as they are asked for. */
export async function* readAudit(control: ControlStore, day: string): AsyncGenerator<AuditEntry> {
  for (const [run, upTo] of await runsOf(control, day)) {
    for (let first = 1; first <= upTo; first += BLOCK) {
      const numbers = Array.from({ length: Math.min(BLOCK, upTo - first + 1) }, (_, index) => first + index);
      const rows = await Promise.all(numbers.map((number) => control.get(entryRow(run, number))));
      for (const row of rows) {
        const entry = readRow(entrySchema, row);
        if (entry !== undefined) yield entry;
      }
    }
  }
}

/** Their names begin with the time they began at. */
async function runsOf(control: ControlStore, day: string): Promise<[string, number][]> {
  const { id: _, expiresAt: __, ...runs } = (await control.get(dayRow(day))) ?? {};
  return Object.entries(runs)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

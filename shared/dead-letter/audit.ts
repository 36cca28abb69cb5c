import * as z from 'zod';
import { askTogether, type Gather, inOneTurn } from '#shared/control/ask-together.ts';
import type { ControlRow, ControlStore } from '#shared/control/control-store.ts';
import { expiresAtSeconds, readRow } from '#shared/control/rows.ts';
import type { Random } from '#shared/runtime/random.ts';
import type { DeadLetter } from './read-letter.ts';

/** Every act there is. */
export const ACTS = ['replay', 'discard', 'restore', 'pause', 'resume', 'sweep', 'cache-repair'] as const;

/** What somebody is about to do with a letter, or to the pipeline. Ids and codes only, never a body. */
export interface AuditedAct {
  readonly what: (typeof ACTS)[number];
  readonly who: string;
  readonly why: string;
  /** Left out for what is done to no letter. */
  readonly letter?: DeadLetter;
  /** The job kind, where there is no letter to name it. */
  readonly kind?: string | undefined;
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

const actSchema = z.object({
  what: z.string(),
  who: z.string(),
  why: z.string(),
  queue: z.string().optional(),
  messageId: z.string().optional(),
  kind: z.string().optional(),
  key: z.string().optional(),
  letterReason: z.string().optional(),
});

/** The acts that began at one moment. Beside them, as `outcome:0`, `endedAtMs:0` and so on, how each of them ended. */
const rowSchema = z.looseObject({ id: z.string(), atMs: z.number(), acts: z.array(actSchema) });

export interface AuditEntry extends z.infer<typeof actSchema> {
  readonly id: string;
  readonly atMs: number;
  /** None: the tool died in between, and what it did is to be seen on the item and in the queues. */
  readonly outcome?: string;
  readonly endedAtMs?: number;
}

/** How an act ended that sent a letter's message again: SQS names it anew, and this joins the two names. */
export const endedAs = (outcome: string, messageId: string | undefined): string =>
  messageId === undefined ? outcome : `${outcome} as ${messageId}`;

/** The message id under which the letter of an act went on; undefined where it did not, or nobody saw it. */
export const wentOnAs = ({ outcome }: Pick<AuditEntry, 'outcome'>): string | undefined => / as (\S+)$/.exec(outcome ?? '')?.[1];

export const AUDIT_KEPT_DAYS = 400;
/** Row numbers are taken so many at a time. */
const BLOCK = 100;
const DAY_MS = 86_400_000;

/** Acts in one row: fewer cost calls, and of more a row that grows with each outcome is paid for again. */
const MAX_ACTS = 25;

interface World {
  readonly control: ControlStore;
  readonly clock: { nowMs(): number };
  readonly random: Pick<Random, 'token'>;
  /** How long an entry waits for others to be written with; left out, one turn of the event loop. */
  readonly gather?: Gather;
}

const dayRow = (day: string): string => `audit:${day}`;
const rowOf = (run: string, number: number): string => `audit:${run}:${String(number).padStart(7, '0')}`;
/** Entries sort as they were begun. */
const entryId = (row: string, index: number): string => `${row}:${String(index).padStart(2, '0')}`;
const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
const expiry = (nowMs: number): number => expiresAtSeconds(nowMs + AUDIT_KEPT_DAYS * DAY_MS);

/**
 * Writes the entries of one run of a tool. The Control table has no key to sort by, so a run makes a directory of its own: a row
 * a day names the runs that began then and how many row numbers each has taken, and entries lie under their run and number.
 * So entries are read by key, in order and page by page, without a scan over everything else, and no row is written by every act.
 * Numbers are taken before they are used: a reader who goes up to that count misses no entry. Acts that begin together share a row.
 */
export function createAuditTrail({ control, clock, random, gather = inOneTurn }: World): AuditTrail {
  const startedAtMs = clock.nowMs();
  const run = `${new Date(startedAtMs).toISOString().replace(/[-:.]/g, '')}-${random.token()}`;
  const takeNumber = createNumbers(control, { run, startedAtMs, clock });
  const begin = askTogether<AuditedAct, OpenEntry>({
    most: MAX_ACTS,
    gather,
    async run(acts) {
      const id = rowOf(run, await takeNumber());
      const atMs = clock.nowMs();
      // A late copy of this write may not take the outcomes away again.
      await control.put(id, { atMs, acts: acts.map(auditedAct), expiresAt: expiry(atMs) }, { id: 'absent' });
      const end = askTogether<Ending, void>({
        most: acts.length,
        gather,
        run: (endings) => control.update(id, { set: Object.assign({}, ...endings) }).then(() => []),
      });
      return acts.map((_, index) => ({
        id: entryId(id, index),
        end: (outcome) => end({ [`outcome:${index}`]: outcome, [`endedAtMs:${index}`]: clock.nowMs() }).catch(nothing),
      }));
    },
  });
  return { begin };
}

type Ending = Readonly<Record<string, string | number>>;

const nothing = (): void => undefined;

interface Run {
  readonly run: string;
  readonly startedAtMs: number;
  readonly clock: { nowMs(): number };
}

function createNumbers(control: ControlStore, { run, startedAtMs, clock }: Run): () => Promise<number> {
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
  return async () => {
    const number = next++;
    while (number > granted) {
      granting ??= grant();
      await granting;
    }
    return number;
  };
}

const auditedAct = ({ what, who, why, letter, kind }: AuditedAct): z.infer<typeof actSchema> => ({
  what,
  who,
  why,
  ...(letter === undefined ? present({ kind }) : subjectOf(letter)),
});

const subjectOf = ({ received, source, job, why }: DeadLetter) => ({
  queue: source.deadLetterQueueName,
  messageId: received.messageId,
  ...present({ kind: source.definition?.kind, key: job?.key, letterReason: why?.reason }),
});

const present = (attributes: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined));

/** The entries of the runs that began on a day (UTC), run by run; read only as far as they are asked for. */
export async function* readAudit(control: ControlStore, day: string): AsyncGenerator<AuditEntry> {
  for (const [run, upTo] of await runsOf(control, day)) {
    for (let first = 1; first <= upTo; first += BLOCK) {
      const numbers = Array.from({ length: Math.min(BLOCK, upTo - first + 1) }, (_, index) => first + index);
      const rows = await Promise.all(numbers.map((number) => control.get(rowOf(run, number))));
      for (const row of rows) yield* entriesOf(row);
    }
  }
}

export function entriesOf(row: ControlRow | undefined): AuditEntry[] {
  const parsed = readRow(rowSchema, row);
  if (parsed === undefined) return [];
  const { id, atMs, acts, ...rest } = parsed;
  return acts.map((act, index) => {
    const { [`outcome:${index}`]: outcome, [`endedAtMs:${index}`]: endedAtMs } = rest;
    const ended = typeof outcome === 'string' && typeof endedAtMs === 'number';
    return { id: entryId(id, index), ...act, atMs, ...(ended ? { outcome, endedAtMs } : {}) };
  });
}

/** Their names begin with the time they began at. */
async function runsOf(control: ControlStore, day: string): Promise<[string, number][]> {
  const { id: _, expiresAt: __, ...runs } = (await control.get(dayRow(day))) ?? {};
  return Object.entries(runs)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

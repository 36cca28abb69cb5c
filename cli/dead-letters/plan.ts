import { type DeadLetter, readLetter } from '#shared/dead-letter/read-letter.ts';
import { planReplay } from '#shared/dead-letter/replay-plan.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { causeOf } from './cause.ts';
import { foreseeDiscard } from './foresee-discard.ts';
import { isMissingQueue, type LetterDesk } from './letter-desk.ts';
import { type LetterFilter, matches } from './letter-filter.ts';
import { lookThrough } from './look.ts';
import type { AskablePayments } from './provider.ts';

/** Letters of one queue and one cause that would go the same way. */
export interface PlannedGroup {
  readonly queue: string;
  /** Where a replay sends to; null for a discard. */
  readonly to: string | null;
  readonly fingerprint: string;
  readonly reason: string;
  readonly count: number;
  readonly act: 'replay' | 'discard' | 'refuse';
  /** Why it would be refused. */
  readonly code: string | null;
  readonly example: { readonly messageId: string; readonly key: string | null };
}

export interface Plan {
  readonly matched: number;
  readonly refused: number;
  /** Letters that match and are more than were asked for: nobody was asked about them, and they would be left alone. */
  readonly beyond: number;
  readonly groups: readonly PlannedGroup[];
  readonly missing: readonly string[];
  /** Letters that somebody hid before this look began. */
  readonly hidden: number;
}

/** What would become of one letter: undefined when it may be done, else why not. */
export type Foresee = (letter: DeadLetter) => Promise<string | undefined>;

export const foreseeReplay =
  (store: Pick<ItemStore, 'read'>, mostReplays: number | undefined): Foresee =>
  async (letter) => {
    const plan = planReplay(letter, letter.job === undefined ? undefined : await store.read(letter.job.target.key), mostReplays);
    return plan.act === 'refuse' ? plan.code : undefined;
  };

export const foreseeDiscarding =
  (store: Pick<ItemStore, 'read'>, payments: Pick<AskablePayments, 'find'>, { moneyIsKnown }: { moneyIsKnown: boolean }): Foresee =>
  async (letter) => {
    const image = letter.job === undefined ? undefined : await store.read(letter.job.target.key);
    const foreseen = await foreseeDiscard(letter, image, { payments, nowMs: Date.now() });
    if (foreseen.act === 'discard') return undefined;
    return moneyIsKnown && SETTLED_BY_HAND.includes(foreseen.code) ? undefined : foreseen.code;
  };

const SETTLED_BY_HAND: readonly string[] = ['charged-at-provider', 'refunded-at-provider'];

interface Planning {
  readonly filter: LetterFilter;
  readonly foresee: Foresee;
  /** So many letters at most would be done. */
  readonly max?: number | undefined;
}

/** Looks through the queues and changes nothing; what is kept grows with the number of groups, not of letters. */
export async function planAct(act: 'replay' | 'discard', desks: readonly LetterDesk[], { filter, foresee, max }: Planning): Promise<Plan> {
  const budget = max === undefined ? undefined : { left: max };
  const planned: QueuePlan[] = [];
  // With a limit one after the other, as the run goes: what the first ones use up is not there for the next.
  if (budget === undefined) planned.push(...(await Promise.all(desks.map((desk) => planQueue(act, desk, { filter, foresee })))));
  else for (const desk of desks) planned.push(await planQueue(act, desk, { filter, foresee, budget }));
  const groups = planned.flatMap((one) => one.groups);
  const sum = (wanted: readonly PlannedGroup[]): number => wanted.reduce((total, { count }) => total + count, 0);
  const beyond = planned.reduce((total, one) => total + one.beyond, 0);
  return {
    matched: sum(groups) + beyond,
    beyond,
    refused: sum(groups.filter((group) => group.act === 'refuse')),
    groups,
    missing: planned.flatMap(({ missing }) => missing),
    hidden: planned.reduce((total, { hidden }) => total + hidden, 0),
  };
}

type QueuePlan = Pick<Plan, 'groups' | 'missing' | 'hidden' | 'beyond'>;

interface QueuePlanning extends Omit<Planning, 'max'> {
  /** What the queues share. */
  readonly budget?: { left: number };
}

async function planQueue(act: 'replay' | 'discard', desk: LetterDesk, { filter, foresee, budget }: QueuePlanning): Promise<QueuePlan> {
  const groups = new Map<string, PlannedGroup>();
  const isWanted = matches(filter, Date.now());
  let [hidden, beyond] = [0, 0];
  try {
    hidden = (await desk.facts()).inFlight;
    for await (const page of lookThrough(desk.letters)) {
      const wanted = page.map((received) => readLetter(received, desk.source)).filter(isWanted);
      for (const [letter, code] of await foreseeSome(wanted, foresee, budget)) {
        if (code === 'beyond') beyond++;
        else addTo(groups, groupOf(act, letter, code, desk));
      }
    }
  } catch (error) {
    if (!isMissingQueue(error)) throw error;
    return { groups: [], missing: [desk.name], hidden, beyond };
  }
  return { groups: [...groups.values()].sort((one, other) => other.count - one.count), missing: [], hidden, beyond };
}

/** No more are asked about than may still be done; what is refused makes room for the next. */
async function foreseeSome(
  letters: readonly DeadLetter[],
  foresee: Foresee,
  budget: { left: number } | undefined,
): Promise<[DeadLetter, string | undefined | 'beyond'][]> {
  const told: [DeadLetter, string | undefined | 'beyond'][] = [];
  while (told.length < letters.length) {
    const most = budget === undefined ? letters.length : budget.left;
    const some = letters.slice(told.length, told.length + most);
    if (some.length === 0) return [...told, ...letters.slice(told.length).map((letter): [DeadLetter, 'beyond'] => [letter, 'beyond'])];
    const codes = await Promise.all(some.map(foresee));
    told.push(...some.map((letter, index): [DeadLetter, string | undefined] => [letter, codes[index]]));
    if (budget !== undefined) budget.left -= codes.filter((code) => code === undefined).length;
  }
  return told;
}

function groupOf(act: 'replay' | 'discard', letter: DeadLetter, code: string | undefined, { name, source }: LetterDesk): PlannedGroup {
  const { fingerprint, reason } = causeOf(letter);
  return {
    queue: name,
    to: act === 'replay' ? source.queueUrl : null,
    fingerprint,
    reason,
    count: 1,
    act: code === undefined ? act : 'refuse',
    code: code ?? null,
    example: { messageId: letter.received.messageId, key: letter.job?.key ?? null },
  };
}

function addTo(groups: Map<string, PlannedGroup>, group: PlannedGroup): void {
  const name = `${group.fingerprint} ${group.code ?? ''}`;
  const before = groups.get(name);
  groups.set(name, before === undefined ? group : { ...before, count: before.count + 1 });
}

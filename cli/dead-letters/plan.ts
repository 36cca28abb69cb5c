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

/** Looks through the queues and changes nothing; what is kept grows with the number of groups, not of letters. */
export async function planAct(
  act: 'replay' | 'discard',
  desks: readonly LetterDesk[],
  filter: LetterFilter,
  foreseen: Foresee,
): Promise<Plan> {
  const planned = await Promise.all(desks.map((desk) => planQueue(act, desk, filter, foreseen)));
  const groups = planned.flatMap((one) => one.groups);
  const sum = (wanted: readonly PlannedGroup[]): number => wanted.reduce((total, { count }) => total + count, 0);
  return {
    matched: sum(groups),
    refused: sum(groups.filter((group) => group.act === 'refuse')),
    groups,
    missing: planned.flatMap(({ missing }) => missing),
    hidden: planned.reduce((total, { hidden }) => total + hidden, 0),
  };
}

type QueuePlan = Pick<Plan, 'groups' | 'missing' | 'hidden'>;

async function planQueue(act: 'replay' | 'discard', desk: LetterDesk, filter: LetterFilter, foreseen: Foresee): Promise<QueuePlan> {
  const groups = new Map<string, PlannedGroup>();
  const isWanted = matches(filter, Date.now());
  let hidden = 0;
  try {
    hidden = (await desk.facts()).inFlight;
    for await (const page of lookThrough(desk.letters)) {
      const wanted = page.map((received) => readLetter(received, desk.source)).filter(isWanted);
      const codes = await Promise.all(wanted.map(foreseen));
      for (const [index, letter] of wanted.entries()) addTo(groups, groupOf(act, letter, codes[index], desk));
    }
  } catch (error) {
    if (!isMissingQueue(error)) throw error;
    return { groups: [], missing: [desk.name], hidden };
  }
  return { groups: [...groups.values()].sort((one, other) => other.count - one.count), missing: [], hidden };
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

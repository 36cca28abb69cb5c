import { type DiscardWorld, discardLetter } from '#shared/dead-letter/discard-letter.ts';
import type { LetterQueuePort } from '#shared/dead-letter/letter-queue-port.ts';
import type { DeadLetter } from '#shared/dead-letter/read-letter.ts';
import { type ReplayWorld, replayLetter } from '#shared/dead-letter/replay-letter.ts';
import type { Simulation } from '../simulation.ts';

export interface Parts extends Omit<ReplayWorld & DiscardWorld, 'letters'> {
  /** As the tool opens operations: several at a time. */
  readonly rearm: ReplayWorld['store']['write'];
}

export interface Acting {
  /** Keys that earlier runs have replayed. */
  readonly broughtBackBefore: ReadonlySet<string>;
  readonly isOldTool: boolean;
  readonly replaying: (letter: DeadLetter) => boolean;
  readonly count: (what: string) => void;
  /** Keys of letters that were replayed because money had moved. */
  readonly broughtBack: Set<string>;
}

interface Desk {
  readonly simulation: Simulation;
  readonly letters: LetterQueuePort;
  readonly parts: Parts;
  readonly acting: Acting;
}

/** A table that does not answer ends the act, not the run; the letter comes back. */
export async function actOn(letter: DeadLetter, desk: Desk): Promise<void> {
  const act = desk.acting.replaying(letter) ? replayOrDrop : discardOrReplay;
  await act(letter, desk).catch((error: unknown) => desk.acting.count(`failed: ${error instanceof Error ? error.name : 'unknown'}`));
}

/** What no replay can settle (the order is gone, or at a later attempt) a person settles with the provider by hand. */
async function replayOrDrop(letter: DeadLetter, desk: Desk): Promise<void> {
  if ((await replay(letter, desk)) === 'refused') await discard(letter, true, desk);
}

const ONLY_REPLAY = new Set(['charged-at-provider', 'refunded-at-provider']);

/** Another amount was charged: a replay says so again, or the first answer was wrong and it settles the order. */
async function discardOrReplay(letter: DeadLetter, desk: Desk): Promise<void> {
  const { broughtBack, broughtBackBefore } = desk.acting;
  const key = letter.job?.key ?? '';
  const isKnown = letter.why?.reason === 'captured-amount-differs' && broughtBackBefore.has(key);
  if (!ONLY_REPLAY.has(await discard(letter, isKnown, desk))) return;
  if ((await replay(letter, desk)) === 'replayed') broughtBack.add(key);
}

async function replay(letter: DeadLetter, desk: Desk): Promise<string> {
  const replayed = await replayLetter(letter, { who: 'operator', why: 'the cause is mended' }, announcing('replay', letter, desk));
  desk.acting.count(`replay ${'code' in replayed ? `${replayed.outcome}: ${replayed.code}` : replayed.outcome}`);
  return replayed.outcome;
}

async function discard(letter: DeadLetter, moneyIsKnown: boolean, desk: Desk): Promise<string> {
  const discarding = { who: 'operator', why: 'of no use any more', moneyIsKnown };
  const discarded = await discardLetter(letter, discarding, announcing('discard', letter, desk));
  desk.acting.count(`discard ${'code' in discarded ? `${discarded.outcome}: ${discarded.code}` : discarded.outcome}`);
  return 'code' in discarded ? discarded.code : discarded.outcome;
}

/** An act begins with the first thing it changes of job or letter; one that is refused never does. */
function announcing(kind: 'replay' | 'discard', { source, received }: DeadLetter, desk: Desk): ReplayWorld & DiscardWorld {
  const { signals, world } = desk.simulation;
  let isAnnounced = false;
  const announce = (): void => {
    if (isAnnounced) return;
    isAnnounced = true;
    signals.operatorActs({ kind, queueName: source.deadLetterQueueName, body: received.body, atMs: world.nowMs });
  };
  const first =
    <Given extends unknown[], Answer>(act: (...given: Given) => Answer): ((...given: Given) => Answer) =>
    (...given) => {
      announce();
      return act(...given);
    };
  const { store, sender, rearm } = desk.parts;
  return {
    ...desk.parts,
    store: { read: store.read, write: first(kind === 'replay' ? rearm : store.write) },
    sender: { send: first(sender.send) },
    letters: { remove: first(desk.letters.remove) },
  };
}

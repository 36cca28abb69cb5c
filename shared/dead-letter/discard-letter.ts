import type { ItemImage } from '#shared/item/attributes.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import type { LetterArchive } from './archive.ts';
import { type AskedPayments, askProvider } from './ask-provider.ts';
import type { AuditTrail } from './audit.ts';
import { audited } from './audited.ts';
import { endWrite } from './end-operation.ts';
import type { LetterQueuePort } from './letter-queue-port.ts';
import { type DeadLetter, isOfNewerCode } from './read-letter.ts';
import { standingOf } from './standing.ts';

export interface DiscardWorld {
  readonly store: Pick<ItemStore, 'read' | 'write'>;
  readonly audit: AuditTrail;
  readonly letters: Pick<LetterQueuePort, 'remove'>;
  readonly payments: AskedPayments;
  readonly archive: LetterArchive;
  readonly clock: { nowMs(): number };
  readonly random: { token(): string };
}

export type DiscardRefusal =
  /** Newer code wrote it, and only that can tell whether money moved; use the tool of the deployed version. */
  | 'unsupported-version'
  /** The customer's money was taken: replayed, the letter makes the order paid, unless it was another amount. */
  | 'charged-at-provider'
  /** The money was given back: replayed, the letter makes the order refunded. */
  | 'refunded-at-provider'
  /** Money may have moved and the provider does not say; ask again later. */
  | 'provider-unanswered'
  /** A worker has the item, or keeps taking it. */
  | 'busy';

export type Discarded =
  | { readonly outcome: 'discarded' }
  /** Nothing of the job was changed; the letter is where it was. */
  | { readonly outcome: 'refused'; readonly code: DiscardRefusal }
  /** Archived, and its operation ended; the letter itself is still there, discard it again. */
  | { readonly outcome: 'not-deleted'; readonly code: string };

export interface Discarding {
  readonly who: string;
  readonly why: string;
  /**
   * The person knows what the provider did and settles it by hand, because no replay can: another amount was charged, or the
   * order is gone. Never stands in for a provider that does not answer.
   */
  readonly moneyIsKnown?: boolean;
}

/** Looks at an item that others change meanwhile. */
const MAX_LOOKS = 3;

/**
 * Gives one letter up: audit, look, ask, archive, end, delete, in this order. Every step can be repeated: the archive keeps a
 * letter once, an operation that is ended is found ended, and the letter goes last.
 *
 * - died before the end: nothing of the job has changed but that its payment intent may be closed at the provider; a copy that
 *   runs all the same is declined there, and its order may be paid by a new attempt.
 * - died before the delete: the job stays ended, its letter is there to be discarded again, or to be replayed.
 * - a worker comes in between: its claim moves the fence, and the item is looked at, and the provider asked, once more.
 *
 * Does not protect against what an order then is: one that awaited this capture goes on awaiting it. Past the life of its key a
 * replay frees it instead.
 *
 * @throws RangeError without a reason; whatever a table, the archive or the provider's client threw, with the letter where it was
 */
export async function discardLetter(letter: DeadLetter, discarding: Discarding, world: DiscardWorld): Promise<Discarded> {
  const { who, why, moneyIsKnown = false } = discarding;
  if (why.trim() === '') throw new RangeError('a letter is discarded for a reason: say why, for whoever reads the audit');
  return audited({ what: 'discard', who, why, letter }, world.audit, () => discard(letter, moneyIsKnown, world), outcomeOf);
}

const outcomeOf = (discarded: Discarded): string => ('code' in discarded ? `${discarded.outcome}: ${discarded.code}` : discarded.outcome);

async function discard(letter: DeadLetter, moneyIsKnown: boolean, world: DiscardWorld): Promise<Discarded> {
  const refusal = await endJob(letter, moneyIsKnown, world);
  if (refusal !== undefined) return { outcome: 'refused', code: refusal };
  const [left] = await world.letters.remove([letter.received]);
  return left === undefined ? { outcome: 'discarded' } : { outcome: 'not-deleted', code: left.code };
}

/** Archived once nothing speaks against it, before the first change of the job. */
async function endJob(letter: DeadLetter, moneyIsKnown: boolean, world: DiscardWorld): Promise<DiscardRefusal | undefined> {
  const { job } = letter;
  if (isOfNewerCode(letter)) return 'unsupported-version';
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const image = job === undefined ? undefined : await world.store.read(job.target.key);
    const nowMs = world.clock.nowMs();
    if (isHeld(image, nowMs)) return 'busy';
    const standing = job === undefined ? undefined : standingOf(job, image);
    const word = standing === undefined ? 'no-money-moved' : await askProvider(letter, standing, image, world.payments);
    if (word === 'unanswered' || (word !== 'no-money-moved' && !moneyIsKnown)) return REFUSALS[word];
    await world.archive.keep(letter, nowMs);
    if (job === undefined || standing === undefined) return undefined;
    const write = endWrite(job, standing, image, { by: `operator-${world.random.token()}`, nowMs });
    if (write === undefined || (await world.store.write(write)).accepted) return undefined;
  }
  return 'busy';
}

const REFUSALS = { charged: 'charged-at-provider', refunded: 'refunded-at-provider', unanswered: 'provider-unanswered' } as const;

const isHeld = (image: ItemImage | undefined, nowMs: number): boolean =>
  image?.lease === 'held' && typeof image.leaseUntilMs === 'number' && image.leaseUntilMs >= nowMs;

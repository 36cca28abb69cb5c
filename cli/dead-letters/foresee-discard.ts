import { askProvider } from '#shared/dead-letter/ask-provider.ts';
import type { DiscardRefusal } from '#shared/dead-letter/discard-letter.ts';
import { type DeadLetter, isOfNewerCode } from '#shared/dead-letter/read-letter.ts';
import { standingOf } from '#shared/dead-letter/standing.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { AskablePayments } from './provider.ts';

export type ForeseenDiscard = { readonly act: 'discard' } | { readonly act: 'refuse'; readonly code: DiscardRefusal };

/**
 * What a discard would meet now. It would close an open payment at the provider, which a look does not: asked about once more instead,
 * it is as open as before.
 */
export async function foreseeDiscard(
  letter: DeadLetter,
  image: ItemImage | undefined,
  { payments, nowMs }: { payments: Pick<AskablePayments, 'find'>; nowMs: number },
): Promise<ForeseenDiscard> {
  const { job } = letter;
  if (isOfNewerCode(letter)) return { act: 'refuse', code: 'unsupported-version' };
  if (job === undefined) return { act: 'discard' };
  if (image?.['lease'] === 'held' && Number(image['leaseUntilMs']) >= nowMs) return { act: 'refuse', code: 'busy' };
  const looking = { find: payments.find, void: payments.find };
  const word = await askProvider(letter, standingOf(job, image), image, looking);
  return word === 'no-money-moved' ? { act: 'discard' } : { act: 'refuse', code: CODES[word] };
}

const CODES = { charged: 'charged-at-provider', refunded: 'refunded-at-provider', unanswered: 'provider-unanswered' } as const;

import { intentBehind } from '#shared/dead-letter/ask-provider.ts';
import type { LetterJob } from '#shared/dead-letter/read-letter.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import { type FindAnswer, ProviderError } from '#shared/payments/payment-port.ts';
import type { AskablePayments } from './provider.ts';

/** What the provider says of the money behind a letter, asked just now. */
export type ProviderView =
  | { readonly asked: false; readonly why: string }
  | { readonly asked: true; readonly paymentIntentId: string; readonly answer: FindAnswer | Unanswered };

export interface Unanswered {
  readonly status: 'unanswered';
  readonly code: string;
}

/** Only asks; nothing is closed and nothing charged. */
export async function viewProvider(
  job: LetterJob | undefined,
  image: ItemImage | undefined,
  payments: Pick<AskablePayments, 'find'>,
): Promise<ProviderView> {
  const asked = intentOf(job, image);
  if (typeof asked === 'string') return { asked: false, why: asked };
  const timeoutMs = job?.definition.timing.dependencyTimeoutMs ?? 0;
  try {
    return { asked: true, ...asked, answer: await payments.find(asked, { timeoutMs }) };
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { asked: true, ...asked, answer: { status: 'unanswered', code: error.code } };
  }
}

/** @returns the intent to ask about, or why there is nothing to ask */
function intentOf(job: LetterJob | undefined, image: ItemImage | undefined): { paymentIntentId: string } | string {
  if (job === undefined) return 'the letter cannot be read as a job';
  if (job.definition.dependency !== 'payment-provider') return 'this job moves no money';
  return intentBehind(job, image) ?? 'the order that names the payment is gone';
}

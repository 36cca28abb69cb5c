import * as z from 'zod';
import { orderId, positiveInteger } from '#shared/contract/identifiers.ts';
import { captureOperation, paymentIntentId, refundOperation } from '#shared/domain/order.ts';
import { attemptsSent, type ItemImage } from '#shared/item/attributes.ts';
import { type FindAnswer, type PaymentPort, ProviderError } from '#shared/payments/payment-port.ts';
import type { DeadLetter, LetterJob } from './read-letter.ts';
import type { Standing } from './standing.ts';

/** What the provider says of the money behind a letter. */
export type ProviderWord = 'no-money-moved' | 'charged' | 'refunded' | 'unanswered';

export type AskedPayments = Pick<PaymentPort, 'find' | 'void'>;

const payload = z.object({ orderId, attempt: positiveInteger });

/**
 * Whether a job that is to be given up has moved money, asked wherever it may have.
 *
 * A charge that the provider does not know of could still be on its way from a worker that is frozen or cut off. Nobody would look
 * after it any more, so the intent is closed there first, as the worker itself does when it gives up.
 *
 * Does not protect against a refund on its way: a provider cannot close one. Leases of minutes stand against letters of hours.
 */
export async function askProvider(
  letter: DeadLetter,
  standing: Standing,
  image: ItemImage | undefined,
  payments: AskedPayments,
): Promise<ProviderWord> {
  const asked = intentBehind(letter.job, image);
  if (letter.job === undefined || asked === undefined || !mayHaveMoved(letter, standing, image)) return 'no-money-moved';
  try {
    const call = { timeoutMs: letter.job.definition.timing.dependencyTimeoutMs };
    const found = await payments.find(asked, call);
    if (found.status !== 'not-captured' || (standing.kind !== 'open' && standing.kind !== 'discarded')) return wordOf(found, letter.job);
    if (!isCapture(letter.job)) return 'no-money-moved';
    return wordOf(await payments.void({ ...asked, idempotencyKey: `void:${letter.job.key}` }, call), letter.job);
  } catch (error) {
    if (error instanceof ProviderError) return 'unanswered';
    throw error;
  }
}

/** `sent:` at zero is the item's own word that nothing went out; an item that is gone has nothing to say. */
function mayHaveMoved({ why, job }: DeadLetter, standing: Standing, image: ItemImage | undefined): boolean {
  if (standing.kind === 'completed' || standing.kind === 'other-intent') return false;
  if (image === undefined || why?.reason === 'unresolved') return true;
  return job !== undefined && (attemptsSent(image, job.target.operation) > 0 || job.definition.asksAtOnce?.(job.payload) === true);
}

function wordOf({ status }: FindAnswer, job: LetterJob): ProviderWord {
  if (isCapture(job)) return status === 'captured' ? 'charged' : 'no-money-moved';
  return status === 'refunded' ? 'refunded' : 'no-money-moved';
}

/** The payment intent a letter is about; undefined for jobs that move no money, and for a refund of an order that is gone. */
export function intentBehind(job: LetterJob | undefined, image: ItemImage | undefined): { paymentIntentId: string } | undefined {
  const parsed = payload.safeParse(job?.payload);
  if (job?.definition.dependency !== 'payment-provider' || !parsed.success) return undefined;
  const { orderId, attempt } = parsed.data;
  const stored = typeof image?.paymentIntentId === 'string' ? image.paymentIntentId : undefined;
  if (job.target.operation === refundOperation(attempt)) return stored === undefined ? undefined : { paymentIntentId: stored };
  return { paymentIntentId: image?.attempt === attempt && stored !== undefined ? stored : paymentIntentId(orderId, attempt) };
}

const isCapture = ({ target: { operation }, payload: given }: LetterJob): boolean =>
  operation === captureOperation(payload.parse(given).attempt);

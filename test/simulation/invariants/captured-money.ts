import { deadLetterQueueOf } from '../cloud/names.ts';
import type { Simulation } from '../simulation.ts';
import { type Image, imageOfReference, keyIn } from './item-views.ts';

/**
 * Money the provider holds or has given back and the order does not say so, unless a dead letter does.
 *
 * @param isThrownAway a person has judged the letter of this key
 * @returns the first difference
 */
export function unaccountedMoney(simulation: Simulation, isThrownAway: (key: string) => boolean): string | undefined {
  for (const { reference, captures, refunds } of simulation.ledger.accounts.values()) {
    const image = imageOfReference(simulation, reference);
    if (says(image, { captures: captures.length, refunds: refunds.length })) continue;
    const isAbout = (key: string | undefined): boolean =>
      key !== undefined && /^(capture|refund):/.test(key) && key.split(':')[1] === reference;
    const pending = image?.['status'] === 'refund_pending' ? [`refund:${reference}:${image['refundAttempt']}`] : [];
    const keys = [...[...captures, ...refunds].map(({ key }) => key), ...pending];
    if (keys.some(isThrownAway) || letterKeys(simulation).some(isAbout)) continue;
    return `${reference} is ${image?.['status'] ?? 'unknown'} with ${captures.length} captures and ${refunds.length} refunds, and no dead letter says so`;
  }
  return undefined;
}

const says = (image: Image | undefined, { captures, refunds }: { captures: number; refunds: number }): boolean =>
  captures === 1 && image?.['status'] === (refunds === 0 ? 'paid' : 'refunded') && refunds <= 1;

const letterKeys = ({ sqs, jobQueues }: Simulation): (string | undefined)[] =>
  jobQueues.flatMap(({ queueName }) => sqs.messages(deadLetterQueueOf(queueName)).map(({ body }) => keyIn(body)));

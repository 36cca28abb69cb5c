import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import type { Simulation } from '../simulation.ts';
import { type Image, idOf, imageOf, isOurs, jobOf, recordedOperations, recordOf, referenceOf } from './item-views.ts';
import { type JobWhereabouts, type Place, trackJobs } from './job-whereabouts.ts';
import { type SentReceipts, trackReceipts } from './sent-receipts.ts';

/**
 * Judged by the provider's books, which say what was charged, whatever the order says, and by the rows of the service that sends.
 *
 * Does not protect against a second receipt that nobody could know of (invariants/sent-receipts.ts).
 */
export const rightReceipt: Invariant = {
  id: 'S25',
  promise:
    'a receipt tells of a capture that the provider has booked for that order and payment attempt, with its amount and currency; each payment has one, or a letter, and no second one from a worker that could have asked',
  watch(simulation, violate) {
    const jobs = trackJobs(simulation);
    const sent = trackReceipts(itemIdOf);
    const owed = new Set<string>();
    const checkOwed = (when: string): void => {
      for (const key of owed) if (isMissing(key, { simulation, jobs, sent })) violate(`${key}: its customer was never told ${when}`);
    };
    return {
      ...jobs.track,
      itemWritten(written) {
        jobs.track.itemWritten(written);
        const again = sent.itemWritten(written);
        if (again !== undefined) violate(again);
        for (const key of receiptsOwed(written)) owed.add(key);
        const unsent = finishedReceipt(written);
        if (unsent !== undefined && !sent.isSent(unsent)) violate(`${unsent} is finished by ${written.by}, and nothing was sent`);
        const wrong = judgeReceipt(written, simulation);
        if (wrong !== undefined) violate(`${written.by} tells ${wrong}`);
      },
      rested: () => checkOwed('at rest'),
      finished: () => checkOwed('in the end'),
    };
  },
};

function itemIdOf(deliveryKey: string): string | undefined {
  const job = jobOf(deliveryKey);
  return job && idOf(job.item);
}

function judgeReceipt({ table, next, old }: ItemWritten, { ledger }: Simulation): string | undefined {
  if (table !== TABLES.mail || next === undefined || old !== undefined) return undefined;
  const { deliveryKey, userId, orderId, captureId, amountMinor, currency } = next;
  const reference = `${userId}/${orderId}`;
  const told = `${reference} of ${captureId}, ${amountMinor} ${currency}`;
  const capture = ledger.accounts.get(reference)?.captures.find((one) => one.captureId === captureId);
  if (capture === undefined) return `${told}, which the provider has not booked`;
  if (capture.amountMinor !== amountMinor || capture.currency !== currency)
    return `${told} instead of ${capture.amountMinor} ${capture.currency}`;
  return deliveryKey === receiptOf(reference, capture) ? undefined : `${told}, as ${deliveryKey}`;
}

/** An intent's name ends with the payment attempt it was made for. */
const receiptOf = (reference: string, { paymentIntentId }: { readonly paymentIntentId: string }): string =>
  `receipt:${reference}:${/-(\d+)$/.exec(paymentIntentId)?.[1]}`;

/** By a commit that says that the order's money is there. */
function receiptsOwed({ table, id, old, next, by }: ItemWritten): string[] {
  const reference = table === TABLES.state && isOurs(by) ? referenceOf(id) : undefined;
  if (reference === undefined) return [];
  return recordedOperations(next)
    .filter((operation) => isCaptured(next, operation) && recordOf(old, operation)?.status !== 'completed')
    .map((operation) => operation.replace('capture:', `receipt:${reference}:`));
}

const isCaptured = (image: Image | undefined, operation: string): boolean =>
  operation.startsWith('capture:') && (recordOf(image, operation)?.result as { captureId?: string } | undefined)?.captureId !== undefined;

const RECEIPT_ID = /^JOB#send-receipt#(.+)\|/;

function finishedReceipt({ table, id, old, next, by }: ItemWritten): string | undefined {
  const [, key] = table === TABLES.state && isOurs(by) ? (RECEIPT_ID.exec(id) ?? []) : [];
  return recordOf(next, 'run')?.status === 'completed' && recordOf(old, 'run')?.status !== 'completed' ? key : undefined;
}

const STANDS_FOR_IT: readonly Place[] = ['dead-letter queue', 'outbox-failed', 'discarded with audit'];

interface Known {
  readonly simulation: Simulation;
  readonly jobs: JobWhereabouts;
  readonly sent: SentReceipts;
}

/** A table that was put back may have forgotten the payment: then nobody owes a receipt for it until it is known again. */
function isMissing(key: string, { simulation, jobs, sent }: Known): boolean {
  const [job, capture] = [jobOf(key), jobOf(key.replace('receipt:', 'capture:'))];
  if (job === undefined || capture === undefined || sent.isSent(key)) return false;
  if (!isCaptured(imageOf(simulation, capture.item), capture.operation)) return false;
  return !jobs.placesOf(job).some((place) => STANDS_FOR_IT.includes(place));
}

import { TABLES } from '../cloud/names.ts';
import type { Invariant } from '../invariant.ts';
import type { ItemWritten } from '../observer.ts';
import { carriesOutbox, type Image, isOurs, keyIn, numberOf, outboxKeys, recordedOperations, recordOf, referenceOf } from './item-views.ts';
import { addedNumber, type WriteInput, writesOf } from './named-values.ts';

/**
 * One write tells the whole story: where the order stands, which operation brought it there, and what follows from it. Anything
 * else is a moment at which a crash loses one of the three.
 */
export const oneCommit: Invariant = {
  id: 'S5',
  promise: 'a new state, the record of the operation behind it and the jobs that follow are written together, as one version',
  watch(_, violate) {
    return {
      itemWritten(written) {
        if (written.table !== TABLES.state || !isOurs(written.by) || written.next === undefined) return;
        const wrong = judge(written, written.next);
        if (wrong !== undefined) violate(`${written.id}: ${wrong}`);
      },
    };
  },
};

/** What one write must show. */
interface Expected {
  readonly from?: string;
  readonly to?: string;
  /** Attributes and their values. */
  readonly shows?: Readonly<Record<string, unknown>>;
  readonly outbox: readonly string[];
}

function judge(written: ItemWritten, next: Image): string | undefined {
  const { id, old } = written;
  const reference = referenceOf(id);
  const finished = recordedOperations(next).filter(
    (operation) => recordOf(next, operation)?.status === 'completed' && recordOf(old, operation)?.status !== 'completed',
  );
  if (finished.length > 1) return `${finished.join(' and ')} are finished by one write`;
  const [operation] = finished;
  if (operation !== undefined)
    return reference === undefined ? judgeOwnCommit(written, next) : judgeOrderCommit(written, next, { operation, reference });
  if (reference !== undefined && old?.['status'] !== next['status']) return judgeRequest(written, next, reference);
  if (old === undefined && carriesOutbox(old, next)) return judgeOutbox(next, [keyIn(String(next['message'])) ?? '']);
  if (next['outboxAtMs'] !== undefined && next['outboxAtMs'] !== old?.['outboxAtMs'])
    return `an outbox (${outboxKeys(next)}) with no change behind it`;
  return undefined;
}

interface Finished {
  readonly operation: string;
  readonly reference: string;
}

function judgeOrderCommit({ old, id }: ItemWritten, next: Image, { operation, reference }: Finished): string | undefined {
  const result = (recordOf(next, operation)?.result ?? {}) as Readonly<Record<string, unknown>>;
  const [name, number] = operation.split(':');
  if (result['obsolete'] !== undefined) return judgeObsolete(old, next, operation);
  if (number !== String(next[name === 'capture' ? 'attempt' : 'refundAttempt']))
    return `${operation} is finished on ${id}, which is elsewhere`;
  const expected = name === 'capture' ? captureOf(result, `receipt:${reference}:${number}`) : refundOf(result);
  if (expected === undefined) return `${operation} is completed without saying how`;
  return judgeStep(old, next, expected, operation);
}

const captureOf = ({ captureId, declineReason }: Readonly<Record<string, unknown>>, receipt: string): Expected | undefined => {
  if (captureId !== undefined) return { from: 'pending_payment', to: 'paid', shows: { captureId }, outbox: [receipt] };
  return declineReason === undefined
    ? undefined
    : { from: 'pending_payment', to: 'payment_declined', shows: { declineReason }, outbox: [] };
};

const refundOf = ({ refundId, declineReason }: Readonly<Record<string, unknown>>): Expected | undefined => {
  if (refundId !== undefined) return { from: 'refund_pending', to: 'refunded', shows: { refundId }, outbox: [] };
  return declineReason === undefined
    ? undefined
    : { from: 'refund_pending', to: 'paid', shows: { refundDeclineReason: declineReason }, outbox: [] };
};

function judgeObsolete(old: Image | undefined, next: Image, operation: string): string | undefined {
  const isSame = old?.['status'] === next['status'] && old?.['version'] === next['version'] && next['outbox'] === undefined;
  return isSame ? undefined : `${operation} was obsolete and still changed something`;
}

/** A customer's wish, or a new order: no operation ends, but one is opened. */
function judgeRequest({ old }: ItemWritten, next: Image, reference: string): string | undefined {
  const [attempt, refund] = [numberOf(next, 'attempt'), numberOf(next, 'refundAttempt')];
  const capture = `capture:${reference}:${attempt}`;
  if (old === undefined) return judgeStep(old, next, { to: 'pending_payment', shows: { attempt: 1 }, outbox: [capture] }, 'accepting');
  if (next['status'] === 'pending_payment') {
    return judgeStep(
      old,
      next,
      { from: 'payment_declined', shows: { attempt: numberOf(old, 'attempt') + 1 }, outbox: [capture] },
      'paying again',
    );
  }
  if (next['status'] === 'refund_pending') {
    const shows = { refundAttempt: numberOf(old, 'refundAttempt') + 1 };
    return judgeStep(old, next, { from: 'paid', shows, outbox: [`refund:${reference}:${refund}`] }, 'asking for a refund');
  }
  return `${old['status']} → ${next['status']} without the record of an operation`;
}

function judgeStep(old: Image | undefined, next: Image, { from, to, shows = {}, outbox }: Expected, what: string): string | undefined {
  if (numberOf(next, 'version') !== numberOf(old, 'version') + 1) return `${what} is no version of its own`;
  if (from !== undefined && old?.['status'] !== from) return `${what} from ${old?.['status']}`;
  if (to !== undefined && next['status'] !== to) return `${what} leaves the order ${next['status']}, not ${to}`;
  const missing = Object.keys(shows).find((name) => next[name] !== shows[name]);
  if (missing !== undefined) return `${what}: ${missing} is ${next[missing]}, not ${shows[missing]}`;
  const wrong = judgeOutbox(next, outbox);
  return wrong === undefined ? undefined : `${what}: ${wrong}`;
}

function judgeOutbox(next: Image, expected: readonly string[]): string | undefined {
  const keys = outboxKeys(next);
  return keys.join() === expected.join() ? undefined : `the outbox holds [${keys}], not [${expected}]`;
}

/** A job with an item of its own. What it changes elsewhere is in the same transaction. */
function judgeOwnCommit({ id, old, call }: ItemWritten, next: Image): string | undefined {
  if (numberOf(next, 'version') !== numberOf(old, 'version') + 1) return 'finished without a version of its own';
  const follow = outboxKeys(next).filter((key) => !(id.startsWith('JOB#export-orders#') && key.startsWith('export:')));
  if (follow.length > 0) return `the outbox holds [${follow}], not []`;
  const [, sku] = /^JOB#adjust-stock#(.+)\|/.exec(id) ?? [];
  if (sku === undefined || call === undefined) return undefined;
  const delta = (recordOf(next, 'run')?.result as { delta?: unknown } | undefined)?.delta;
  const stock = writesOf(call).find(({ Key }) => Key?.['pk']?.S === `SKU#${sku}`);
  const added = stock && addedNumber(stock as WriteInput, 'quantity');
  return added === delta ? undefined : `the record says ${delta}, the stock of ${sku} changed by ${added}`;
}

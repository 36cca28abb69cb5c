import { describe, expect, it } from 'vitest';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import type { Item } from '../../../cli/aws/items.ts';
import { waitingWork } from '../../../cli/explain/waiting.ts';

const NOW_MS = Date.UTC(2026, 10, 30);
const MINUTE_MS = 60_000;
const NOTHING = { count: 0, oldestAtMs: null };
const capture = outboxMessage(job(capturePayment, { userId: 'u-1', orderId: 'o-1', attempt: 1 }), 0);
const receipt = outboxMessage(
  job(sendReceipt, { userId: 'u-1', orderId: 'o-1', attempt: 1, amountMinor: 1, currency: 'EUR', captureId: 'cap-1' }),
  0,
);
const pending = (rest: Item = {}): Item => ({
  status: 'pending_payment',
  attempt: 1,
  intentAtMs: NOW_MS - 10 * MINUTE_MS,
  lease: 'free',
  ...rest,
});
const look = (orders: Item[], isQueueEmpty = true) => waitingWork(orders, NOW_MS, () => isQueueEmpty);

describe('the lag', () => {
  it('is the age of the oldest order that was asked for and has not ended, and their number', () => {
    const refund = { status: 'refund_pending', refundAttempt: 1, intentAtMs: 0, refundAtMs: NOW_MS - 20 * MINUTE_MS };
    expect(look([pending(), refund, { status: 'paid', intentAtMs: 0 }]).lag).toEqual({ count: 2, oldestAtMs: NOW_MS - 20 * MINUTE_MS });
    expect(look([{ status: 'paid', intentAtMs: 0 }]).lag).toEqual(NOTHING);
  });

  it('can be that of more orders than a call takes arguments', () => {
    const many = Array.from({ length: 300_000 }, () => pending());
    expect(look(many).lag.count).toBe(300_000);
  });
});

describe('an unknown outcome', () => {
  it.each([
    ['an attempt may have gone out and nobody is at it', { 'sent:capture:1': 1 }, 1],
    ['its worker died and its lease has passed', { 'sent:capture:1': 1, lease: 'held', leaseUntilMs: NOW_MS - 1 }, 1],
  ])('is an order where %s', (_, rest, count) => {
    expect(look([pending(rest)]).unknownOutcomes.count).toBe(count);
  });

  it.each([
    ['nothing went out', { 'sent:capture:1': 0 }],
    ['a worker is at it now', { 'sent:capture:1': 1, lease: 'held', leaseUntilMs: NOW_MS + 1 }],
    ['the operation has ended', { 'sent:capture:1': 1, 'op:capture:1': { status: 'discarded' } }],
    ['only an earlier attempt went out', { attempt: 2, 'sent:capture:1': 1 }],
  ])('is none where %s', (_, rest) => {
    expect(look([pending(rest)]).unknownOutcomes).toEqual(NOTHING);
  });
});

describe('an overdue outbox', () => {
  const handedOver = { outbox: [capture], outboxAtMs: NOW_MS - 2 * MINUTE_MS };

  it('holds a job nobody has begun while its queue holds nothing', () => {
    expect(look([pending(handedOver)]).outboxOverdue).toEqual({ count: 1, oldestAtMs: NOW_MS - 2 * MINUTE_MS });
  });

  it.each([
    ['the queue still holds messages', pending(handedOver), false],
    ['the stream may still bring it', pending({ ...handedOver, outboxAtMs: NOW_MS - 1_000 }), true],
    ['it was begun', pending({ ...handedOver, 'try:capture:1': 1 }), true],
    ['it has ended', pending({ ...handedOver, status: 'paid', 'op:capture:1': { status: 'completed' } }), true],
    ['the job has an item of its own to tell', pending({ ...handedOver, outbox: [receipt] }), true],
    ['it cannot be read', pending({ ...handedOver, outbox: [{ kind: 'unheard-of' }, 7] }), true],
  ])('is none while %s', (_, order, isQueueEmpty) => {
    expect(look([order], isQueueEmpty).outboxOverdue).toEqual(NOTHING);
  });
});

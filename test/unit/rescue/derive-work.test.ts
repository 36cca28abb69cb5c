import { describe, expect, it, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { ownItemExpiresAt } from '#shared/item/claim.ts';
import { deriveWork, readWork } from '#shared/rescue/derive-work.ts';
import { isBeingWorkedOn, isQuiet, isWorthFollowing, lastChangeMs, nextLookMs } from '#shared/rescue/timing.ts';

const T0 = Date.parse('2026-11-30T10:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const KEY_HORIZON_MS = DAY_MS;

type Image = Record<string, unknown>;
const order = (changes: Image = {}): Image => ({
  ...orderItemKey('u-1', 'ord-1'),
  ...newOrder('u-1', 'ord-1', { amountMinor: 4999, currency: 'EUR' }, T0),
  fence: 1,
  lease: 'free',
  ...changes,
});
const completed = (result: Image, atMs = T0): Image => ({ status: 'completed', result, hash: 'h', atMs, by: 'o', fence: 1, tries: 1 });
const discarded = (more: Image = {}): Image => ({
  status: 'discarded',
  reason: 'attempts-spent',
  hash: 'h',
  atMs: T0,
  by: 'o',
  fence: 1,
  tries: 6,
  ...more,
});
const keysOf = (image: Image): string[] => deriveWork(image, KEY_HORIZON_MS).jobs.map(({ message }) => message.idempotencyKey);

const CAPTURE = 'capture:u-1/ord-1:1';
const REFUND = 'refund:u-1/ord-1:1';
const paid: Image = { status: 'paid', captureId: 'cap-1', 'op:capture:1': completed({ captureId: 'cap-1' }) };
const refunding: Image = { ...paid, status: 'refund_pending', refundAttempt: 1, refundAtMs: T0 + HOUR_MS };

describe('an order calls for', () => {
  test.each<[string, Image, string[]]>([
    ['its capture while it waits for payment, claimed or not', {}, [CAPTURE]],
    ['its capture after a failure', { 'try:capture:1': 2, 'sent:capture:1': 2, 'due:capture:1': T0, 'hash:capture:1': 'h' }, [CAPTURE]],
    ['its capture while a dead worker holds it', { lease: 'held', leaseOp: 'capture:1', leaseUntilMs: T0, 'try:capture:1': 1 }, [CAPTURE]],
    ['its capture after a deferral gave the attempt back', { 'try:capture:1': 0, 'sent:capture:1': 0 }, [CAPTURE]],
    [
      'its capture when it was given up and the letter is not out',
      { 'op:capture:1': discarded(), 'try:capture:1': 7, 'sent:capture:1': 6 },
      [CAPTURE],
    ],
    [
      'nothing when it was given up and the letter is out',
      { 'op:capture:1': discarded({ buried: true }), 'try:capture:1': 7, 'sent:capture:1': 6 },
      [],
    ],
    ['its capture when it was armed again and the replay was lost', { 'sent:capture:1': 6, 'hash:capture:1': 'h' }, [CAPTURE]],
    [
      'the capture of its own attempt, not of an older one',
      { attempt: 2, 'op:capture:1': completed({ declineReason: 'card-declined' }) },
      ['capture:u-1/ord-1:2'],
    ],
    ['nothing once it is paid', paid, []],
    ['nothing once it is declined', { status: 'payment_declined', 'op:capture:1': completed({ declineReason: 'card-declined' }) }, []],
    ['its refund while that is pending', refunding, [REFUND]],
    ['its refund while that is tried', { ...refunding, 'try:refund:1': 3, 'sent:refund:1': 1 }, [REFUND]],
    ['nothing once it is refunded', { ...refunding, status: 'refunded', 'op:refund:1': completed({ refundId: 'r-1' }) }, []],
    ['nothing after a refused refund', { ...refunding, status: 'paid', 'op:refund:1': completed({ declineReason: 'too-late' }) }, []],
    [
      'the second refund after a refused first',
      { ...refunding, refundAttempt: 2, 'op:refund:1': completed({ declineReason: 'too-late' }) },
      ['refund:u-1/ord-1:2'],
    ],
    ['an operation armed again whose replay was lost', { ...paid, 'sent:refund:1': 1 }, [REFUND]],
    ['an operation begun from a later day, so that it finds its end', { ...paid, 'try:refund:1': 1 }, [REFUND]],
  ])('%s', (_what, changes, keys) => {
    expect(keysOf(order(changes))).toEqual(keys);
  });
});

describe('a job made again', () => {
  it('says what its first message said: the payload from the item, the time of the intent', () => {
    const { jobs } = deriveWork(order({ ...refunding, 'try:refund:1': 1 }), KEY_HORIZON_MS);
    expect(jobs[0]?.message).toEqual({
      kind: 'refund-payment',
      version: 1,
      idempotencyKey: REFUND,
      payload: { userId: 'u-1', orderId: 'ord-1', attempt: 1 },
      enqueuedAt: new Date(T0 + HOUR_MS).toISOString(),
    });
    expect(JSON.parse(jobs[0]?.body ?? '')).toEqual(jobs[0]?.message);
  });

  it('with an item of its own is the stored message, byte for byte', () => {
    const body =
      '{ "kind":"send-receipt","version":1, "idempotencyKey":"receipt:u-1/ord-1:1","payload":{},"enqueuedAt":"2026-11-30T10:00:00.000Z" }';
    const item = { pk: 'JOB#send-receipt#receipt:u-1/ord-1:1', sk: 'JOB', message: body, 'try:run': 2, lease: 'free' };
    expect(deriveWork(item, KEY_HORIZON_MS).jobs.map((job) => job.body)).toEqual([body]);
    expect(deriveWork({ ...item, 'op:run': completed({}) }, KEY_HORIZON_MS).jobs).toEqual([]);
    expect(deriveWork({ ...item, 'op:run': discarded() }, KEY_HORIZON_MS).jobs).toHaveLength(1);
    expect(deriveWork({ ...item, 'op:run': discarded({ buried: true }) }, KEY_HORIZON_MS).jobs).toEqual([]);
  });
});

describe('a finished operation calls for what it set off', () => {
  it.each([
    ['paid', paid],
    ['being refunded', refunding],
    ['refunded', { ...refunding, status: 'refunded', 'op:refund:1': completed({ refundId: 'r-1' }) }],
  ])('a receipt for a captured order, also when it is %s', (_what, changes) => {
    const { followUps } = deriveWork(order(changes), KEY_HORIZON_MS);
    expect(followUps).toMatchObject([
      {
        job: { message: { idempotencyKey: 'receipt:u-1/ord-1:1', payload: { amountMinor: 4999, currency: 'EUR', captureId: 'cap-1' } } },
        ownItem: { pk: 'JOB#send-receipt#receipt:u-1/ord-1:1', sk: 'JOB' },
        sinceMs: T0,
      },
    ]);
  });

  it('no receipt for a decline, for an obsolete job, or for a discard', () => {
    for (const record of [
      completed({ declineReason: 'x' }),
      completed({ obsolete: 'paid' }),
      discarded({ result: { captureId: 'cap-1' } }),
    ])
      expect(deriveWork(order({ status: 'payment_declined', 'op:capture:1': record }), KEY_HORIZON_MS).followUps).toEqual([]);
  });

  it('the jobs in the outbox of a job with an item of its own, as far as those have one too', () => {
    const message = (kind: string, idempotencyKey: string, payload: Image): Image => ({
      kind,
      version: 1,
      idempotencyKey,
      payload,
      enqueuedAt: new Date(T0).toISOString(),
    });
    const receipt = { userId: 'u-1', orderId: 'ord-1', attempt: 1, amountMinor: 1, currency: 'EUR', captureId: 'c' };
    const outbox = [
      message('send-receipt', 'receipt:u-1/ord-1:1', receipt),
      message('capture-payment', CAPTURE, { userId: 'u-1', orderId: 'ord-1', attempt: 1 }),
      message('unheard-of', 'x', {}),
    ];
    const item = { pk: 'JOB#x#y', sk: 'JOB', message: '{}', 'op:run': completed({}), outbox, outboxAtMs: T0 };
    expect(deriveWork(item, KEY_HORIZON_MS)).toMatchObject({
      jobs: [],
      followUps: [{ job: { message: { kind: 'send-receipt' } }, sinceMs: T0 }],
    });
  });
});

describe('a declined order that asked for it', () => {
  const declined: Image = {
    status: 'payment_declined',
    retryDeclined: true,
    'op:capture:1': completed({ declineReason: 'card-declined' }, T0 + HOUR_MS),
  };

  it('calls for its next attempt a day after the decline', () => {
    expect(deriveWork(order(declined), KEY_HORIZON_MS).scheduledAttempt).toEqual({
      userId: 'u-1',
      orderId: 'ord-1',
      attempt: 1,
      atMs: T0 + HOUR_MS + DAY_MS,
    });
  });

  it.each<[string, Image]>([
    ['it did not ask', { ...declined, retryDeclined: undefined }],
    ['it is paid', { ...declined, status: 'paid' }],
    ['the decline is not recorded', { ...declined, 'op:capture:1': undefined }],
  ])('not when %s', (_what, changes) => {
    expect(deriveWork(order(changes), KEY_HORIZON_MS).scheduledAttempt).toBeUndefined();
  });
});

test('an article, whose jobs have items of their own, calls for nothing', () => {
  expect(deriveWork({ pk: 'SKU#s-1', sk: 'STOCK', quantity: 3, lease: 'free' }, KEY_HORIZON_MS)).toEqual({ jobs: [], followUps: [] });
});

test('an item that cannot be read calls for nothing and says so', () => {
  expect(readWork(order({ status: 'lost' }), KEY_HORIZON_MS)).toBeUndefined();
  expect(readWork({ pk: 'JOB#x#y', sk: 'JOB' }, KEY_HORIZON_MS)).toBeUndefined();
});

describe('the last change of an item', () => {
  it.each<[string, Image, number]>([
    ['its creation', {}, T0],
    ['a new intent', { intentAtMs: T0 + 1 }, T0 + 1],
    ['a refund asked for', { refundAtMs: T0 + 2 }, T0 + 2],
    ['an outbox', { outboxAtMs: T0 + 3 }, T0 + 3],
    ['a finished operation', { 'op:capture:1': completed({}, T0 + 4) }, T0 + 4],
    ['a wait', { 'due:capture:1': T0 + 5 }, T0 + 5],
    ['a lease that is held', { lease: 'held', leaseUntilMs: T0 + 6 }, T0 + 6],
    ['a claim or commit of an item of its own', { expiresAt: ownItemExpiresAt(T0 + 7_000) }, T0 + 7_000],
    ['not a lease that is free', { lease: 'free', leaseUntilMs: T0 + 6 }, T0],
  ])('is %s', (_what, changes, atMs) => {
    expect(lastChangeMs(order(changes))).toBe(atMs);
  });

  it('makes an item quiet half an hour later, shorter where time runs faster', () => {
    expect([29, 30].map((minutes) => isQuiet(order(), T0 + minutes * MINUTE_MS, 1))).toEqual([false, true]);
    expect([2, 3].map((minutes) => isQuiet(order(), T0 + minutes * MINUTE_MS, 0.1))).toEqual([false, true]);
  });
});

test('a worker is at it until its lease has passed', () => {
  const held = order({ lease: 'held', leaseUntilMs: T0 });
  expect([T0, T0 + 1].map((nowMs) => isBeingWorkedOn(held, nowMs))).toEqual([true, false]);
  expect(isBeingWorkedOn(order({ lease: 'free' }), T0)).toBe(false);
});

test('what was set off is followed for thirteen days', () => {
  expect([13 * DAY_MS - 1, 13 * DAY_MS].map((ageMs) => isWorthFollowing(T0, T0 + ageMs))).toEqual([true, false]);
});

test('waits double with the time an item has waited, from the visibility timeout to six hours', () => {
  const waits = [MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 7 * HOUR_MS].map(
    (waitedMs) => nextLookMs(order(), T0 + waitedMs, 150_000, 1) - (T0 + waitedMs),
  );
  expect(waits).toEqual([150_000, 10 * MINUTE_MS, HOUR_MS, 6 * HOUR_MS]);
});

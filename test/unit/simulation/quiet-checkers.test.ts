import { describe, expect, it } from 'vitest';
import { ackAfterDurable } from '../../simulation/invariants/s04-ack-after-durable.ts';
import { unknownHeld } from '../../simulation/invariants/s12-unknown-held.ts';
import { breaker } from '../../simulation/invariants/s16-breaker.ts';
import { limits } from '../../simulation/invariants/s17-limits.ts';
import { rightReceipt } from '../../simulation/invariants/s25-right-receipt.ts';
import { stockAddsUp } from '../../simulation/invariants/s26-stock-adds-up.ts';
import { wholeExport } from '../../simulation/invariants/s27-whole-export.ts';
import { messageOf, type ObservedRun, ORDER, ORDER_ID, observe, START_MS } from './observed-run.ts';
import { CAPTURE_KEY, charge, REFERENCE, watchAccount } from './watched-account.ts';

const WORKER = 'execute-job/capture-payment#1';
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

describe('S4, a parked invalidation', () => {
  const parked = (run: ObservedRun, body = '{"key":"order:u1/o1"}') =>
    run.see.messageDeleted('invalidation-retry', { messageId: 'm1', body, attributes: { SentTimestamp: String(run.nowMs) } } as never);

  it('leaves its queue once the key is gone, or what stands there came later', () => {
    const run = observe(ackAfterDurable);
    parked(run);
    run.write('Cache', 'order:u1/o1', { value: '{}', version: 1 });
    parked(run);
    expect(run.violations).toEqual([]);
  });

  it('does not leave it while what it was parked for still stands, nor unread', () => {
    const run = observe(ackAfterDurable);
    run.write('Cache', 'order:u1/o1', { value: '{}', version: 1 });
    run.nowMs += 1_000;
    parked(run);
    parked(run, '{"unreadable":{}}');
    expect(run.violations).toEqual([
      expect.stringContaining('order:u1/o1 still stands in the cache'),
      expect.stringContaining('nobody can read it'),
    ]);
  });
});

describe('S12, a refund that is called off', () => {
  const pending = { ...ORDER, status: 'refund_pending', refundAtMs: START_MS, paymentIntentId: 'pi-o1-1' };
  const calledOffAfter = (passedMs: number, clockAheadMs = 0): readonly string[] => {
    const run = observe(unknownHeld);
    Object.assign(run.simulation, { ledger: { intent: () => ({ status: 'captured' }) } });
    run.write('State', ORDER_ID, pending);
    run.see.providerAnswered(run.call({ operation: 'find' }), { status: 200, retryAfterSeconds: undefined });
    run.nowMs += passedMs;
    run.write('State', ORDER_ID, { ...pending, status: 'paid', refundDeclineReason: 'expired' });
    run.end(WORKER, { clockAheadMs });
    return run.violations;
  };

  it('has waited until its key is forgotten, by the clock of whoever calls it off', () => {
    expect(calledOffAfter(DAY_MS)).toEqual([]);
    expect(calledOffAfter(DAY_MS - 4 * MINUTE_MS, 5 * MINUTE_MS)).toEqual([]);
    expect(calledOffAfter(DAY_MS - 4 * MINUTE_MS)).toEqual([expect.stringContaining('off 240 s before its key is forgotten')]);
  });
});

describe('S16, the length of an opening', () => {
  const ROW = 'breaker:payment-provider';
  const openedFor = (seconds: number, before?: object): readonly string[] => {
    const run = observe(breaker);
    for (let call = 0; call < 5; call++) run.see.providerAnswered(run.call({}), { status: 503, retryAfterSeconds: undefined });
    if (before !== undefined) run.write('Control', ROW, { ...before });
    run.write('Control', ROW, { state: 'open', openedAtMs: run.nowMs, retryAtMs: run.nowMs + seconds * 1000 });
    return run.violations;
  };

  it.each([
    [15, undefined],
    [30, { state: 'half-open', openings: 1, probeOwner: 'p' }],
    [240, { state: 'half-open', openings: 4, probeOwner: 'p' }],
    [300, { state: 'half-open', openings: 5, probeOwner: 'p' }],
    [15, { state: 'closing', openings: 3 }],
    [120, { state: 'closing', openings: 3 }],
  ])('may be %i s after %o', (seconds, before) => {
    expect(openedFor(seconds, before)).toEqual([]);
  });

  it.each([
    [14, undefined],
    [15, { state: 'half-open', openings: 1, probeOwner: 'p' }],
    [480, { state: 'half-open', openings: 5, probeOwner: 'p' }],
    [60, { state: 'closing', openings: 3 }],
  ])('is no %i s after %o', (seconds, before) => {
    expect(openedFor(seconds, before)).toEqual([expect.stringContaining(`for ${seconds} s`)]);
  });
});

describe('S17, waits that are too short', () => {
  const CAPTURE = messageOf('capture-payment', 'capture:u1/o1:1');
  const handedBackFor = (seconds: number, meanwhile: (run: ObservedRun) => void): readonly string[] => {
    const run = observe(limits);
    run.write('State', ORDER_ID, { ...ORDER }, 'accept-order#1');
    run.deliver('capture-payment', [CAPTURE]);
    meanwhile(run);
    run.handBack(WORKER, CAPTURE, seconds);
    return run.violations;
  };

  it('a message that was put off is away for five seconds at least', () => {
    expect(handedBackFor(5, () => undefined)).toEqual([]);
    expect(handedBackFor(1, () => undefined)).toEqual([expect.stringContaining('back for 1 s, though nobody held it')]);
  });

  it('but one that found its item held or waiting, or that the function had no time for, may be back sooner', () => {
    const held = { ...ORDER, lease: 'held', leaseOp: 'capture:1', fence: 1 };
    expect(handedBackFor(1, (run) => run.write('State', ORDER_ID, held, 'execute-job/capture-payment#2'))).toEqual([]);
    expect(handedBackFor(1, (run) => run.write('State', ORDER_ID, { ...ORDER, 'due:capture:1': run.nowMs }, 'rescue-jobs#1'))).toEqual([]);
    const passes = (run: ObservedRun): void => {
      run.nowMs += 20_000;
    };
    expect(handedBackFor(1, passes)).toEqual([]);
  });

  it('a call of an earlier invocation that arrives late is taken for what it is', () => {
    const run = observe(limits);
    run.write('State', ORDER_ID, { ...ORDER }, 'accept-order#1');
    run.deliver('capture-payment', [CAPTURE]);
    run.nowMs += 1_000;
    run.end(WORKER);
    run.handBack(WORKER, CAPTURE, 1);
    expect(run.violations).toEqual([]);
  });
});

describe('S17, a settlement that arrives after its invocation has ended', () => {
  it('is not taken for the next message’s attempt', () => {
    const run = observe(limits);
    const held = { ...ORDER, fence: 1, lease: 'held', leaseOp: 'capture:1', 'try:capture:1': 4 };
    run.write('State', ORDER_ID, held);
    run.nowMs += 1_000;
    run.end(WORKER);
    run.write('State', ORDER_ID, { ...ORDER, fence: 1, 'try:capture:1': 4, 'due:capture:1': run.nowMs + 194_000 });
    const body = messageOf('capture-payment', 'capture:u1/o1:1');
    run.nowMs += 50_000;
    run.deliver('capture-payment', [body]);
    run.handBack(WORKER, body, 144);
    expect(run.violations).toEqual([]);
  });
});

describe('S17, a declined order', () => {
  const declined = { ...ORDER, status: 'payment_declined', 'op:capture:1': { status: 'completed', atMs: START_MS } };
  const triedAgain = (by: string, afterMs: number, clockAheadMs = 0): readonly string[] => {
    const run = observe(limits);
    run.write('State', ORDER_ID, declined);
    run.nowMs += afterMs;
    run.write('State', ORDER_ID, { ...declined, status: 'pending_payment', attempt: 2 }, by);
    run.end(by, { clockAheadMs });
    return run.violations;
  };

  it('waits its day before it is tried again by itself', () => {
    expect(triedAgain('rescue-jobs#1', DAY_MS)).toEqual([]);
    expect(triedAgain('rescue-jobs#1', DAY_MS - MINUTE_MS, 2 * MINUTE_MS)).toEqual([]);
    expect(triedAgain('sweep-state#1', DAY_MS - MINUTE_MS)).toEqual([expect.stringContaining('60 s before its day is over')]);
  });

  it('is tried again at once when its customer asks', () => {
    expect(triedAgain('accept-payment-attempt#1', MINUTE_MS)).toEqual([]);
  });
});

describe('S25, the receipt', () => {
  const told = async (changes: object): Promise<readonly string[]> => {
    const account = watchAccount(rightReceipt);
    await account.move(charge(), CAPTURE_KEY);
    const [userId, orderId] = REFERENCE.split('/');
    const mail = {
      deliveryKey: `receipt:${REFERENCE}:1`,
      userId,
      orderId,
      captureId: 'cap-1',
      amountMinor: 4_999,
      currency: 'EUR',
      ...changes,
    };
    const written = {
      table: 'Mail',
      id: 'mail',
      old: undefined,
      next: mail,
      by: 'execute-job/send-receipt#1',
      call: undefined,
      atMs: account.now(),
    };
    account.observer.itemWritten?.(written);
    return account.violations;
  };

  it('tells what was charged', async () => {
    expect(await told({})).toEqual([]);
  });

  it.each([
    ['another amount', { amountMinor: 5_000 }, 'instead of 4999 EUR'],
    ['another currency', { currency: 'USD' }, 'instead of 4999 EUR'],
    ['another capture', { captureId: 'cap-2' }, 'which the provider has not booked'],
    ['another attempt', { deliveryKey: `receipt:${REFERENCE}:2` }, `as receipt:${REFERENCE}:2`],
  ])('is seen when it tells of %s', async (_, changes, how) => {
    expect(await told(changes)).toEqual([expect.stringContaining(how)]);
  });
});

describe('S26, the stock', () => {
  const adjusted = (run: ObservedRun, number: number, delta: number): void =>
    run.write('State', `JOB#adjust-stock#sku-1|JOB#adjust:sku-1/a${number}`, { 'op:run': { status: 'completed', result: { delta } } });

  it('is the sum of what was adjusted', () => {
    const run = observe(stockAddsUp);
    adjusted(run, 1, 5);
    adjusted(run, 2, -2);
    run.write('State', 'SKU#sku-1|STOCK', { quantity: 3 });
    run.see.rested();
    expect(run.violations).toEqual([]);
  });

  it('is seen below zero, and when an adjustment counts twice or not at all', () => {
    const run = observe(stockAddsUp);
    adjusted(run, 1, 5);
    run.write('State', 'SKU#sku-1|STOCK', { quantity: -1 });
    run.see.rested();
    run.write('State', 'SKU#sku-1|STOCK', { quantity: 10 });
    run.see.finished();
    expect(run.violations).toEqual([
      expect.stringContaining('leaves -1 of sku-1'),
      expect.stringContaining('there are -1 of sku-1 in stock, and its adjustments make 5 at rest'),
      expect.stringContaining('there are 10 of sku-1 in stock, and its adjustments make 5 in the end'),
    ]);
  });
});

describe('S27, the export', () => {
  const line = (orderId: string, version = 1): object => ({
    userId: 'u1',
    orderId,
    status: 'pending_payment',
    version,
    paymentAttempt: 1,
    amountMinor: 4_999,
    currency: 'EUR',
    createdAt: new Date(START_MS).toISOString(),
  });
  const finished = (lines: readonly object[], { told = lines.length, restored = false } = {}): readonly string[] => {
    const run = observe(wholeExport);
    const objects = new Map([
      ['/exports/exports/u1/e1/orders.jsonl', Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''))],
    ]);
    Object.assign(run.simulation, { objects: { objects } });
    for (const orderId of ['o1', 'o2']) run.write('State', `USER#u1|ORDER#${orderId}`, { ...ORDER, orderId });
    const id = 'JOB#export-orders#export:u1/e1:1|JOB';
    run.write('State', id, { lease: 'free' }, 'accept-export#1');
    run.write('State', 'USER#u1|ORDER#o3', { ...ORDER, orderId: 'o3' });
    if (restored) run.see.disturbed('restore');
    run.write('State', id, { lease: 'free', 'op:run': { status: 'completed', result: { orders: told } } }, 'execute-job/export-orders#1');
    return run.violations;
  };

  it('holds every order there was when it was asked for; one that came later may be in it', () => {
    expect(finished([line('o1'), line('o2')])).toEqual([]);
    expect(finished([line('o1'), line('o2'), line('o3')])).toEqual([]);
    expect(finished([line('o1')], { restored: true })).toEqual([]);
  });

  it.each([
    ['lacks one', [line('o1')], {}, 'lacks 1 of 2 orders, o2 among them'],
    ['holds one twice', [line('o1'), line('o2'), line('o2')], {}, 'holds 1 orders more than once'],
    ['says another number', [line('o1'), line('o2')], { told: 500 }, 'is said to hold 500 orders and holds 2'],
    ['shows what never was', [line('o1'), line('o2', 7)], {}, 'shows o2 as version 7'],
  ])('is seen when it %s', (_, lines, options, how) => {
    expect(finished(lines, options)).toEqual([expect.stringContaining(how)]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Invariant } from '../../simulation/invariant.ts';
import { cacheAtRest } from '../../simulation/invariants/l3-cache-at-rest.ts';
import { cacheHonest } from '../../simulation/invariants/s13-cache-honest.ts';
import { invalidationOrder } from '../../simulation/invariants/s14-invalidation-order.ts';
import { staleness } from '../../simulation/invariants/s15-staleness.ts';
import { type ObservedRun, ORDER, ORDER_ID, observe, START_MS } from './observed-run.ts';

const KEY = 'order:u1/o1';
const READER = 'read-order#1';
const MINUTE_MS = 60_000;

const view = (version: number, status: string): Record<string, unknown> => ({
  userId: 'u1',
  orderId: 'o1',
  status,
  version,
  paymentAttempt: 1,
  amountMinor: 4_999,
  currency: 'EUR',
  createdAt: '2026-11-30T10:00:00.000Z',
});
const SUMMARY_OF_PAID = { orders: 1, byStatus: { paid: 1 }, paidMinorByCurrency: { EUR: 4_999 }, truncated: false };

/** An order at version 1, then paid at version 2 a second later. */
function withTwoVersions(invariant: Invariant): ObservedRun {
  const run = observe(invariant);
  run.write('State', ORDER_ID, { ...ORDER });
  run.nowMs += 1_000;
  run.write('State', ORDER_ID, { ...ORDER, version: 2, status: 'paid' });
  return run;
}

const token = (run: ObservedRun, name = 'a'): void => run.write('Cache', KEY, { token: name, tokenUntilMs: run.nowMs + 5_000 }, READER);
const fill = (run: ObservedRun, version: number, status: string, key = KEY, value: object = view(version, status)): void =>
  run.write('Cache', key, { value: JSON.stringify(value), version, expiresAtMs: run.nowMs + 5 * MINUTE_MS }, READER);
const invalidate = (run: ObservedRun, by = 'invalidate-cache#1'): void => run.write('Cache', KEY, undefined, by);

const read = (
  run: ObservedRun,
  version: number,
  status: string,
  { cached = true, startedAtMs = run.nowMs, value = view(version, status), etag = `"${version}"` } = {},
): void =>
  run.see.apiAnswered({
    functionName: 'read-order',
    idempotencyKey: undefined,
    request: { rawPath: '/users/u1/orders/o1' },
    answer: {
      statusCode: 200,
      body: JSON.stringify(value),
      headers: { etag, 'x-order-version': String(version), 'cache-status': cached ? 'andal; hit' : 'andal; fwd=miss' },
    },
    startedAtMs,
    atMs: run.nowMs,
  });

describe('S13, the cache is honest', () => {
  it('takes a fill of a committed version under a token, and answers of any committed version', () => {
    const run = withTwoVersions(cacheHonest);
    token(run);
    fill(run, 2, 'paid');
    read(run, 1, 'pending_payment');
    read(run, 2, 'paid');
    run.write('Cache', 'order_summary:user:u1', { token: 'b', tokenUntilMs: 1 }, READER);
    fill(run, 2, '', 'order_summary:user:u1', SUMMARY_OF_PAID);
    expect(run.violations).toEqual([]);
  });

  it('sees a value and an answer that the table never held', () => {
    const run = withTwoVersions(cacheHonest);
    token(run);
    fill(run, 2, 'refunded');
    read(run, 3, 'paid');
    run.write('Cache', 'order_summary:user:u1', { token: 'b', tokenUntilMs: 1 }, READER);
    fill(run, 2, '', 'order_summary:user:u1', { ...SUMMARY_OF_PAID, orders: 2 });
    expect(run.violations).toEqual([
      expect.stringContaining('stores version 2, which was never committed so'),
      expect.stringContaining('answered as version 3, which was never committed so'),
      expect.stringContaining('order_summary:user:u1 stores version 2, which was never committed so'),
    ]);
  });

  it('sees an answer whose entity tag names another version', () => {
    const run = withTwoVersions(cacheHonest);
    read(run, 2, 'paid', { etag: '"1"' });
    expect(run.violations).toEqual(['read-order tags version 2 as "1"']);
  });

  it('sees a value stored without a token', () => {
    const run = withTwoVersions(cacheHonest);
    fill(run, 2, 'paid');
    expect(run.violations).toEqual([expect.stringContaining('although no token stands')]);
  });

  it('sees a value older than what was committed when its token was taken, and versions that fall', () => {
    const run = withTwoVersions(cacheHonest);
    token(run);
    fill(run, 2, 'paid');
    token(run, 'b');
    fill(run, 1, 'pending_payment');
    expect(run.violations).toEqual([
      expect.stringContaining('but 2 was committed when its token was taken'),
      expect.stringContaining('stores version 1 after version 2'),
    ]);
  });

  it('takes an older version again once the table was put back', () => {
    const run = withTwoVersions(cacheHonest);
    token(run);
    fill(run, 2, 'paid');
    run.see.disturbed('restore');
    run.write('State', ORDER_ID, { ...ORDER });
    token(run, 'b');
    fill(run, 1, 'pending_payment');
    expect(run.violations).toEqual([]);
  });
});

describe('S14, invalidation follows its commit', () => {
  it('takes an invalidation after a commit, and a reader that gives its token back', () => {
    const run = withTwoVersions(invalidationOrder);
    token(run);
    invalidate(run);
    run.write('Cache', 'order:u1/nobody', { token: 'a', tokenUntilMs: 1 }, READER);
    run.write('Cache', 'order:u1/nobody', undefined, READER);
    run.end('invalidate-cache#1');
    expect(run.violations).toEqual([]);
  });

  it('sees a process that invalidates first and commits then', () => {
    const run = withTwoVersions(invalidationOrder);
    token(run);
    invalidate(run, 'execute-job/refund-payment#1');
    run.write('State', ORDER_ID, { ...ORDER, version: 3, status: 'refunded' }, 'execute-job/refund-payment#1');
    run.end('execute-job/refund-payment#1');
    expect(run.violations).toEqual([expect.stringContaining('invalidated order:u1/o1 and committed afterwards')]);
  });

  it('sees an invalidation that no commit calls for', () => {
    const run = observe(invalidationOrder);
    token(run);
    invalidate(run);
    expect(run.violations).toEqual([expect.stringContaining('which no commit has made untrue')]);
  });
});

describe('S15, staleness', () => {
  it('takes a cached answer that the stream has not caught up with, and counts how old it was', () => {
    const run = observe(staleness);
    run.inject('stream delivers to invalidate-cache', 'lag');
    run.write('State', ORDER_ID, { ...ORDER });
    token(run);
    fill(run, 1, 'pending_payment');
    run.write('State', ORDER_ID, { ...ORDER, version: 2, status: 'paid' });
    for (const laterMs of [500, 1_000, 40_000, MINUTE_MS]) {
      run.nowMs += laterMs;
      read(run, 1, 'pending_payment');
    }
    expect(run.violations).toEqual([]);
    expect(run.situations).toEqual({
      'stale answer, within 1 s': 1,
      'stale answer, within 10 s': 1,
      'stale answer, within 60 s': 1,
      'stale answer, older than 60 s': 1,
    });
  });

  it('sees an old answer from the table, and a 404 for an order that is there', () => {
    const run = withTwoVersions(staleness);
    run.nowMs += 100;
    read(run, 1, 'pending_payment', { cached: false });
    run.see.apiAnswered({
      functionName: 'read-order',
      idempotencyKey: undefined,
      request: { rawPath: '/users/u1/orders/o1' },
      answer: { statusCode: 404, body: '{}' },
      startedAtMs: run.nowMs,
      atMs: run.nowMs,
    });
    expect(run.violations).toEqual([expect.stringContaining('version 1'), expect.stringContaining('version 0')]);
  });

  it('sees an answer older than an invalidation that came before the question', () => {
    const run = observe(staleness);
    run.write('State', ORDER_ID, { ...ORDER });
    token(run);
    fill(run, 1, 'pending_payment');
    run.write('State', ORDER_ID, { ...ORDER, version: 2, status: 'paid' });
    run.nowMs += 100;
    const askedBeforeMs = run.nowMs;
    run.nowMs += 1;
    invalidate(run);
    read(run, 1, 'pending_payment', { startedAtMs: askedBeforeMs });
    expect(run.violations).toEqual([]);
    read(run, 1, 'pending_payment');
    expect(run.violations).toEqual([expect.stringContaining('although the key had been invalidated for 2')]);
  });

  it('sees a value served beyond its time to live, by as much as clocks may differ, and one without an end', () => {
    const run = observe(staleness);
    run.write('State', ORDER_ID, { ...ORDER });
    token(run);
    fill(run, 1, 'pending_payment');
    run.write('State', ORDER_ID, { ...ORDER, version: 2, status: 'paid' });
    run.inject('invalidate-cache DeleteItem Cache', 'dropped');
    run.end(READER, { clockAheadMs: -MINUTE_MS });
    run.nowMs += 6 * MINUTE_MS;
    read(run, 1, 'pending_payment');
    expect(run.violations).toEqual([]);
    run.nowMs += 2_000;
    read(run, 1, 'pending_payment');
    run.write('Cache', KEY, { value: '{}', version: 1 }, READER);
    expect(run.violations).toEqual([expect.stringContaining('after it was stored'), expect.stringContaining('is cached for NaN ms')]);
  });
});

describe('S15 in calm weather', () => {
  it('sees an answer that the stream should have made impossible long ago', () => {
    const run = observe(staleness);
    run.inject('stream delivers to invalidate-cache', 'lag');
    run.nowMs += 21 * MINUTE_MS;
    run.write('State', ORDER_ID, { ...ORDER });
    token(run);
    fill(run, 1, 'pending_payment');
    run.write('State', ORDER_ID, { ...ORDER, version: 2, status: 'paid' });
    run.nowMs += 29_000;
    read(run, 1, 'pending_payment');
    expect(run.violations).toEqual([]);
    run.nowMs += 2_000;
    read(run, 1, 'pending_payment');
    expect(run.violations).toEqual([expect.stringContaining('in calm weather')]);
  });
});

describe('L3, the cache equals the table at rest', () => {
  it('takes true values, and untrue ones that are over', () => {
    const run = withTwoVersions(cacheAtRest);
    fill(run, 2, 'paid');
    run.see.rested();
    run.write(
      'Cache',
      KEY,
      { value: JSON.stringify(view(1, 'pending_payment')), version: 1, expiresAtMs: START_MS - 6 * MINUTE_MS },
      READER,
    );
    run.see.finished();
    expect(run.violations).toEqual([]);
  });

  it('sees an old value that is still served', () => {
    const run = withTwoVersions(cacheAtRest);
    fill(run, 1, 'pending_payment');
    run.see.rested();
    expect(run.violations).toEqual(['order:u1/o1 still holds version 1; the table is at 2']);
  });
});

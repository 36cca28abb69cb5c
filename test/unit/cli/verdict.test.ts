import { describe, expect, it, vi } from 'vitest';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { parseJob } from '#shared/worker/parse-job.ts';
import type { OrderFacts } from '../../../cli/demo/audit.ts';
import { waitFor, withHands } from '../../../cli/demo/patience.ts';
import { formatReport } from '../../../cli/demo/report.ts';
import { show } from '../../../cli/demo/scenario.ts';
import { malformedBodies } from '../../../cli/demo/scenarios/malformed.ts';
import { allKept, broken, commonVerdicts, kept, notTried } from '../../../cli/demo/verdict.ts';
import type { DemoWorld } from '../../../cli/demo/world.ts';

const paid: OrderFacts = {
  userId: 'demo-1',
  orderId: 'o1',
  shows: 'plain',
  ends: 'paid',
  state: 'paid',
  version: 2,
  attempts: 1,
  captures: 1,
  receipts: 1,
  cache: 'current',
  readState: 'paid',
};
const declined: OrderFacts = {
  ...paid,
  orderId: 'o2',
  ends: 'payment_declined',
  state: 'payment_declined',
  readState: 'payment_declined',
  captures: 0,
  receipts: 0,
};

describe('the verdicts of a run', () => {
  it('are good when each order ended as it should', () => {
    expect(allKept(commonVerdicts([paid, declined]))).toBe(true);
  });

  it.each([
    ['charged twice', { captures: 2 }],
    ['paid without a charge', { captures: 0 }],
    ['without a receipt', { receipts: 0 }],
    ['with two receipts', { receipts: 2 }],
    ['with a stale cache entry', { cache: 'stale' }],
    ['read as something else', { readState: 'pending_payment' }],
    ['pending', { state: 'pending_payment', readState: 'pending_payment' }],
  ] as const)('name an order that is %s', (_, difference) => {
    const broke = commonVerdicts([declined, { ...paid, ...difference }]).filter((verdict) => verdict.kept === false);
    expect(broke).toHaveLength(1);
    expect(broke[0]?.orders).toEqual(['demo-1/o1']);
  });

  it('are not good when a declined order was charged', () => {
    expect(allKept(commonVerdicts([{ ...declined, captures: 1 }]))).toBe(false);
  });

  it('take what could not be tried for neither kept nor broken', () => {
    expect(allKept([kept('a', ''), notTried('b', 'elsewhere')])).toBe(true);
    expect(allKept([kept('a', ''), broken('b', '', [])])).toBe(false);
  });

  it('end with the command that explains a broken order', () => {
    const verdicts = [broken('each paid order got one receipt', '1 of 1 orders', ['demo-1/o1'])];
    const text = formatReport({ ok: false, durationMs: 1_000, orders: [paid], verdicts });
    expect(text).toContain('npm run andal -- explain demo-1/o1');
    expect(text).toContain('each paid order got one receipt');
  });
});

describe('a scenario', () => {
  it('that throws has broken its promise, and names the orders it made', async () => {
    const world = { orders: [] } as unknown as DemoWorld;
    const verdict = await show(
      {
        title: 't',
        promise: 'p',
        async run() {
          world.orders.push({ userId: 'u', orderId: 'o', shows: 's', ends: 'paid' });
          throw new Error('the API answered 500');
        },
      },
      world,
      () => {},
    );
    expect(verdict).toEqual({ promise: 'p', kept: false, seen: 'it could not be shown: the API answered 500', orders: ['u/o'] });
  });

  it('sends bodies that no worker takes', () => {
    const parsed = malformedBodies({ runId: 'demo-1' }).map((body) => parseJob(body, capturePayment).ok);
    expect(parsed).toEqual([false, false, false]);
  });
});

describe('waiting', () => {
  it('ends with the first answer', async () => {
    const probe = vi.fn(async () => (probe.mock.calls.length > 2 ? 'paid' : undefined));
    await expect(waitFor('the end', probe, { limitMs: 1_000, everyMs: 0 })).resolves.toBe('paid');
  });

  it('says what did not happen, and within what time', async () => {
    await expect(waitFor('the end of u/o', async () => undefined, { limitMs: 0 })).rejects.toThrow(
      'the end of u/o did not happen within 0 s',
    );
  });
});

describe('many hands', () => {
  it('keep the order of the list and never exceed their number', async () => {
    let busy = 0;
    let most = 0;
    const results = await withHands(3, [5, 1, 4, 2, 3], async (value) => {
      most = Math.max(most, ++busy);
      await Promise.resolve();
      busy--;
      return value * 2;
    });
    expect(results).toEqual([10, 2, 8, 4, 6]);
    expect(most).toBeLessThanOrEqual(3);
  });
});

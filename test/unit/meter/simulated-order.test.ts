import '../../simulation/kernel/virtual-globals.ts';
import { expect, it } from 'vitest';
import { COUNTS } from '../../../cli/cost/recorded-counts.ts';
import { run } from '../../simulation/run.ts';
import { oneOrder } from '../../simulation/scenario/one-order.ts';
import { createMeter } from '../../support/meter/meter.ts';

it('an order that is paid, confirmed and given back on a quiet day costs in the simulator what the budgets count', async () => {
  const meter = createMeter();
  const { violations } = await run({ seed: 1, story: oneOrder, rate: 0, skew: false, meter });
  expect(violations).toEqual([]);
  const writesOf = (outcome: 'paid' | 'receipt' | 'refund'): number =>
    (COUNTS[outcome].entrance.tables['State']?.write ?? 0) + (COUNTS[outcome].alone.tables['State']?.write ?? 0);
  expect(meter.bill.tables['State']?.write).toBe(writesOf('paid') + writesOf('receipt') + writesOf('refund'));
  expect(meter.bill.refusedWrites).toBe(0);
});

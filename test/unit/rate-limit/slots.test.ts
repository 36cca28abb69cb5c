import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LEAD_MS, planSlots, readSlotRow, type SlotRow, type SlotWish, slotSpacingMs, slotsTaken } from '#shared/rate-limit/slots.ts';

// B71
const wish = (overrides: Partial<SlotWish> = {}): SlotWish => ({
  row: undefined,
  nowMs: 1_000,
  count: 1,
  spacingMs: 10,
  stranger: false,
  ...overrides,
});
const leased = (plan: ReturnType<typeof planSlots>) => {
  if (plan.kind !== 'lease') throw new Error('full');
  return plan;
};

describe('slots', () => {
  it('lie 1/(0.95 · limit) apart, further when only a share of the limit may be used', () => {
    expect(slotSpacingMs(100)).toBeCloseTo(10.527, 3);
    expect(slotSpacingMs(100, 1 / 8)).toBeCloseTo(84.211, 3);
  });

  it('keep any second under the limit even when each is used 20 ms late and clocks differ by 30 ms', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), (callsPerSecond) => {
        const longestMs = 1_000 + 20 + 30;
        expect(Math.floor(longestMs / slotSpacingMs(callsPerSecond)) + 1).toBeLessThanOrEqual(callsPerSecond);
      }),
    );
  });

  it('start a lead after now while nobody waits, and are not saved up', () => {
    const { change, count } = leased(planSlots(wish({ row: { nextSlotMs: 5, asOfMs: 0 }, count: 3 })));
    expect(count).toBe(3);
    expect(slotsTaken(change.set as unknown as SlotRow, 3, 10)).toEqual([1_000 + LEAD_MS, 1_010 + LEAD_MS, 1_020 + LEAD_MS]);
  });

  it('queue behind those already given out, by an addition that others do not refuse', () => {
    const plan = leased(planSlots(wish({ row: { nextSlotMs: 1_050, asOfMs: 990 }, count: 3 })));
    expect(plan.change).toEqual({ add: { nextSlotMs: 30 }, set: { asOfMs: 1_000 } });
    expect(slotsTaken({ nextSlotMs: 1_080, asOfMs: 1_000 }, 3, 10)).toEqual([1_050, 1_060, 1_070]);
  });

  // A table adds decimally, a process in binary: with finer digits the two would part, and a newcomer's condition would never hold.
  it('are written with no finer digits than survive the way through a table', () => {
    const atMs = fc.integer({ min: 1_700_000_000_000, max: 2_000_000_000_000 });
    fc.assert(
      fc.property(atMs, fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: 20 }), (nowMs, callsPerSecond, count) => {
        const asked = { nowMs, count, spacingMs: slotSpacingMs(callsPerSecond) };
        const old = { nextSlotMs: nowMs - 60_000 + 31.581, asOfMs: nowMs - 60_000 };
        for (const { change } of [planSlots(wish(asked)), planSlots(wish({ ...asked, row: old, stranger: true }))].map(leased))
          expect(String(change.set?.['nextSlotMs'])).toMatch(/^\d+(?:\.\d{1,3})?$/);
        const row = { nextSlotMs: nowMs + LEAD_MS, asOfMs: nowMs };
        expect(String(leased(planSlots(wish({ ...asked, row }))).change.add?.['nextSlotMs'])).toMatch(/^\d+(?:\.\d{1,3})?$/);
      }),
    );
  });

  it('are given out only as far ahead as the horizon reaches', () => {
    expect(leased(planSlots(wish({ row: { nextSlotMs: 1_130, asOfMs: 990 }, count: 30 }))).count).toBe(2);
    expect(planSlots(wish({ row: { nextSlotMs: 1_145, asOfMs: 990 } }))).toEqual({ kind: 'full', freeInMs: 5 });
  });

  it('leave a slow limit one slot inside its horizon', () => {
    expect(leased(planSlots(wish({ spacingMs: 1_053, row: { nextSlotMs: 0, asOfMs: 0 } }))).count).toBe(1);
  });

  it('start behind everything that may be outstanding for a process that does not know the others’ clocks', () => {
    const row = { nextSlotMs: 600, asOfMs: 500 };
    const { change, condition } = leased(planSlots(wish({ row, stranger: true })));
    expect(change.set).toEqual({ nextSlotMs: 1_110, asOfMs: 1_000 });
    expect(condition).toEqual({ nextSlotMs: { equals: 600 }, asOfMs: { equals: 500 } });
  });

  it('take a row without numbers for none', () => {
    expect(readSlotRow({ nextSlotMs: 'x', asOfMs: 1 })).toBeUndefined();
    expect(readSlotRow(undefined)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '#shared/dead-letter/audit.ts';
import { isMeant } from '../../../cli/audit/audit-filter.ts';
import { daysBetween } from '../../../cli/audit/days.ts';
import { formatEntry, streamAudit } from '../../../cli/audit/stream-audit.ts';
import { rangeOf } from '../../../cli/commands/audit.ts';

const AT_MS = Date.UTC(2026, 10, 30, 10);
const entry = (changed: Partial<AuditEntry> = {}): AuditEntry => ({
  id: 'audit:r:1',
  what: 'replay',
  who: 'somebody',
  why: 'the provider is well again',
  atMs: AT_MS,
  queue: 'capture-payment-dlq',
  messageId: '0123456789',
  key: 'capture:u-1/o-1:1',
  ...changed,
});

describe('the entries that are meant', () => {
  it.each([
    [{ fromMs: AT_MS }, true],
    [{ fromMs: AT_MS + 1 }, false],
    [{ fromMs: 0, what: 'replay' }, true],
    [{ fromMs: 0, what: 'discard' }, false],
    [{ fromMs: 0, key: 'capture:u-1/o-1:1' }, true],
    [{ fromMs: 0, key: 'u-1/o-1' }, true],
    [{ fromMs: 0, key: 'u-1/o-11' }, false],
    [{ fromMs: 0, key: 'o-1' }, false],
  ])('are those that fit all of %j: %s', (filter, meant) => {
    expect(isMeant(entry(), filter)).toBe(meant);
  });

  it('are those of today, of a day, or since a moment, with the day before for runs that went on', () => {
    expect(rangeOf({}, AT_MS).days).toEqual(['2026-11-30']);
    expect(rangeOf({ day: '2026-02-28' }, AT_MS).days).toEqual(['2026-02-28']);
    const { days, filter } = rangeOf({ since: 3_600_000 }, AT_MS);
    expect([days, filter.fromMs]).toEqual([['2026-11-29', '2026-11-30'], AT_MS - 3_600_000]);
    expect(() => rangeOf({ day: '2026-11-30', since: 1 }, AT_MS)).toThrow('a day or a duration');
  });

  it('lie on days that follow each other', () => {
    expect(daysBetween(Date.UTC(2026, 1, 27), Date.UTC(2026, 2, 1))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
    expect(daysBetween(2, 1).length).toBe(1);
  });
});

describe('an entry', () => {
  it('is one line: when, who, what, to what, why, and how it ended', () => {
    expect(formatEntry(entry({ outcome: 'replayed', letterReason: 'attempts-spent' }))).toBe(
      '2026-11-30 10:00:00  somebody  replay  capture:u-1/o-1:1 [attempts-spent]  (the provider is well again)  → replayed',
    );
  });

  it('without an outcome says that nobody saw its end', () => {
    expect(formatEntry(entry({ key: undefined, kind: 'capture-payment' }))).toContain(
      'capture-payment message 01234567  (the provider is well again)  → nobody saw its end: look at the item',
    );
  });
});

describe('a stream of entries', () => {
  /** A reader that takes one write at a time and leaves after so many. */
  function reader(leavesAfter = Number.POSITIVE_INFINITY) {
    const written: string[] = [];
    const heard = new Map<string, () => void>();
    const out = {
      written,
      on: (event: string, listener: () => void) => heard.set(event, listener),
      once: (event: string, listener: () => void) => void queueMicrotask(event === 'drain' ? listener : () => undefined),
      removeListener: () => undefined,
      off: () => undefined,
      emit: () => true,
      write(text: string) {
        written.push(text);
        if (written.length >= leavesAfter) heard.get('error')?.();
        return false;
      },
    };
    return out as typeof out & NodeJS.WriteStream;
  }
  let made = 0;
  async function* many(count: number) {
    for (made = 0; made < count; ) yield entry({ id: String(++made), outcome: 'replayed' });
  }

  it('is one document under --json', async () => {
    const out = reader();
    expect(await streamAudit(many(3), true, out)).toBe(3);
    const { entries } = JSON.parse(out.written.join(''));
    expect(entries).toHaveLength(3);
    expect(entries[0]).toMatchObject({ what: 'replay', at: '2026-11-30T10:00:00.000Z', outcome: 'replayed' });
    const none = reader();
    await streamAudit(many(0), true, none);
    expect(JSON.parse(none.written.join(''))).toEqual({ entries: [] });
  });

  it('is read no further than it is taken', async () => {
    await streamAudit(many(100_000), false, reader(5));
    expect(made).toBeLessThan(10);
  });
});

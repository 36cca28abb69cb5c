import { describe, expect, it } from 'vitest';
import type { Mapping } from '#shared/control/mapping-control.ts';
import { mappingRow, pauseRow } from '#shared/control/rows.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { JOB_KINDS, parseJobKind } from '../../../cli/commands/job-kind.ts';
import { formatPaused, formatResumed, parseReason, pause, resume } from '../../../cli/commands/pause.ts';
import { describeLoadControl, readLoadControl } from '../../../cli/explain/load-control.ts';
import { createMemoryControl } from '../../support/memory-control.ts';

const AT_MS = Date.UTC(2026, 10, 30, 10);
const KIND = capturePayment.kind;
const wanted = { pausedAtMs: AT_MS, by: 'somebody', reason: 'maintenance' };

describe('a pause', () => {
  it('is a row of the Control table that says since when, by whom and why', async () => {
    const control = createMemoryControl();
    const paused = await pause(control, KIND, wanted);
    expect(control.rows.get(pauseRow(KIND))).toEqual({ id: `pause:${KIND}`, ...wanted });
    expect(paused).toEqual({ kind: KIND, pause: wanted, before: false });
    expect(formatPaused(paused)).toMatch(/Within a second .* without spending an attempt.*\n.*Within a minute the governor/);
  });

  it('that stands is not overwritten by a second one', async () => {
    const control = createMemoryControl();
    await pause(control, KIND, wanted);
    const second = await pause(control, KIND, { pausedAtMs: AT_MS + 1, by: 'another', reason: 'other' });
    expect(second).toEqual({ kind: KIND, pause: wanted, before: true });
    expect(formatPaused(second)).toContain('was paused already, since 2026-11-30T10:00:00.000Z by somebody: maintenance');
  });

  it('ends with its row, which a second end does not find', async () => {
    const control = createMemoryControl();
    await pause(control, KIND, wanted);
    expect(await resume(control, KIND)).toEqual({ kind: KIND, wasPaused: true, pause: wanted });
    expect(control.rows.size).toBe(0);
    expect(formatResumed(await resume(control, KIND))).toBe(`${KIND} was not paused; nothing to resume.`);
  });

  it('ends even when its row cannot be read, because workers take any row for a pause', async () => {
    const control = createMemoryControl();
    await control.put(pauseRow(KIND), { by: 7 });
    expect(await resume(control, KIND)).toEqual({ kind: KIND, wasPaused: true, pause: null });
    expect(control.rows.size).toBe(0);
  });

  it('of an unknown kind is refused in a sentence that lists the kinds', () => {
    expect(JOB_KINDS.map(parseJobKind)).toEqual(JOB_KINDS);
    for (const text of ['capture', '', 'toString']) expect(() => parseJobKind(text)).toThrow(`The kinds are ${JOB_KINDS.join(', ')}.`);
  });

  it.each(['', '  ', 'a\nb', 'x'.repeat(201)])('takes no reason that nobody could read: %j', (text) => {
    expect(() => parseReason(text)).toThrow('1 to 200 characters on one line');
  });
});

describe('what is held back', () => {
  const mappings = (off: readonly string[]) => ({
    list: async (): Promise<Mapping[]> =>
      [KIND, sendReceipt.kind].map((kind) => ({ kind, enabled: !off.includes(kind), maxConcurrency: 2, changing: false })),
    enable: async () => undefined,
    disable: async () => undefined,
  });
  const read = (control: ReturnType<typeof createMemoryControl>, off: readonly string[] = []) =>
    readLoadControl(control, mappings(off), [capturePayment, sendReceipt]);

  it('is nothing while all is well', async () => {
    expect(describeLoadControl(await read(createMemoryControl()))).toEqual([]);
  });

  it('names paused kinds, open circuits and queues that are switched off, each with its reason', async () => {
    const control = createMemoryControl();
    await pause(control, KIND, wanted);
    await control.put('breaker:payment-provider', { state: 'open', openings: 3, openedAtMs: AT_MS, retryAtMs: AT_MS + 60_000 });
    await control.put(mappingRow(KIND), { disabledAtMs: AT_MS, deadlineMs: AT_MS + 1, reason: 'circuit-open' });
    const lines = describeLoadControl(await read(control, [KIND, sendReceipt.kind]));
    expect(lines).toEqual([
      `Paused: ${KIND} since 2026-11-30T10:00:00.000Z by somebody: maintenance (end it with \`npm run andal -- resume ${KIND}\`)`,
      'Circuit open: payment-provider since 2026-11-30T10:00:00.000Z, opened 3 times in a row; not tried again before 2026-11-30T10:01:00.000Z.',
      `Switched off by the governor: the queue of ${KIND} since 2026-11-30T10:00:00.000Z (circuit-open).`,
      `Switched off: the queue of ${sendReceipt.kind}, not by the governor; it switches it on again within a minute.`,
    ]);
  });

  it('tells a circuit that closes from one that is open', async () => {
    const control = createMemoryControl();
    await control.put('breaker:payment-provider', { state: 'closing', openings: 1, openedAtMs: AT_MS, closedAtMs: AT_MS + 5 });
    expect(describeLoadControl(await read(control))).toEqual([
      'Circuit closing: payment-provider answers again and calls come back in steps.',
    ]);
  });
});

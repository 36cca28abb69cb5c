import { describe, expect, it } from 'vitest';
import type { ItemKey } from '#shared/contract/item-keys.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import type { ItemImage } from '#shared/item/attributes.ts';
import type { OverdueKey } from '#shared/rescue/rescue-overdue.ts';
import { formatSweep, type SweepReport } from '../../../cli/sweep/format-sweep.ts';
import { findLost } from '../../../cli/sweep/lost.ts';
import { listOverdue } from '../../../cli/sweep/overdue.ts';
import { addUp } from '../../../cli/sweep/run-logs.ts';
import { walkTable } from '../../../cli/sweep/walk.ts';
import { createMemoryControl } from '../../support/memory-control.ts';

const NOW_MS = Date.UTC(2026, 10, 30, 12);
const HOUR_MS = 3_600_000;
const order = (orderId: string, rest: ItemImage = {}): ItemImage => ({
  ...newOrder('u-1', orderId, { amountMinor: 1, currency: 'EUR' }, NOW_MS - 2 * HOUR_MS),
  pk: 'USER#u-1',
  sk: `ORDER#${orderId}`,
  lease: 'free',
  fence: 1,
  overdueShard: '0',
  overdueAtMs: NOW_MS - HOUR_MS,
  'try:capture:1': 1,
  ...rest,
});

function table(...images: ItemImage[]) {
  const keyOf = ({ pk, sk, overdueAtMs }: ItemImage): OverdueKey => ({ pk: String(pk), sk: String(sk), overdueAtMs: Number(overdueAtMs) });
  const writes: string[] = [];
  return {
    index: {
      page: async (untilMs: number, after?: OverdueKey) => {
        const due = images.filter(({ overdueAtMs }) => Number(overdueAtMs) <= untilMs).map(keyOf);
        const from = after === undefined ? 0 : due.findIndex(({ sk }) => sk === after.sk) + 1;
        return { keys: due.slice(from, from + 2), more: from + 2 < due.length };
      },
    },
    read: async (keys: readonly ItemKey[]) => images.filter(({ pk, sk }) => keys.some((key) => key.pk === pk && key.sk === sk)),
    scan: { page: async () => ({ items: images, readUnits: 1 }) },
    isClosedFor: async (kind: string) => kind === 'refund-payment',
    keyHorizonMs: 24 * HOUR_MS,
    timeScale: 1,
    nowMs: NOW_MS,
    writes,
  };
}

describe('what is overdue', () => {
  const outlookOf = async (image: ItemImage) => (await listOverdue(table(image))).items[0]?.outlook;

  it('is named by item and job, over all pages of the index', async () => {
    const { items, more } = await listOverdue(table(order('o-1'), order('o-2'), order('o-3')));
    expect(items.map(({ name, jobs, outlook }) => [name, jobs, outlook])).toEqual(
      ['o-1', 'o-2', 'o-3'].map((id) => [`u-1/${id}`, [`capture:u-1/${id}:1`], 'send']),
    );
    expect(more).toBe(false);
  });

  it.each<[string, ItemImage, string]>([
    ['sent again', {}, 'send'],
    [
      'held back while its kind is',
      { status: 'refund_pending', 'op:capture:1': { status: 'completed' }, 'try:capture:1': undefined },
      'held-back',
    ],
    ['left to a worker who is at it', { lease: 'held', leaseUntilMs: NOW_MS + 1 }, 'waiting'],
    ['sent again when its worker is dead', { lease: 'held', leaseUntilMs: NOW_MS - 1 }, 'send'],
    ['forgotten when nothing is left to do', { status: 'refunded', 'op:capture:1': { status: 'completed' } }, 'mark-removed'],
    ['for a person when it cannot be read', { status: 'unheard-of' }, 'unreadable'],
  ])('will be %s', async (_, rest, outlook) => {
    expect(await outlookOf(order('o-1', rest))).toBe(outlook);
  });
});

describe('lost work', () => {
  it('is what a quiet item calls for; a young one is on its way', async () => {
    const young = order('o-2', { createdAtMs: NOW_MS - 1_000, intentAtMs: NOW_MS - 1_000 });
    const { looked, jobs, first } = await findLost(table(order('o-1', { overdueShard: undefined }), young));
    expect({ looked, jobs, first }).toEqual({ looked: 2, jobs: { 'capture-payment': 1 }, first: ['capture:u-1/o-1:1'] });
  });

  it('includes the receipt of a captured order that never began, and not one that has an item', async () => {
    const captured = { status: 'completed', result: { captureId: 'cap-1' }, atMs: NOW_MS - HOUR_MS };
    const paid = order('o-1', { status: 'paid', 'op:capture:1': captured, 'try:capture:1': undefined });
    expect((await findLost(table(paid))).jobs).toEqual({ 'send-receipt': 1 });
    const begun = { pk: 'JOB#send-receipt#receipt:u-1/o-1:1', sk: 'JOB', 'op:run': { status: 'completed', atMs: NOW_MS } };
    expect((await findLost(table(paid, begun))).jobs).toEqual({});
  });
});

describe('a walk over the whole table', () => {
  const walk = (run: (control: ReturnType<typeof createMemoryControl>) => Promise<void>) => {
    const control = createMemoryControl();
    const told: number[] = [];
    const ended = walkTable({
      control,
      segments: 2,
      nowMs: () => NOW_MS,
      run: () => run(control),
      onProgress: (done) => void told.push(done),
    });
    return { control, told, ended };
  };
  const row = (segment: number) => `sweep:2026-11-30:${segment}`;

  it('begins anew, whatever today has done already, and runs until every part is done', async () => {
    let runs = 0;
    const { told, ended } = walk(async (control) => {
      if (runs === 0) expect([control.rows.get(row(0)), control.rows.get(row(1))]).toMatchObject([{ done: false }, { done: false }]);
      await control.put(row(runs++), { done: true });
    });
    await ended;
    expect([runs, told.at(-1)]).toEqual([2, 2]);
  });

  it('gives up when it does not advance', async () => {
    await expect(walk(async () => undefined).ended).rejects.toThrow('does not advance');
  });

  it('ends with the failure of its function', async () => {
    await expect(walk(() => Promise.reject(new Error('it failed'))).ended).rejects.toThrow('it failed');
  });
});

describe('what a sweep says', () => {
  const report: SweepReport = {
    stage: 'local',
    dryRun: false,
    overdue: {
      total: 1,
      more: false,
      byOutlook: { send: 1 },
      first: [{ name: 'u-1/o-1', overdueAtMs: NOW_MS - HOUR_MS, jobs: ['capture:u-1/o-1:1'], outlook: 'send' }],
    },
    rescued: { sent: 1, 'not-sent': 2 },
    mappings: ['send-receipt'],
    lost: null,
    swept: null,
    walked: false,
  };

  it('is what was found and what the rescue did about it', () => {
    const text = formatSweep(report, NOW_MS);
    expect(text).toMatch(/u-1\/o-1 +1 h +capture:u-1\/o-1:1 +sent again/);
    expect(text).toContain('The rescue ran: sent 1, not-sent 2.');
    expect(text).toContain('The queue of send-receipt had been forgotten');
  });

  it('is never that something was done when it was not, or cannot be known', () => {
    expect(formatSweep({ ...report, dryRun: true, rescued: null }, NOW_MS)).toMatch(/What the rescue would do[\s\S]*Nothing was done/);
    expect(formatSweep({ ...report, rescued: null }, NOW_MS)).toContain('could not be read from its log yet');
  });

  it('adds up several runs', () => {
    expect(addUp([{ sent: 1 }, undefined, { sent: 2, message: 'rescued' }])).toEqual({ sent: 3 });
  });
});

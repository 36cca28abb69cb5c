import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { ORDERS_PER_STEP } from '#shared/jobs/export-orders.ts';
import { USER } from '../../support/worker-bench.ts';
import { createExportBench, idsOf, orderIds } from './export-bench.ts';

describe('an export', () => {
  test.each([0, 1, ORDERS_PER_STEP - 1, ORDERS_PER_STEP, ORDERS_PER_STEP + 1])(
    'of %i orders holds each of them once, as the API shows it',
    async (count) => {
      const bench = createExportBench();
      bench.addOrders(...orderIds(count));
      bench.putItem({ ...orderItemKey('u-2', 'o-00000'), userId: 'u-2', orderId: 'o-00000' });
      const first = await bench.begin('e-1');
      await bench.runAll([first]);
      expect(idsOf(bench.exported('e-1'))).toEqual(orderIds(count));
      if (count > 0)
        expect(JSON.parse(bench.exported('e-1')?.[0] ?? '{}')).toEqual({
          userId: USER,
          orderId: 'o-00000',
          status: 'pending_payment',
          version: 1,
          paymentAttempt: 1,
          amountMinor: 4999,
          currency: 'EUR',
          createdAt: '1970-01-01T00:00:00.000Z',
        });
    },
  );

  test('names an order that cannot be read, with its fields, instead of leaving it out or failing', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(2));
    bench.putItem({ ...orderItemKey(USER, 'o-00000x'), orderId: 'o-00000x', amountMinor: 'a lot' });
    bench.putItem({ ...bench.order('o-00001'), ...orderItemKey(USER, 'o-00002') });
    bench.newMessages();
    await bench.runAll([await bench.begin('e-1')]);
    const lines = (bench.exported('e-1') ?? []).map((line) => JSON.parse(line) as { orderId: string; unreadable?: string[] });
    expect(lines.map(({ orderId }) => orderId)).toEqual(['o-00000', 'o-00000x', 'o-00001', 'o-00002']);
    expect(lines[1]?.unreadable).toEqual(expect.arrayContaining(['amountMinor', 'userId', 'status']));
    expect(JSON.stringify(lines[1])).not.toContain('a lot');
    expect(lines[3]).toEqual({ orderId: 'o-00002', unreadable: ['orderId'] });
  });

  test('keeps its lease while it reads slowly, by reporting after every page', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(400));
    const first = await bench.begin('e-1');
    bench.aws.fault = ({ operation }) => {
      if (operation === 'Query') bench.clock.advance(15_000);
      return undefined;
    };
    expect(await bench.run(first)).toMatchObject({ outcome: 'committed', facts: { fence: 1 } });
    const extensions = bench.aws.calls.filter(
      ({ operation, input }) => operation === 'UpdateItem' && input['UpdateExpression'] === 'SET #n0 = :v0',
    );
    expect(extensions.length).toBeGreaterThanOrEqual(4);
  });

  test('whose earlier part has expired ends as a dead letter and leaves no export that looks whole', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(ORDERS_PER_STEP + 1));
    const first = await bench.begin('e-1');
    await bench.run(first);
    bench.objects.stored.clear();
    const [second = ''] = bench.newMessages();
    expect(await bench.run(second)).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'export-part-missing' } });
    expect(bench.exported('e-1')).toBeUndefined();
  });

  test('fails for a while with its storage and goes on after it', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(3));
    const first = await bench.begin('e-1');
    bench.objects.before = () => {
      throw new Error('storage is down');
    };
    expect(await bench.run(first)).toMatchObject({ action: 'hand-back', outcome: 'retry' });
    bench.objects.before = undefined;
    bench.clock.advance(8_000);
    expect(await bench.run(first)).toMatchObject({ outcome: 'committed' });
    expect(idsOf(bench.exported('e-1'))).toEqual(orderIds(3));
  });
});

describe('a step', () => {
  test('enqueues the next with the order it stopped at, and the last enqueues nothing', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(ORDERS_PER_STEP + 1));
    const first = await bench.begin('e-1');
    await bench.run(first);
    const [second = '', ...more] = bench.newMessages();
    expect(more).toEqual([]);
    expect(JSON.parse(second)).toMatchObject({ kind: 'export-orders', payload: { step: 2, cursor: `o-00${ORDERS_PER_STEP - 1}` } });
    await bench.run(second);
    expect(bench.newMessages()).toEqual([]);
  });

  test('whose message comes again writes and enqueues nothing more', async () => {
    const bench = createExportBench();
    bench.addOrders(...orderIds(ORDERS_PER_STEP));
    const first = await bench.begin('e-1');
    await bench.run(first);
    bench.newMessages();
    const before = new Map(bench.objects.stored);
    expect(await bench.run(first)).toMatchObject({ action: 'ack', outcome: 'duplicate' });
    expect(bench.newMessages()).toEqual([]);
    expect(bench.objects.stored).toEqual(before);
  });
});

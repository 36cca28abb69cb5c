import { describe, expect, test } from 'vitest';
import { stockItemKey } from '#shared/contract/item-keys.ts';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { job } from '#shared/worker/define-job.ts';
import { outboxMessage } from '#shared/worker/outbox-message.ts';
import { createStockBench } from '../../support/stock-bench.ts';
import { createWorkerBench } from '../../support/worker-bench.ts';

const isTransactionOn = (sku: string, { operation, input }: { operation: string; input: unknown }): boolean =>
  operation === 'TransactWriteItems' && JSON.stringify(input).includes(`SKU#${sku}`);
const cancelled = (...codes: string[]) => ({
  error: 'TransactionCanceledException',
  fields: { CancellationReasons: codes.map((Code) => ({ Code })) },
});

describe('adjusting stock', () => {
  test('creates the article with its first addition and takes from it afterwards', async () => {
    const stock = createStockBench();
    await stock.adjust('bolt', 'k-1', 5);
    await stock.adjust('bolt', 'k-2', -3);
    expect(await stock.poll()).toEqual({ received: 2, failed: 0 });
    expect(stock.item(stockItemKey('bolt'))).toEqual({ pk: 'SKU#bolt', sk: 'STOCK', quantity: 2, lease: 'free', version: 2, fence: 2 });
    expect(stock.waiting()).toBe(0);
  });

  test('leaves nothing on the article however often it is adjusted', async () => {
    const stock = createStockBench();
    for (let index = 0; index < 30; index++) await stock.adjust('bolt', `k-${index}`, 1);
    while (stock.waiting() > 0) await stock.poll();
    expect(Object.keys(stock.item(stockItemKey('bolt')) ?? {})).toHaveLength(6);
    expect(stock.quantity('bolt')).toBe(30);
  });

  test('takes down to nothing and not below: what is not there ends as a dead letter with its group, the next goes on', async () => {
    const stock = createStockBench();
    for (const [key, delta] of [
      ['k-1', 3],
      ['k-2', -4],
      ['k-3', -3],
      ['k-4', 1],
    ] as const)
      await stock.adjust('bolt', key, delta);
    expect(await stock.poll()).toEqual({ received: 4, failed: 0 });
    expect(stock.quantity('bolt')).toBe(1);
    expect(stock.deadLetters()).toMatchObject([{ reason: 'stock-insufficient', group: 'bolt', body: { payload: { delta: -4 } } }]);
  });

  test('of an article nobody ever added to is a shortage and creates nothing', async () => {
    const stock = createStockBench();
    await stock.adjust('bolt', 'k-1', -1);
    await stock.poll();
    expect(stock.item(stockItemKey('bolt'))).toBeUndefined();
    expect(stock.deadLetters()).toMatchObject([{ reason: 'stock-insufficient' }]);
  });

  test('happens once however many copies of the message come, in one batch or later', async () => {
    const stock = createStockBench();
    await stock.adjust('bolt', 'k-1', 5);
    const [{ body } = { body: '' }] = stock.aws.sqs.messages('stock.fifo');
    for (const copy of ['a', 'b', 'c']) stock.sendToQueue(body, 'bolt', copy);
    await stock.poll();
    stock.sendToQueue(body, 'bolt', 'd');
    expect(await stock.poll()).toEqual({ received: 1, failed: 0 });
    expect(stock.quantity('bolt')).toBe(5);
    expect(stock.logged.map(({ outcome }) => outcome)).toEqual(['committed', 'duplicate', 'duplicate', 'duplicate', 'duplicate']);
  });

  test.each([1, 2, 3])('happens once when %i answers of its commit are lost', async (lost) => {
    const stock = createStockBench();
    await stock.adjust('bolt', 'k-1', 5);
    let left = lost;
    stock.aws.fault = (call) => (isTransactionOn('bolt', call) && left-- > 0 ? 'apply-then-lose-answer' : undefined);
    await stock.poll();
    stock.aws.fault = undefined;
    stock.clock.advance(60_000);
    await stock.poll();
    expect(stock.quantity('bolt')).toBe(5);
    expect(stock.waiting()).toBe(0);
  });
});

// B23
describe('the adjustments of one article', () => {
  test('keep their order across failures while other articles go on', async () => {
    const stock = createStockBench();
    const sent = [
      ['bolt', 10],
      ['nut', 1],
      ['bolt', -7],
      ['nut', 2],
      ['bolt', -3],
      ['screw', 4],
    ] as const;
    for (const [index, [sku, delta]] of sent.entries()) await stock.adjust(sku, `k-${index}`, delta);
    stock.aws.fault = (call) => (isTransactionOn('bolt', call) ? cancelled('None', 'ThrottlingError') : undefined);
    expect(await stock.poll()).toEqual({ received: 6, failed: 3 });
    expect([stock.quantity('bolt'), stock.quantity('nut'), stock.quantity('screw')]).toEqual([undefined, 3, 4]);

    // Nothing of that group is received before the first is due again; the others' new messages are.
    await stock.adjust('bolt', 'k-6', -1);
    await stock.adjust('nut', 'k-7', 1);
    expect(await stock.poll()).toEqual({ received: 1, failed: 0 });
    stock.aws.fault = undefined;
    stock.clock.advance(8_000);
    expect(await stock.poll()).toEqual({ received: 4, failed: 0 });
    // In any other order there would have been nothing to take from.
    expect(stock.deadLetters()).toMatchObject([{ reason: 'stock-insufficient', body: { payload: { delta: -1 } } }]);
    expect(stock.quantity('bolt')).toBe(0);
  });

  test('wait for the one that runs out of attempts, and then go on without it', async () => {
    const stock = createStockBench();
    await stock.adjust('bolt', 'k-1', 10);
    await stock.adjust('bolt', 'k-2', 1);
    const isFirst = (input: unknown): boolean => JSON.stringify(input).includes('"N":"10"');
    stock.aws.fault = (call) =>
      isTransactionOn('bolt', call) && isFirst(call.input) ? { error: 'InternalServerError', status: 500 } : undefined;
    for (let rounds = 0; stock.waiting() > 0 && rounds < 20; rounds++) {
      await stock.poll();
      stock.clock.advance(900_000);
    }
    expect(stock.deadLetters()).toMatchObject([{ reason: 'attempts-spent', group: 'bolt' }]);
    expect(stock.quantity('bolt')).toBe(1);
  });

  test('are handed back together when the time runs out, untouched', async () => {
    const stock = createStockBench();
    await stock.adjust('bolt', 'k-1', 10);
    await stock.adjust('bolt', 'k-2', -10);
    expect(await stock.poll(1_000)).toEqual({ received: 2, failed: 2 });
    stock.clock.advance(1_000);
    expect(await stock.poll()).toEqual({ received: 2, failed: 0 });
    expect(stock.quantity('bolt')).toBe(0);
  });
});

describe('adjustments at the same moment', () => {
  const messageOf = (id: string, delta: number): string =>
    JSON.stringify(outboxMessage(job(adjustStock, { sku: 'bolt', adjustmentId: id, delta }), Date.parse('2026-11-30T10:00:00.000Z')));
  const deliver = (bench: ReturnType<typeof createWorkerBench>, id: string, delta: number) =>
    bench.deliver(messageOf(id, delta), { definition: adjustStock });

  test('never lose one', async () => {
    const bench = createWorkerBench();
    await Promise.all(Array.from({ length: 40 }, (_, index) => deliver(bench, `a-${index}`, index + 1)));
    expect(bench.item(stockItemKey('bolt'))).toMatchObject({ quantity: 820, version: 40 });
  });

  test('that want more than there is: one gets it, the other is tried again and then told so', async () => {
    const bench = createWorkerBench();
    await deliver(bench, 'a-0', 10);
    // Both have read before either commits.
    const both = Promise.withResolvers<void>();
    let commits = 0;
    bench.aws.fault = async ({ operation }) => {
      if (operation !== 'TransactWriteItems') return undefined;
      if (++commits === 2) both.resolve();
      await both.promise;
      return undefined;
    };
    const endings = await Promise.all([deliver(bench, 'a-1', -6), deliver(bench, 'a-2', -6)]);
    expect(endings.map(({ outcome, facts }) => [outcome, facts.code])).toEqual(
      expect.arrayContaining([
        ['committed', undefined],
        ['retry', 'guard-failed'],
      ]),
    );
    expect(bench.item(stockItemKey('bolt'))).toMatchObject({ quantity: 4 });
    bench.aws.fault = undefined;
    bench.clock.advance(8_000);
    const loser = endings[0]?.outcome === 'retry' ? 'a-1' : 'a-2';
    expect(await deliver(bench, loser, -6)).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'stock-insufficient' } });
    expect(bench.item(stockItemKey('bolt'))).toMatchObject({ quantity: 4 });
  });

  test('that meet another transaction are tried again in place', async () => {
    const bench = createWorkerBench();
    let conflicts = 2;
    bench.aws.fault = ({ operation }) =>
      operation === 'TransactWriteItems' && conflicts-- > 0 ? cancelled('None', 'TransactionConflict') : undefined;
    expect(await deliver(bench, 'a-1', 5)).toMatchObject({ outcome: 'committed' });
    expect(bench.item(stockItemKey('bolt'))).toMatchObject({ quantity: 5 });
  });

  test('by a worker that slept past its lease change nothing after its successor', async () => {
    const bench = createWorkerBench();
    const asleep = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let commits = 0;
    bench.aws.fault = async ({ operation }) => {
      if (operation !== 'TransactWriteItems' || ++commits > 1) return undefined;
      reached.resolve();
      await asleep.promise;
      return undefined;
    };
    const late = deliver(bench, 'a-1', 5);
    await reached.promise;
    bench.clock.advance(60_000);
    expect(await deliver(bench, 'a-1', 5)).toMatchObject({ outcome: 'committed', facts: { fence: 2 } });
    asleep.resolve();
    expect(await late).toMatchObject({ action: 'hand-back', outcome: 'fenced' });
    expect(bench.item(stockItemKey('bolt'))).toMatchObject({ quantity: 5, version: 1 });
  });

  test('whose change the table can never take end at once, with the stock as it was', async () => {
    const bench = createWorkerBench();
    bench.putItem({ ...stockItemKey('bolt'), quantity: 'many', lease: 'free', version: 1, fence: 1 });
    expect(await deliver(bench, 'a-1', 5)).toMatchObject({ outcome: 'dead-lettered', facts: { code: 'commit-impossible', attempt: 1 } });
    expect(bench.item(stockItemKey('bolt'))).toMatchObject({ quantity: 'many', version: 1 });
  });
});

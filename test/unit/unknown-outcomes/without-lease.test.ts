import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ItemWrite } from '#shared/item/expression.ts';
import type { ItemStore } from '#shared/item/item-store.ts';
import { createPipelineBench, type PipelineBench } from '../../support/pipeline-bench.ts';
import { customerOf } from '../../support/requests.ts';
import { USER } from '../../support/worker-bench.ts';

const MINUTE_MS = 60_000;
const ORDER = 'ord-1';
const REFERENCE = `${USER}/${ORDER}`;

/** `leaseIsFree` always passes: whoever comes gets the item, held or not. Owner and fence stay as they are. */
function withoutLease(write: ItemWrite): ItemWrite {
  const lease = Object.entries(write.names).find(([, name]) => name === 'lease')?.[0];
  if (lease === undefined) return write;
  const condition = write.condition.replace(
    `(attribute_not_exists(${lease}) OR`,
    `(attribute_exists(${lease}) OR attribute_not_exists(${lease}) OR`,
  );
  return { ...write, condition };
}

const storeWithoutLease = (store: ItemStore): ItemStore => ({
  ...store,
  write: (write) => store.write(withoutLease(write)),
  writeTogether: (writes) => store.writeTogether(writes.map(withoutLease)),
});

function benchWithoutLease(): PipelineBench {
  const bench = createPipelineBench();
  bench.overrides.store = storeWithoutLease(bench.store);
  return bench;
}

test('the switch works: a second worker gets an item that the first one holds', async () => {
  const bench = benchWithoutLease();
  const body = await bench.createOrder(ORDER);
  bench.payments.scripts.push({ hold: new Promise(() => undefined) });
  void bench.deliverNow('capture-payment', body);
  await expect.poll(() => bench.order(ORDER).lease).toBe('held');
  expect(await bench.deliverNow('capture-payment', body)).toMatchObject({ outcome: 'committed' });
});

test('without any lease five copies at once charge once, commit once, and send one receipt', async () => {
  const bench = benchWithoutLease();
  const body = await bench.createOrder(ORDER);
  await Promise.all(Array.from({ length: 5 }, () => bench.deliverNow('capture-payment', body)));
  await bench.pass(60 * MINUTE_MS);
  expect(bench.order(ORDER)).toMatchObject({ status: 'paid', version: 2 });
  expect(bench.payments.settledCaptures(REFERENCE)).toBe(1);
  expect(bench.mails).toHaveLength(1);
});

test('without any lease a frozen worker that wakes up late changes nothing', async () => {
  const bench = benchWithoutLease();
  const body = await bench.createOrder(ORDER);
  let thaw = (): void => undefined;
  bench.payments.scripts.push({ holdAnswer: new Promise((resolve) => (thaw = resolve)) });
  const frozen = bench.deliverNow('capture-payment', body);
  await expect.poll(() => bench.payments.settledCaptures(REFERENCE)).toBe(1);
  await bench.deliverNow('capture-payment', body);
  await customerOf(bench).refund(ORDER, 'r');
  await bench.pass(MINUTE_MS);
  thaw();
  expect(await frozen).toMatchObject({ outcome: 'fenced' });
  expect(bench.order(ORDER).status).toBe('refunded');
  expect(bench.payments.events.map(({ what }) => what)).toEqual(['captured', 'refunded']);
});

test('without any lease, in any order of answers: one charge, one refund, one receipt', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 5 }), fc.boolean(), async (scheduler, copies, refunds) => {
      const bench = benchWithoutLease();
      const body = await bench.createOrder(ORDER);
      bench.aws.fault = async () => void (await scheduler.schedule(Promise.resolve()));
      const runs = Promise.all(Array.from({ length: copies }, () => bench.deliverNow('capture-payment', body)));
      await scheduler.waitFor(runs);
      bench.aws.fault = undefined;
      await bench.pass(60 * MINUTE_MS);
      if (refunds) {
        await customerOf(bench).refund(ORDER, 'r');
        bench.dispatch();
        const { body: refundBody = '' } = bench.queued.find(({ kind }) => kind === 'refund-payment') ?? {};
        bench.aws.fault = async () => void (await scheduler.schedule(Promise.resolve()));
        await scheduler.waitFor(Promise.all(Array.from({ length: copies }, () => bench.deliverNow('refund-payment', refundBody))));
        bench.aws.fault = undefined;
        await bench.pass(60 * MINUTE_MS);
      }
      expect(bench.order(ORDER).status).toBe(refunds ? 'refunded' : 'paid');
      expect(bench.payments.events.map(({ what }) => what)).toEqual(refunds ? ['captured', 'refunded'] : ['captured']);
      expect(bench.mails).toHaveLength(1);
    }),
    { numRuns: 40, seed: 20261130 },
  );
}, 30_000);

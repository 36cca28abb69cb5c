import { expect, test } from 'vitest';
import { type Bill, NOTHING } from '../../cli/cost/bill.ts';
import { createOwnPipeline } from '../support/integration/own-pipeline.ts';
import { capturesOf } from '../support/integration/provider.ts';
import { createMeter } from '../support/meter/meter.ts';
import { watchClient } from '../support/meter/watch-client.ts';

/** A pipeline with a meter on every call to its table. */
async function metered() {
  const pipeline = await createOwnPipeline();
  const meter = createMeter();
  watchClient(meter, pipeline.client);
  /** So many writes of one unit each, in a request each. */
  const writes = (write: number, refusedWrites = 0): Bill => ({
    ...NOTHING,
    tables: { [pipeline.table.name]: { read: 0, write, requests: write } },
    refusedWrites,
  });
  return { pipeline, spent: meter.take, writes };
}

test('an order costs one write to accept, and one to claim and one to commit its charge; nothing is read', async () => {
  const { pipeline, spent, writes } = await metered();

  const { order } = await pipeline.accept();
  expect(spent(), 'accept').toEqual(writes(1));

  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  const { outcomes } = await pipeline.deliver([message]);
  expect(outcomes).toEqual(['committed']);
  expect(spent(), 'the worker').toEqual(writes(2));
  expect(await pipeline.order(order.userId, order.orderId)).toMatchObject({ status: 'paid', version: 2 });
});

test('a duplicate message costs one refused write and changes nothing', async () => {
  const { pipeline, spent, writes } = await metered();
  const { order } = await pipeline.accept();
  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  await pipeline.deliver([message]);
  const paid = await pipeline.order(order.userId, order.orderId);
  spent();

  const { outcomes, handedBack } = await pipeline.deliver([message]);

  expect({ outcomes, handedBack }).toEqual({ outcomes: ['duplicate'], handedBack: [] });
  expect(spent()).toEqual(writes(1, 1));
  expect(await pipeline.order(order.userId, order.orderId)).toEqual(paid);
  expect(await capturesOf(order.userId, order.orderId)).toBe(1);
});

test('a repeated POST costs one refused write and gets the order as it is now', async () => {
  const { pipeline, spent, writes } = await metered();
  const { order } = await pipeline.accept({ idempotencyKey: 'same' });
  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  await pipeline.deliver([message]);
  spent();

  const again = await pipeline.accept({ idempotencyKey: 'same', userId: order.userId });

  expect(again).toMatchObject({ status: 200, order: { orderId: order.orderId, status: 'paid' } });
  expect(spent()).toEqual(writes(1, 1));
});

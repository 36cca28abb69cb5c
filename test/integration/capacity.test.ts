import { expect, test } from 'vitest';
import { type CapacityMeter, meterCapacity } from '#shared/aws/capacity-meter.ts';
import { createOwnPipeline, type OwnPipeline } from '../support/integration/own-pipeline.ts';
import { capturesOf } from '../support/integration/provider.ts';

/** A pipeline with a meter on every call to its table. */
async function metered(): Promise<{ pipeline: OwnPipeline; spent: () => CapacityMeter }> {
  const pipeline = await createOwnPipeline();
  const meter = meterCapacity(pipeline.client);
  const spent = (): CapacityMeter => {
    const since = { ...meter };
    Object.assign(meter, { writeUnits: 0, readUnits: 0, refusedWrites: 0, roundTrips: 0 });
    return since;
  };
  return { pipeline, spent };
}

test('an order costs one write to accept, and one to claim and one to commit its charge; nothing is read', async () => {
  const { pipeline, spent } = await metered();

  const { order } = await pipeline.accept();
  expect(spent(), 'accept').toEqual({ writeUnits: 1, readUnits: 0, refusedWrites: 0, roundTrips: 1 });

  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  const { outcomes } = await pipeline.deliver([message]);
  expect(outcomes).toEqual(['committed']);
  expect(spent(), 'the worker').toEqual({ writeUnits: 2, readUnits: 0, refusedWrites: 0, roundTrips: 2 });
  expect(await pipeline.order(order.userId, order.orderId)).toMatchObject({ status: 'paid', version: 2 });
});

test('a duplicate message costs one refused write and changes nothing', async () => {
  const { pipeline, spent } = await metered();
  const { order } = await pipeline.accept();
  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  await pipeline.deliver([message]);
  const paid = await pipeline.order(order.userId, order.orderId);
  spent();

  const { outcomes, handedBack } = await pipeline.deliver([message]);

  expect({ outcomes, handedBack }).toEqual({ outcomes: ['duplicate'], handedBack: [] });
  expect(spent()).toEqual({ writeUnits: 1, readUnits: 0, refusedWrites: 1, roundTrips: 1 });
  expect(await pipeline.order(order.userId, order.orderId)).toEqual(paid);
  expect(await capturesOf(order.userId, order.orderId)).toBe(1);
});

test('a repeated POST costs one refused write and gets the order as it is now', async () => {
  const { pipeline, spent } = await metered();
  const { order } = await pipeline.accept({ idempotencyKey: 'same' });
  const [message = ''] = await pipeline.outbox(order.userId, order.orderId);
  await pipeline.deliver([message]);
  spent();

  const again = await pipeline.accept({ idempotencyKey: 'same', userId: order.userId });

  expect(again).toMatchObject({ status: 200, order: { orderId: order.orderId, status: 'paid' } });
  expect(spent()).toEqual({ writeUnits: 1, readUnits: 0, refusedWrites: 1, roundTrips: 1 });
});

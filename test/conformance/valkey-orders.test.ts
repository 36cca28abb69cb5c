import { afterAll, describe, expect, it } from 'vitest';
import { createOrderReader } from '#shared/aws/order-reader.ts';
import { createValkeyCache } from '#shared/aws/valkey-cache.ts';
import { createValkeyConnection } from '#shared/aws/valkey-connection.ts';
import { createReadThrough } from '#shared/cache/read-through.ts';
import type { OrderSource } from '#shared/cache/table-truth.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { invalidateCache } from '../../functions/invalidate-cache/handler.ts';
import { readOrder } from '../../functions/read-order/handler.ts';
import { resourceFrom } from '../../functions/read-order/resource.ts';
import { retryInvalidation } from '../../functions/retry-invalidation/handler.ts';
import { createMeter } from '../support/meter/meter.ts';
import { watchClient } from '../support/meter/watch-client.ts';
import { startValkey, until, type ValkeyServer, valkeyIsMissing } from '../support/valkey-server.ts';
import { createWorkerBench, USER } from '../support/worker-bench.ts';

/** A table that answers late, so that changes and invalidations overtake its answers. */
const slowly = (source: OrderSource): OrderSource => ({
  ...source,
  async order(userId, orderId) {
    const order = await source.order(userId, orderId);
    await clock.sleep(random.fraction() * 15);
    return order;
  },
});

/** Orders that are accepted, charged and read, with the cache of a real server between readers and table. */
function openPipeline(server: ValkeyServer) {
  const bench = createWorkerBench();
  const meter = createMeter();
  watchClient(meter, bench.client);
  const open = () => createValkeyConnection({ host: '127.0.0.1', port: server.port, tls: false });
  const [ofReaders, ofInvalidator] = [open(), open()];
  const cacheFailures: string[] = [];
  const quiet = { info: () => undefined, error: () => undefined };
  const read = readOrder({
    readThrough: createReadThrough({
      cache: createValkeyCache({ connection: ofReaders, clock, random, invalidationAttempts: 1 }),
      clock,
      ttlSeconds: 300,
      onCacheError: (operation) => void cacheFailures.push(operation),
    }),
    resource: resourceFrom(slowly(createOrderReader(bench.client, 'State')), (error) => expect.fail(String(error))),
    measure: () => ({}),
    log: quiet,
  });
  const { invalidate } = createValkeyCache({ connection: ofInvalidator, clock, random });
  const parked: string[] = [];
  const settled = new Map<string, number>();
  const noting = async (key: string): Promise<void> => {
    const orderId = key.split('/')[1] ?? '';
    const version = Number(bench.order(orderId)['version'] ?? 0);
    await invalidate(key);
    if (orderId !== '') settled.set(orderId, Math.max(version, settled.get(orderId) ?? 0));
  };
  const fromStream = invalidateCache({
    invalidate: noting,
    park: async (entries) => {
      parked.push(...entries.map(({ body }) => body));
      return { failed: [] };
    },
    answerStreamBatch: (failures) => failures,
    measure: () => ({}),
    log: quiet,
  });
  const again = retryInvalidation({ invalidate: noting, measure: () => ({}), log: quiet });
  return {
    bench,
    meter,
    parked,
    settled,
    cacheFailures,
    async get(orderId: string) {
      const { statusCode, headers, body } = await read({ rawPath: `/users/${USER}/orders/${orderId}`, requestContext: { requestId: 'r' } });
      return { statusCode, via: headers?.['cache-status'], version: Number(headers?.['x-order-version'] ?? 0), body: body ?? '' };
    },
    async stream(orderId: string, from: number, to: number) {
      const [pk, sk] = [`USER#${USER}`, orderItemKey(USER, orderId).sk];
      const image = (version: number) => ({ version: { N: String(version) } });
      const change = { Keys: { pk: { S: pk }, sk: { S: sk } }, OldImage: image(from), NewImage: image(to) };
      expect(await fromStream({ Records: [{ eventName: 'MODIFY', dynamodb: { ...change, SequenceNumber: '1' } }] })).toEqual([]);
    },
    async retryParked() {
      for (const body of parked.splice(0)) {
        const { batchItemFailures } = await again({ Records: [{ messageId: 'm', body }] });
        if (batchItemFailures.length > 0) parked.push(body);
      }
    },
    /** The order changes once more, and its stream record follows. */
    async change(orderId: string) {
      const key = orderItemKey(USER, orderId);
      const item = { ...bench.order(orderId), ...key };
      const version = Number((item as { version?: number }).version ?? 0);
      bench.putItem({ ...item, version: version + 1 });
      await this.stream(orderId, version, version + 1);
    },
    close() {
      ofReaders.close();
      ofInvalidator.close();
    },
  };
}

const promises = () => {
  let server: ValkeyServer;
  const opened: { close(): void }[] = [];
  const openWith = async () => {
    server ??= await startValkey();
    const pipeline = openPipeline(server);
    opened.push(pipeline);
    return pipeline;
  };
  afterAll(async () => {
    for (const one of opened) one.close();
    await server?.close();
  });

  it('costs an order three writes in all, its first read included, and each further read nothing', async () => {
    const { bench, meter, get, stream } = await openWith();
    const message = await bench.createOrder('ord-1');
    expect(await get('ord-1')).toMatchObject({ statusCode: 200, via: 'andal; fwd=miss; stored' });
    expect((await bench.deliver(message)).outcome).toBe('committed');
    await stream('ord-1', 1, 2);
    expect(await get('ord-1')).toMatchObject({ version: 2, via: 'andal; fwd=miss; stored' });
    const stateOf = () => meter.bill.tables['State'];
    const before = stateOf();
    for (let reads = 0; reads < 10; reads += 1) expect(await get('ord-1')).toMatchObject({ version: 2, via: 'andal; hit' });
    expect(stateOf()).toEqual(before);
    expect(before?.write).toBe(3);
    expect(meter.bill.refusedWrites).toBe(0);
  });

  it('serves nothing older than what was invalidated, and fails no read, while the server is flushed, stopped, restarted and hung', {
    timeout: 60_000,
  }, async () => {
    const pipeline = await openWith();
    const ids = ['a', 'b', 'c', 'd'].map((name) => `ord-${name}`);
    for (const id of ids) await pipeline.bench.createOrder(id);
    let isOver = false;
    const seen = { reads: 0, hits: 0 };
    const broken: unknown[] = [];
    const readers = Array.from({ length: 4 }, async (_, reader) => {
      for (let turn = reader; !isOver; turn += 1) {
        const id = ids[turn % ids.length] as string;
        const floor = pipeline.settled.get(id) ?? 0;
        const { statusCode, version, via } = await pipeline.get(id);
        if (statusCode !== 200 || version < floor) broken.push({ id, statusCode, via, version, floor });
        seen.reads += 1;
        if (via === 'andal; hit') seen.hits += 1;
        await clock.sleep(2);
      }
    });
    const writer = (async () => {
      for (let turn = 0; !isOver; turn += 1) {
        await pipeline.change(ids[turn % ids.length] as string);
        await clock.sleep(10);
      }
    })();
    const retrier = (async () => {
      while (!isOver) {
        await pipeline.retryParked();
        await clock.sleep(20);
      }
    })();
    const hitsFor = async (what: string) => {
      const before = seen.hits;
      await until(`readers hit the cache again after ${what}`, async () => seen.hits > before + 20);
    };
    await hitsFor('the start');
    await server.command('FLUSHALL');
    await hitsFor('a flush');
    await server.kill();
    await failing(pipeline);
    await server.start();
    await hitsFor('a restart');
    server.freeze();
    await failing(pipeline);
    server.thaw();
    await hitsFor('a hang');
    await server.command('CLIENT', 'PAUSE', 1_500, 'ALL');
    await failing(pipeline);
    await hitsFor('a pause');
    isOver = true;
    await Promise.all([...readers, writer, retrier]);
    await until('nothing is parked', async () => {
      await pipeline.retryParked();
      return pipeline.parked.length === 0;
    });
    for (const id of ids) expect((await pipeline.get(id)).version).toBe(pipeline.bench.order(id)['version']);
    expect(broken).toEqual([]);
    expect(seen.reads).toBeGreaterThan(200);
  });
};

/** The readers have met the failure and gone on. */
const failing = async ({ cacheFailures }: ReturnType<typeof openPipeline>): Promise<void> => {
  const before = cacheFailures.length;
  await until('readers have met the failure', async () => cacheFailures.length > before + 10);
};

if (valkeyIsMissing === undefined) describe('orders over the cache on a Valkey server', { timeout: 30_000 }, promises);
else it('is tried where a server can be had', () => console.warn(valkeyIsMissing));

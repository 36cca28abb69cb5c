import { describe, expect, it } from 'vitest';
import type { StreamRecord } from '#shared/cache/changed-keys.ts';
import { answerStreamBatch, type StreamFailureMode } from '#shared/runtime/stream-batch.ts';
import { invalidateCache } from '../../../functions/invalidate-cache/handler.ts';
import { createMemoryCache } from '../../support/memory-cache.ts';

// Cases: B42, B43, B97.

type Park = (entries: readonly { id: string; body: string }[]) => Promise<{ failed: { id: string }[] }>;

const bench = ({ failing = [], park, mode = 'report' }: { failing?: string[]; park?: Park; mode?: StreamFailureMode } = {}) => {
  const invalidated: string[] = [];
  const parked: unknown[] = [];
  const counted: number[] = [];
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const handler = invalidateCache({
    async invalidate(key) {
      if (failing.includes(key)) throw Object.assign(new Error('the cache said no'), { name: 'ThrottlingException' });
      invalidated.push(key);
    },
    async park(entries) {
      parked.push(...entries.map(({ body }) => JSON.parse(body)));
      return park === undefined ? { failed: [] } : park(entries);
    },
    answerStreamBatch: (failures) => answerStreamBatch(failures, mode),
    measure: (count) => ({ counted: counted.push(count) }),
    log: {
      info: (message, fields) => lines.push({ level: 'info', message, fields }),
      error: (message, fields) => lines.push({ level: 'error', message, fields }),
    },
  });
  return { invalidated, parked, counted, lines, handle: (...Records: StreamRecord[]) => handler({ Records }) };
};

const change = (orderId: string, version: number, sequenceNumber: string): StreamRecord => ({
  eventName: version === 1 ? 'INSERT' : 'MODIFY',
  dynamodb: {
    Keys: { pk: { S: 'USER#u-1' }, sk: { S: `ORDER#${orderId}` } },
    ...(version === 1 ? {} : { OldImage: { version: { N: String(version - 1) } } }),
    NewImage: { version: { N: String(version) }, note: { S: 'canary-note' } },
    SequenceNumber: sequenceNumber,
  },
});
const SUMMARY = 'order_summary:user:u-1';
const DONE = { batchItemFailures: [] };
const nothingParked: Park = async (entries) => ({ failed: entries.map(({ id }) => ({ id })) });

describe('invalidating the cache from the stream', () => {
  it('invalidates each changed order and each user’s summary once a batch, in one log line', async () => {
    const { handle, invalidated, parked, lines } = bench();
    expect(await handle(change('ord-1', 1, '1'), change('ord-2', 1, '2'), change('ord-1', 2, '3'))).toEqual(DONE);
    expect(invalidated.sort()).toEqual(['order:u-1/ord-1', 'order:u-1/ord-2', SUMMARY]);
    expect(parked).toEqual([]);
    expect(lines).toEqual([
      { level: 'info', message: 'cache invalidated', fields: { records: 3, invalidated: 3, keys: expect.arrayContaining(invalidated) } },
    ]);
  });

  it('parks a key that cannot be invalidated, counts it, and invalidates all others', async () => {
    const { handle, invalidated, parked, counted, lines } = bench({ failing: ['order:u-1/ord-1'] });
    expect(await handle(change('ord-1', 1, '1'), change('ord-2', 1, '2'))).toEqual(DONE);
    expect(parked).toEqual([{ key: 'order:u-1/ord-1' }]);
    expect(invalidated.sort()).toEqual(['order:u-1/ord-2', SUMMARY]);
    expect(counted).toEqual([1]);
    expect(lines).toMatchObject([{ level: 'error', fields: { parked: 1, left: 0, reasons: ['ThrottlingException'] } }]);
  });

  it('parks a record it cannot read, by its keys alone, and does the rest', async () => {
    const { handle, invalidated, parked } = bench();
    const unreadable: StreamRecord = {
      eventName: 'INSERT',
      dynamodb: { Keys: { pk: { N: '7' } }, NewImage: { note: { S: 'canary-note' } }, SequenceNumber: '1' },
    };
    expect(await handle(unreadable, change('ord-2', 1, '2'))).toEqual(DONE);
    expect(parked).toEqual([{ unreadable: { sequenceNumber: '1', keys: { pk: { N: '7' } } } }]);
    expect(invalidated).toContain('order:u-1/ord-2');
  });

  it('writes nothing a customer wrote into logs or the retry queue', async () => {
    const { handle, parked, lines } = bench({ failing: [SUMMARY], park: nothingParked });
    await handle(change('ord-1', 1, '1'));
    expect(JSON.stringify([parked, lines])).not.toContain('canary');
  });

  it('leaves to the stream only what could not be parked: the lowest sequence number that changed such a key', async () => {
    const park: Park = async (entries) => ({ failed: entries.filter(({ body }) => body.includes('ord-2')).map(({ id }) => ({ id })) });
    const { handle } = bench({ failing: ['order:u-1/ord-1', 'order:u-1/ord-2'], park });
    const answer = await handle(change('ord-1', 2, '101'), change('ord-2', 2, '102'), change('ord-1', 3, '103'), change('ord-2', 3, '104'));
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '102' }] });
  });

  it('leaves them to the stream as well when the retry queue does not answer', async () => {
    const park: Park = async () => {
      throw Object.assign(new Error('no answer'), { name: 'TimeoutError' });
    };
    const { handle, lines } = bench({ failing: [SUMMARY], park });
    expect(await handle(change('ord-1', 2, '7'), change('ord-2', 2, '9'))).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
    expect(lines).toMatchObject([{ fields: { left: 1, reasons: ['ThrottlingException', 'retry-queue-TimeoutError'] } }]);
  });

  it('throws where the mapping takes any answer as success, after doing what could be done', async () => {
    const { handle, invalidated } = bench({ failing: [SUMMARY], park: nothingParked, mode: 'throw' });
    await expect(handle(change('ord-1', 2, '7'))).rejects.toThrow('delivered again');
    expect(invalidated).toEqual(['order:u-1/ord-1']);
  });

  it('never falls behind a version already cached, and ends with the newest, when a record fails twice and the stream rewinds', async () => {
    const shard = shardWithReaders({ failsAt: { key: 'order:u-1/ord-1', version: 3, times: 2 } });
    for (const version of [1, 2, 3, 4, 5]) {
      await shard.commit('ord-1', version);
      await shard.commit('ord-2', version);
    }
    expect(shard.failuresLeft()).toBe(0);
    expect(shard.cachedVersions('order:u-1/ord-1')).toEqual([1, 2, 4, 5]);
    expect(shard.cachedVersions('order:u-1/ord-2')).toEqual([1, 2, 3, 4, 5]);
  });
});

/** One shard read as Lambda does, from the reported record on, and a reader of the changed order after every batch. */
function shardWithReaders({ failsAt }: { failsAt: { key: string; version: number; times: number } }) {
  const cache = createMemoryCache({ nowMs: () => 0 });
  const table = new Map<string, number>();
  const cached = new Map<string, number[]>();
  const log: StreamRecord[] = [];
  let position = 0;
  let failuresLeft = failsAt.times;
  const handler = invalidateCache({
    async invalidate(key) {
      if (key === failsAt.key && table.get(key) === failsAt.version && failuresLeft > 0) {
        failuresLeft -= 1;
        throw new Error('not now');
      }
      await cache.invalidate(key);
    },
    park: nothingParked,
    answerStreamBatch: (failures) => answerStreamBatch(failures, 'report'),
    measure: () => ({}),
    log: { info: () => undefined, error: () => undefined },
  });
  const read = async (key: string) => {
    const found = await cache.read(key);
    if (found.kind === 'miss' && found.token !== undefined)
      await cache.fill(key, found.token, { version: table.get(key) ?? 0, value: null }, 60);
    const versions = cached.get(key) ?? [];
    const version = cache.peek(key)?.version ?? 0;
    if (versions.at(-1) !== version) versions.push(version);
    cached.set(key, versions);
  };
  return {
    failuresLeft: () => failuresLeft,
    cachedVersions: (key: string) => cached.get(key),
    async commit(orderId: string, version: number) {
      table.set(`order:u-1/${orderId}`, version);
      log.push(change(orderId, version, String(log.length + 1)));
      const { batchItemFailures } = await handler({ Records: log.slice(position) });
      const failed = batchItemFailures[0]?.itemIdentifier;
      position = failed === undefined ? log.length : Number(failed) - 1;
      for (const key of table.keys()) await read(key);
    },
  };
}

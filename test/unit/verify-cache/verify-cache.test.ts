import { beforeEach, describe, expect, it } from 'vitest';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { METRICS } from '#shared/contract/metric-names.ts';
import type { Measured } from '#shared/runtime/metrics.ts';
import { type System, system } from '#shared/runtime/system.ts';
import { wire } from '../../../functions/verify-cache/wire.ts';
import { plainTable, stateTable } from '../../support/fake-aws/project-tables.ts';
import { createFakeAws } from '../../support/fake-aws/request-handler.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const LAG_MS = 60_000;
const KEY = 'order:u-1/ord-gone';

/** The function as it is wired, over tables in memory; `meanwhile` happens between its two looks. */
function bench() {
  const clock = createVirtualClock();
  const aws = createFakeAws({ now: clock.nowMs });
  aws.dynamodb.createTable(stateTable('State'));
  aws.dynamodb.createTable(plainTable('Cache', ['key']));
  const { region, credentials, signer } = aws.clientConfig;
  const lines: { level: string; message: string; fields: Record<string, unknown> }[] = [];
  const counted: Measured['values'][] = [];
  const slept: number[] = [];
  let tokens = 0;
  const world = { meanwhile: (): void => undefined };
  const handler = wire({
    ...system,
    environment: { STATE_TABLE: 'State', CACHE_TABLE: 'Cache', TIME_SCALE: '1' },
    clock: {
      nowMs: clock.nowMs,
      async sleep(durationMs) {
        slept.push(durationMs);
        await clock.sleep(durationMs);
        world.meanwhile();
      },
    },
    random: { fraction: () => 0, token: () => `token-${++tokens}` },
    sdk: { createRequestHandler: () => aws.requestHandler, config: { region, credentials, signer } } as System['sdk'],
    createLogger: () =>
      Object.fromEntries(
        ['debug', 'info', 'warn', 'error'].map((level) => [
          level,
          (message: string, fields: Record<string, unknown>) => void lines.push({ level, message, fields }),
        ]),
      ) as never,
    createMetrics: () => (measured) => {
      counted.push(measured.values);
      return {};
    },
  });
  return {
    aws,
    handler,
    lines,
    counted,
    slept,
    world,
    cached: (): number => [...aws.dynamodb.items('Cache')].length,
    put(key: string, version = 1, livesMs = 10 * LAG_MS): void {
      const expiresAtMs = clock.nowMs() + livesMs;
      const Item = toAttributeValues({ key, value: '{}', version, expiresAtMs, expiresAt: Math.ceil(expiresAtMs / 1000) });
      aws.dynamodb.handle('PutItem', { TableName: 'Cache', Item: Item as never });
    },
    drop: (key: string): void => void aws.dynamodb.handle('DeleteItem', { TableName: 'Cache', Key: { key: { S: key } } }),
  };
}

describe('a run of verify-cache', () => {
  let now: ReturnType<typeof bench>;
  beforeEach(() => {
    now = bench();
  });

  it('over an empty cache compares nothing and waits for nothing', async () => {
    await now.handler();
    expect(now.counted).toEqual([{ [METRICS.cacheVerified]: 0, [METRICS.cacheMismatch]: 0 }]);
    expect(now.slept).toEqual([]);
  });

  it('counts a value that is still wrong a minute later, and takes it out, in one line', async () => {
    now.put(KEY);
    await now.handler();
    expect(now.slept).toEqual([LAG_MS]);
    expect(now.counted).toEqual([{ [METRICS.cacheVerified]: 1, [METRICS.cacheMismatch]: 1 }]);
    expect(now.lines).toMatchObject([{ level: 'error', fields: { mismatches: [{ key: KEY, mismatch: 'stale' }], repaired: 1 } }]);
    expect(now.cached()).toBe(0);
  });

  it.each<[string, (bench_: ReturnType<typeof bench>) => void, number]>([
    ['is invalidated', ({ drop }) => drop(KEY), 0],
    ['is filled anew', ({ put }) => put(KEY, 2), 1],
  ])('leaves alone what differs and %s within the minute: the stream was late', async (_, meanwhile, left) => {
    now.put(KEY);
    now.world.meanwhile = () => meanwhile(now);
    await now.handler();
    expect(now.counted).toEqual([{ [METRICS.cacheVerified]: 1, [METRICS.cacheMismatch]: 0 }]);
    expect(now.lines).toMatchObject([{ level: 'info', fields: { caughtUp: 1 } }]);
    expect(now.cached()).toBe(left);
  });

  it('leaves alone what runs out within the minute', async () => {
    now.put(KEY, 1, LAG_MS - 1);
    await now.handler();
    expect(now.counted).toEqual([{ [METRICS.cacheVerified]: 1, [METRICS.cacheMismatch]: 0 }]);
  });

  it('looks at each row of a small cache once, and at no more than a hundred rows of a large one', async () => {
    for (let index = 0; index < 7; index++) now.put(`order:u-1/ord-${index}`);
    await now.handler();
    expect(now.lines[0]?.fields).toMatchObject({ looked: 7 });
    for (let index = 0; index < 300; index++) now.put(`order:u-1/ord-${index}`);
    await now.handler();
    expect(Number(now.lines[1]?.fields['looked'])).toBe(100);
  });
});

import { connect, createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createValkeyCache } from '#shared/aws/valkey-cache.ts';
import { createValkeyConnection, type ValkeyAddress } from '#shared/aws/valkey-connection.ts';
import type { CachePort } from '#shared/cache/cache-port.ts';
import { CACHE_ACCESS } from '#shared/contract/cache-access.ts';
import { StatedError } from '#shared/contract/stated-error.ts';
import { systemClock as clock } from '#shared/runtime/clock.ts';
import { systemRandom as random } from '#shared/runtime/random.ts';
import { startValkey, until, type ValkeyServer, valkeyIsMissing } from '../support/valkey-server.ts';

// Case: B47, on a server that fails.

const KEY = 'order:u-1/ord-1';
const v1 = { version: 1, value: { status: 'pending_payment' } };
const v2 = { version: 2, value: { status: 'paid' } };
const TTL_SECONDS = 60;
/** Two tries at opening and a limit; far less than what a client waits for an answer. */
const BOUND_MS = 2_500;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const serve = async (...options: Parameters<typeof startValkey>): Promise<ValkeyServer> => {
  const server = await startValkey(...options);
  closing.push(() => server.close());
  return server;
};

function cacheOn(port: number, address: Partial<ValkeyAddress> = {}): CachePort {
  const connection = createValkeyConnection({ host: '127.0.0.1', port, tls: false, ...address });
  closing.push(() => connection.close());
  return createValkeyCache({ connection, clock, random });
}

async function tokenFor(cache: CachePort, key = KEY): Promise<string> {
  const found = await cache.read(key);
  if (found.kind !== 'miss' || found.token === undefined) throw new Error(`no token, but ${JSON.stringify(found)}`);
  return found.token;
}

async function store(cache: CachePort, key = KEY): Promise<void> {
  expect(await cache.fill(key, await tokenFor(cache, key), v1, TTL_SECONDS)).toBe(true);
}

/** Reads until the cache answers again. */
async function recovered(cache: CachePort, key = KEY) {
  let found: Awaited<ReturnType<CachePort['read']>> | undefined;
  await until('the cache answers again', async () => {
    found = await cache.read(key);
    return true;
  });
  return found;
}

async function failure(call: Promise<unknown>): Promise<Error> {
  const startedMs = Date.now();
  const error = await call.then(
    (answer) => expect.fail(`it answered ${JSON.stringify(answer)}`),
    (thrown: Error) => thrown,
  );
  expect(error).toBeInstanceOf(StatedError);
  expect(Date.now() - startedMs).toBeLessThan(BOUND_MS);
  return error;
}

const promises = () => {
  it('forgets values and tokens with a flush: the next reader loads, and no token of before fills', async () => {
    const server = await serve();
    const cache = cacheOn(server.port);
    const token = await tokenFor(cache);
    await server.command('FLUSHALL');
    expect(await cache.fill(KEY, token, v1, TTL_SECONDS)).toBe(false);
    await store(cache);
  });

  it('fails soon while the server is gone, in one sentence, and goes on with an empty one', async () => {
    const server = await serve();
    const cache = cacheOn(server.port);
    await store(cache);
    await server.kill();
    expect((await failure(cache.read(KEY))).message).toMatch(/cannot be reached.*docs\/real-parts\.md/);
    await failure(cache.invalidate(KEY));
    await server.start();
    expect(await recovered(cache)).toMatchObject({ kind: 'miss' });
  });

  it('waits a limited time for a server that hangs, and then leaves it alone', async () => {
    const server = await serve();
    const cache = cacheOn(server.port);
    await store(cache);
    server.freeze();
    expect((await failure(cache.read(KEY))).message).toMatch(/did not answer in time/);
    await failure(cache.read(KEY));
    const startedMs = Date.now();
    for (let reads = 0; reads < 20; reads += 1) expect((await failure(cache.read(KEY))).message).toMatch(/left alone/);
    expect(Date.now() - startedMs).toBeLessThan(200);
    server.thaw();
    expect(await recovered(cache)).toEqual({ kind: 'hit', entry: v1 });
  });

  it('acknowledges no invalidation that the server did not carry out', async () => {
    const server = await serve();
    const cache = cacheOn(server.port);
    await store(cache);
    await server.command('CLIENT', 'PAUSE', 5_000, 'WRITE');
    const error = await cache.invalidate(KEY).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(StatedError);
    await server.command('CLIENT', 'UNPAUSE');
    await cache.invalidate(KEY);
    await tokenFor(cache);
  });

  it('serves nothing that a restart brought back from a file older than an invalidation', async () => {
    const server = await serve();
    const cache = cacheOn(server.port);
    await store(cache);
    await server.command('SAVE');
    await cache.invalidate(KEY);
    await server.kill();
    await server.start();
    expect(String(await server.command('GET', KEY))).toContain('pending_payment');
    const found = await recovered(cache);
    expect(found).toMatchObject({ kind: 'miss', token: expect.any(String) });
    expect(await cache.fill(KEY, (found as { token: string }).token, v2, TTL_SECONDS)).toBe(true);
    expect(await cache.read(KEY)).toEqual({ kind: 'hit', entry: v2 });
  });

  it.each(['value', 'token'])(
    'counts for nothing, after a failover, the %s whose invalidation the promoted replica never got',
    async (what) => {
      const primary = await serve();
      const replica = await replicaOf(primary);
      const before = cacheOn(primary.port);
      const token = await tokenFor(before);
      if (what === 'value') expect(await before.fill(KEY, token, v1, TTL_SECONDS)).toBe(true);
      const marker = what === 'value' ? 'pending_payment' : token;
      await until('the replica has the row', async () => (await rowOn(replica)).includes(marker));

      // Its connection is cut, too, or it would find the invalidation waiting there.
      replica.freeze();
      await primary.command('CLIENT', 'KILL', 'TYPE', 'replica');
      await before.invalidate(KEY);
      await primary.kill();
      replica.thaw();
      await until('the replica is promoted', async () => {
        await replica.command('CLUSTER', 'FAILOVER', 'TAKEOVER').catch(() => undefined);
        return /role:master/.test(String(await replica.command('INFO', 'replication')));
      });

      const after = cacheOn(replica.port);
      expect(await rowOn(replica)).toContain(marker);
      expect(await recoveredFill(after, token)).toBe(false);
      expect(await after.read(KEY)).toMatchObject({ kind: 'miss', token: expect.any(String) });
    },
  );

  it('follows a key to the node that has its slot, at once and after the slots moved', async () => {
    const [low, high] = [await serve({ slots: [0, 8_191] }), await serve({ slots: [8_192, 16_383] })];
    await low.command('CLUSTER', 'MEET', '127.0.0.1', high.port, await busPortOf(high));
    for (const node of [low, high])
      await until('both nodes know all slots', async () => /cluster_slots_ok:16384/.test(String(await node.command('CLUSTER', 'INFO'))));
    const cache = cacheOn(low.port);
    const keys = Array.from({ length: 20 }, (_, index) => `order:u-1/ord-${index}`);
    for (const key of keys) await store(cache, key);
    const on = async (node: ValkeyServer) => Number(await node.command('DBSIZE'));
    expect(await on(low)).toBeGreaterThan(0);
    expect(await on(high)).toBeGreaterThan(0);
    expect((await on(low)) + (await on(high))).toBe(keys.length);

    const slot = Number(await low.command('CLUSTER', 'KEYSLOT', KEY));
    const [from, to] = slot < 8_192 ? [low, high] : [high, low];
    const [source, target] = [String(await from.command('CLUSTER', 'MYID')), String(await to.command('CLUSTER', 'MYID'))];
    await to.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source);
    await from.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target);
    await from.command('MIGRATE', '127.0.0.1', to.port, KEY, 0, 1_000);
    // Half moved: the old node asks to look at the new one. Another server tells another era, so the row is loaded anew.
    await store(cache);
    expect(await cache.read(KEY)).toEqual({ kind: 'hit', entry: v1 });
    for (const node of [to, from]) await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', target);

    expect(await cache.read(KEY)).toEqual({ kind: 'hit', entry: v1 });
    await cache.invalidate(KEY);
    await tokenFor(cache);
  });

  it('needs no more than the access string grants, and says what is missing', async () => {
    const server = await serve();
    await server.command('ACL', 'SETUSER', 'reader', '>secret', ...CACHE_ACCESS.split(' '));
    const login = (password: string) => ({ login: async () => ({ username: 'reader', password }) });
    const cache = cacheOn(server.port, login('secret'));
    await store(cache);
    expect(await cache.read(KEY)).toEqual({ kind: 'hit', entry: v1 });
    await cache.invalidate(KEY);
    expect((await failure(cache.read('session:u-1'))).message).toMatch(/forbids this function a command or a key/);
    expect((await failure(cacheOn(server.port, login('guessed')).read(KEY))).message).toMatch(/does not let this function in/);
  });

  it('sends a token write and a fill once, whatever happens to the connection', async () => {
    const relay = await openRelay();
    const server = await serve({ options: ['--cluster-announce-port', String(relay.port)] });
    relay.to(server.port);
    const cache = cacheOn(relay.port);
    const token = await tokenFor(cache);
    await server.command('CONFIG', 'RESETSTAT');
    relay.loseNextAnswer();
    await failure(cache.fill(KEY, token, v1, TTL_SECONDS));
    expect(await recovered(cache)).toEqual({ kind: 'hit', entry: v1 });
    expect(String(await server.command('INFO', 'commandstats'))).toMatch(/cmdstat_eval:calls=2,/);
  });
};

if (valkeyIsMissing === undefined) describe('the cache on a Valkey server', { timeout: 30_000 }, promises);
else it('is tried where a server can be had', () => console.warn(valkeyIsMissing));

const busPortOf = async (server: ValkeyServer): Promise<number> =>
  Number(/@(\d+)/.exec(String(await server.command('CLUSTER', 'NODES')))?.[1]);

const rowOn = async (node: ValkeyServer): Promise<string> => node.read(KEY);

const recoveredFill = async (cache: CachePort, token: string): Promise<boolean> => {
  let stored: boolean | undefined;
  await until('the cluster takes writes', async () => {
    stored = await cache.fill(KEY, token, v1, TTL_SECONDS);
    return true;
  });
  return stored === true;
};

async function replicaOf(primary: ValkeyServer): Promise<ValkeyServer> {
  const replica = await serve({ slots: undefined });
  const [id, busPort] = [String(await primary.command('CLUSTER', 'MYID')), await busPortOf(primary)];
  await until('the replica follows', async () => {
    if (!String(await replica.command('CLUSTER', 'NODES')).includes(id))
      await replica.command('CLUSTER', 'MEET', '127.0.0.1', primary.port, busPort);
    await replica.command('CLUSTER', 'REPLICATE', id);
    return true;
  });
  await until('the replica is in step', async () => /master_link_status:up/.test(String(await replica.command('INFO', 'replication'))));
  return replica;
}

/** Passes bytes on in both directions, or lets one request through and breaks its connection instead of answering. */
async function openRelay() {
  let target = 0;
  let isLosing = false;
  const server = createServer((client: Socket) => {
    const upstream = connect(target, '127.0.0.1');
    client
      .on('data', (data) => upstream.write(data))
      .on('close', () => upstream.destroy())
      .on('error', () => undefined);
    upstream
      .on('data', (data) => {
        if (isLosing) client.destroy();
        else client.write(data);
        isLosing = false;
      })
      .on('close', () => client.destroy())
      .on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return {
    port: (server.address() as { port: number }).port,
    to(port: number) {
      target = port;
    },
    loseNextAnswer() {
      isLosing = true;
    },
  };
}

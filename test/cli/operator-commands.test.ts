import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { type FakeAccount, openFakeAccount } from '../support/fake-account.ts';

/** The real command line as a process of its own, over real HTTP, in an account in memory. */
let account: FakeAccount;
beforeAll(async () => {
  account = await openFakeAccount();
});
afterAll(() => account.close());

const LONG = { timeout: 40_000 };
const cli = (text: string) => account.cli(text.split(' '));
const cached = (key: string, version: number, value: unknown): void => {
  const item = { key, version, value: JSON.stringify(value), expiresAtMs: Date.now() + 60_000, expiresAt: 4_000_000_000 };
  account.aws.dynamodb.handle('PutItem', { TableName: 'Cache', Item: toAttributeValues(item) });
};

describe('andal cache verify', LONG, () => {
  it('finds nothing wrong in an empty cache', async () => {
    const { code, json } = await cli('cache verify --json');
    expect({ code, json }).toMatchObject({ code: 0, json: { looked: 0, mismatches: [], repaired: null } });
  });

  it('ends with 1 for a value that is wrong for longer than the stream lags, and takes it out when asked to', async () => {
    const order = newOrder('u-1', 'o-1', { amountMinor: 5, currency: 'EUR' }, Date.now());
    account.putItem({ pk: 'USER#u-1', sk: 'ORDER#o-1', ...order, version: 2, lease: 'free', fence: 1 });
    cached('order:u-1/o-1', 1, { any: 'thing' });
    const found = await cli('cache verify --all --lag 1s');
    expect(found.code).toBe(1);
    expect(found.stdout).toMatch(/order:u-1\/o-1 +1 +2 +older than the table[\s\S]*cache verify --all --repair/);
    const repaired = await cli('cache verify --all --lag 1s --repair --json');
    expect(repaired).toMatchObject({
      code: 0,
      json: { mismatches: [{ key: 'order:u-1/o-1', mismatch: 'stale' }], repaired: ['order:u-1/o-1'] },
    });
    expect(account.aws.dynamodb.items('Cache')).toEqual([]);
    expect((await cli('audit --what cache-repair --json')).json.entries).toMatchObject([{ outcome: 'invalidated 1 of 1' }]);
  });

  it('takes a sample or all', async () => {
    const { code, json } = await cli('cache verify --all --sample 5 --json');
    expect({ code, json }).toMatchObject({ code: 2, json: { code: 'wrong-usage' } });
  });
});

describe('andal pause and resume', LONG, () => {
  it('are told by status, and by themselves what comes next', async () => {
    const paused = await cli('pause send-receipt --reason maintenance');
    expect(paused).toMatchObject({ code: 0, stdout: expect.stringContaining('Paused send-receipt.') });
    const status = await cli('status --json');
    expect(status.json.heldBack.paused).toMatchObject([{ kind: 'send-receipt', pause: { reason: 'maintenance' } }]);
    expect((await cli('status')).stdout).toContain('Paused: send-receipt since');
    expect(await cli('resume send-receipt --json')).toMatchObject({ code: 0, json: { kind: 'send-receipt', wasPaused: true } });
  });

  it('write what they are about to do before they do it', async () => {
    const isEntry = ({ operation, input }: { operation: string; input: { Item?: { acts?: unknown } } }) =>
      operation === 'PutItem' && input.Item?.acts !== undefined;
    const from = account.aws.calls.length;
    await cli('pause export-orders --reason migration');
    const writes = account.aws.calls.slice(from).filter(({ operation }) => operation === 'PutItem');
    expect(writes.map(isEntry)).toEqual([true, false]);
    await cli('resume export-orders');
    const { stdout } = await cli('audit');
    expect(stdout).toMatch(/pause {2}export-orders {2}\(migration\) {2}→ paused\n/);
    expect(stdout).toMatch(/resume {2}export-orders {2}\(no reason given\) {2}→ resumed\n/);
  });

  it('do nothing when the audit cannot be written, and say so', async () => {
    account.aws.fault = ({ operation, input }) =>
      (operation === 'UpdateItem' && String(input.Key?.id?.S).startsWith('audit:') ? { error: 'ThrottlingException' } : undefined) as never;
    try {
      expect((await cli('pause adjust-stock')).code).toBe(1);
    } finally {
      account.aws.fault = undefined;
    }
    expect((await cli('status --json')).json.heldBack.paused).toEqual([]);
  });
});

describe('andal status', LONG, () => {
  it('shows letters with their age, and the lag', async () => {
    account.putLetter('capture-payment', '{}', { reason: 'malformed' });
    const { code, json } = await cli('status --json');
    expect(code).toBe(0);
    expect(json.queues[0]).toMatchObject({ name: 'capture-payment', deadLetters: 1, oldestLetterAtMs: expect.any(Number) });
    expect(json.lag).toMatchObject({ count: 1, oldestAtMs: expect.any(Number) });
    expect((await cli('status')).stdout).toMatch(/capture-payment +0 +0 +0 +1 +\d+ s[\s\S]*Lag: 1 order has not ended/);
  });

  it('watches until Ctrl-C, which is its end and no failure, and prints a line a change', async () => {
    const looks = (): number => account.aws.calls.filter(({ operation }) => operation === 'Scan').length;
    const looksBy = (count: number) => expect.poll(looks, { timeout: 15_000 }).toBeGreaterThan(count);
    const before = looks();
    const run = account.start(['status', '--watch', '--every', '1s']);
    await looksBy(before + 1);
    account.putLetter('capture-payment', '{}', { reason: 'malformed' });
    await looksBy(looks() + 1);
    run.kill('SIGINT');
    expect((await run.ended).code).toBe(0);
    const said = (await run.ended).stdout.trim().split('\n');
    expect(said.map((line) => /dead (\d)/.exec(line)?.[1])).toEqual(['1', '2']);
  });
});

describe('andal audit', LONG, () => {
  it('refuses an act there is none of, and names those there are', async () => {
    const { code, stderr } = await cli('audit --what zzz');
    expect(code).toBe(2);
    expect(stderr).toMatch(/replay, discard, restore, pause, resume, sweep, cache-repair/);
  });

  it('ends with 3 where no entry matches, and is a document all the same', async () => {
    expect(await cli('audit --day 2020-01-01 --json')).toMatchObject({ code: 3, json: { entries: [] } });
    expect(await cli('audit --day 2020-02-30')).toMatchObject({ code: 2, stderr: expect.stringContaining('yyyy-mm-dd') });
  });
});

describe('andal completion', LONG, () => {
  it('prints a script, and needs no deployment for it', async () => {
    const { code, stdout } = await account.cli(['completion', 'bash'], { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(0);
    expect(stdout).toContain('complete -F _andal andal');
    expect(await cli('completion csh')).toMatchObject({ code: 2 });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { jobOutputs, STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { captureBody, discardedOrder, type FakeAccount, openFakeAccount } from '../support/fake-account.ts';

// The command line as a person or a script meets it: a process of its own, over HTTP.
vi.setConfig({ testTimeout: 60_000 });

let account: FakeAccount;
beforeEach(async () => {
  account = await openFakeAccount();
});
afterEach(() => account.close());

/** A capture that was given up, and its letter. @returns the letter's id */
function givenUp(orderId: string, changed: Record<string, unknown> = {}, reason = 'attempts-spent'): string {
  account.putItem(discardedOrder('u-1', orderId, changed));
  return account.putLetter('capture-payment', captureBody('u-1', orderId), { reason, attempts: 6 });
}
const COMPLETED = { 'op:capture:1': { ...(discardedOrder('u', 'o')['op:capture:1'] as object), status: 'completed' }, status: 'paid' };

it('says without a command what commands there are', async () => {
  const { code, stdout } = await account.cli(['dlq', '--help']);
  expect(code).toBe(0);
  for (const word of ['list', 'inspect', 'replay', 'discard', 'restore']) expect(stdout).toContain(word);
});

describe('dlq list', () => {
  it('counts and groups letters of every queue, oldest first, and disturbs none', async () => {
    for (const orderId of ['o-1', 'o-2']) givenUp(orderId);
    account.putLetter('send-receipt', 'not json', { reason: 'malformed', detail: 'not JSON' });
    account.putLetter('outbox-failed', '{"message":{}}');
    const { code, json } = await account.cli(['dlq', 'list', '--json']);
    expect(code).toBe(0);
    expect(json).toMatchObject({ stage: 'local', filtered: false, matched: 4 });
    expect(json.queues.map(({ name, matched }: { name: string; matched: number }) => [name, matched])).toEqual([
      ['capture-payment', 2],
      ['refund-payment', 0],
      ['send-receipt', 1],
      ['export-orders', 0],
      ['adjust-stock', 0],
      ['outbox-failed', 1],
      ['invalidation-retry', 0],
    ]);
    expect(json.queues[0].groups).toMatchObject([{ reason: 'attempts-spent', count: 2, example: { key: 'capture:u-1/o-1:1' } }]);
    expect(account.letters('capture-payment').every(({ visibleAtMs }) => visibleAtMs <= Date.now())).toBe(true);
  });

  it('is a table without colours where nobody looks, and names the next step', async () => {
    givenUp('o-1');
    const { stdout } = await account.cli(['dlq', 'list']);
    expect(stdout).toMatch(/capture-payment +1 +0 /);
    expect(stdout).toMatch(/[0-9a-f]{12} +1 +capture-payment +attempts-spent/);
    expect(stdout).toMatch(/npm run andal -- dlq inspect --fingerprint [0-9a-f]{12}/);
    expect(stdout).not.toContain('\u001b[');
  });

  // B28
  it('says when SQS deletes the oldest letter: an old message that SQS moved has less time left than its queue keeps letters', async () => {
    account.nowMs = () => Date.now() - 13 * 86_400_000;
    account.putLetter('capture-payment', captureBody('u-1', 'o-1'));
    account.nowMs = Date.now;
    const { json, stdout } = await account.cli(['dlq', 'list', '--json']);
    expect(stdout).not.toContain('u-1/o-1"}');
    expect(json.queues[0].oldest.leftMs).toBeLessThan(86_400_000);
  });

  it('exits 3 where nothing matches, and 4 where a queue is gone and the others are told of', async () => {
    givenUp('o-1');
    expect((await account.cli(['dlq', 'list', '--cause', 'malformed'])).code).toBe(3);
    account.outputs[jobOutputs('send-receipt').deadLetterQueueUrl] += '-gone';
    const { code, stdout } = await account.cli(['dlq', 'list']);
    expect(code).toBe(4);
    expect(stdout).toContain('does not exist any more');
    expect(stdout).toMatch(/capture-payment +1/);
  });

  it('never calls a queue empty that is not there', async () => {
    account.outputs[jobOutputs('send-receipt').deadLetterQueueUrl] += '-gone';
    const one = await account.cli(['dlq', 'list', '--kind', 'send-receipt']);
    expect(one.code).toBe(1);
    expect(one.stdout).toContain('The dead-letter queue of send-receipt');
    expect(one.stdout).not.toMatch(/No dead letters|No letter/);
    expect((await account.cli(['dlq', 'list'])).stdout).toContain('No dead letters in the other queues.');
  });

  it('tells in a table the essence of what a validator says', async () => {
    account.putLetter('capture-payment', '{"kind":7,"version":"x"}');
    const { stdout, json } = await account
      .cli(['dlq', 'list'])
      .then(async (text) => ({ ...text, json: (await account.cli(['dlq', 'list', '--json'])).json }));
    expect(stdout).toMatch(/no-reason: \d fields do not fit: kind, version/);
    expect(json.queues[0].groups[0].detail).toContain('Invalid input');
  });
});

describe('dlq inspect', () => {
  it('joins letter, item, provider and cache, says what a replay would do, and covers the payload', async () => {
    const id = givenUp('o-1');
    account.provider.set('pi-o-1-1', { status: 'captured', captureId: 'c-1', amountMinor: 1250, currency: 'EUR' });
    const { code, json, stdout } = await account.cli(['dlq', 'inspect', id.slice(0, 35), '--json']);
    expect(code).toBe(0);
    expect(json.letters).toHaveLength(1);
    expect(json.letters[0]).toMatchObject({
      letter: { messageId: id, queue: 'capture-payment', key: 'capture:u-1/o-1:1', body: { payload: { orderId: '•••' } } },
      why: { reason: 'attempts-spent', attempts: 6 },
      item: { status: 'pending_payment', operation: { name: 'capture:1', standing: 'discarded' } },
      provider: { asked: true, answer: { status: 'captured' } },
      cache: { state: 'none' },
      before: [],
      replay: { act: 'rearm-and-send' },
      discard: { act: 'discard' },
    });
    expect(stdout).not.toContain('Neighbour');
    expect(account.asked.some((path) => path.endsWith('/void'))).toBe(false);
  });

  it('foresees that a letter whose money was taken may not be discarded, and says what to do instead', async () => {
    const id = givenUp('o-1', { 'sent:capture:1': 6 });
    account.provider.set('pi-o-1-1', { status: 'captured', captureId: 'c-1', amountMinor: 1250, currency: 'EUR' });
    const { stdout } = await account.cli(['dlq', 'inspect', id]);
    expect(stdout).toContain('refused, charged-at-provider');
    expect(stdout).toContain(`npm run andal -- dlq replay ${id}`);
    expect(stdout).toContain('12.50 EUR');
  });

  it('says of letters that a replay would bring back for nothing, before and after', async () => {
    givenUp('o-1', {}, 'captured-amount-differs');
    const planned = await account.cli(['dlq', 'replay', '--all', '--dry-run']);
    expect(planned.stdout).toContain('captured-amount-differs: It would find the same amount again.');
    const run = await account.cli(['dlq', 'replay', '--all', '--yes', '--json']);
    expect(run).toMatchObject({ code: 0, json: { done: 1, futile: ['captured-amount-differs'] } });
  });

  it('offers no replay that would only find the same again', async () => {
    const id = givenUp('o-1', {}, 'captured-amount-differs');
    const { stdout } = await account.cli(['dlq', 'inspect', id]);
    expect(stdout).toMatch(/Replay +of no use: It would find the same amount again\./);
    expect(stdout).not.toContain('dlq replay');
    expect((await account.cli(['dlq', 'inspect', id, '--json'])).json.letters[0].replay.helps).toBe(false);
  });

  it('closes nothing at the provider, although a discard would', async () => {
    const id = givenUp('o-1', { 'sent:capture:1': 1 });
    for (const args of [
      ['inspect', id],
      ['discard', '--all', '--dry-run', '--reason', 'x'],
    ]) {
      expect((await account.cli(['dlq', ...args])).code).toBe(0);
      expect(account.asked.length).toBeGreaterThan(0);
      expect(account.asked.filter((path) => path.endsWith('/void'))).toEqual([]);
    }
  });

  it('shows a body only when it is asked for, and a silent provider as one', async () => {
    givenUp('o-1', { 'sent:capture:1': 1 });
    account.provider.set('pi-o-1-1', 'silent');
    const { json } = await account.cli(['dlq', 'inspect', '--key', 'u-1/o-1', '--show-payload', '--json']);
    expect(JSON.parse(json.letters[0].letter.body)).toMatchObject({ payload: { userId: 'u-1', orderId: 'o-1', attempt: 1 } });
    expect(json.letters[0]).toMatchObject({
      provider: { answer: { status: 'unanswered' } },
      discard: { act: 'refuse', code: 'provider-unanswered' },
    });
  });

  it('shows what people did about it before', async () => {
    const id = givenUp('o-1');
    await account.cli(['dlq', 'replay', id, '--reason', 'provider is back']);
    givenUp('o-1');
    const { json } = await account.cli(['dlq', 'inspect', '--key', 'u-1/o-1', '--json']);
    expect(json.letters[0].before).toMatchObject([
      { what: 'replay', why: 'provider is back', outcome: expect.stringContaining('replayed') },
    ]);
  });

  it('exits 3 where there is no such letter', async () => {
    const { code, json } = await account.cli(['dlq', 'inspect', '7d0c41c2', '--json']);
    expect({ code, exit: json.exitCode, what: json.code }).toEqual({ code: 3, exit: 3, what: 'nothing-found' });
  });
});

describe('dlq replay', () => {
  it('sends the untouched body back, opens the operation again, and writes down who did it and why', async () => {
    const id = givenUp('o-1');
    const body = account.letters('capture-payment')[0]?.body;
    const { code, json } = await account.cli(['dlq', 'replay', id, '--reason', 'provider is back', '--json']);
    expect(code).toBe(0);
    expect(json).toMatchObject({ act: 'replay', dryRun: false, done: 1, refused: [], failed: [], interrupted: false, stillThere: 0 });
    expect(account.letters('capture-payment')).toHaveLength(0);
    expect(account.messages('capture-payment').map((message) => message.body)).toEqual([body]);
    expect(account.item('USER#u-1', 'ORDER#o-1')?.['op:capture:1']).toBeUndefined();
    expect(account.audit()).toMatchObject([
      { what: 'replay', why: 'provider is back', key: 'capture:u-1/o-1:1', outcome: expect.stringContaining('replayed') },
    ]);
  });

  it('shows with --dry-run where letters would go, and does nothing', async () => {
    givenUp('o-1');
    givenUp('o-2', COMPLETED);
    const { code, json } = await account.cli(['dlq', 'replay', '--all', '--dry-run', '--json']);
    expect(code).toBe(0);
    expect(json).toMatchObject({ dryRun: true, matched: 2, refused: 1 });
    expect(json.groups).toMatchObject([
      { act: 'replay', to: expect.stringMatching(/capture-payment$/), code: null },
      { act: 'refuse', code: 'already-completed' },
    ]);
    expect(account.messages('capture-payment')).toHaveLength(0);
    expect(account.audit()).toEqual([]);
  });

  it('takes what its filters mean together and leaves the others', async () => {
    givenUp('o-1');
    givenUp('o-2');
    account.putLetter('capture-payment', captureBody('u-1', 'o-3'), { reason: 'order-not-found' });
    const { code, json } = await account.cli([
      'dlq',
      'replay',
      '--kind',
      'capture-payment',
      '--cause',
      'attempts-spent',
      '--key',
      'u-1/o-2',
      '--yes',
      '--json',
    ]);
    expect({ code, done: json.done }).toEqual({ code: 0, done: 1 });
    expect(account.messages('capture-payment').map(({ body }) => JSON.parse(body).payload.orderId)).toEqual(['o-2']);
    expect(account.letters('capture-payment')).toHaveLength(2);
  });

  it('refuses what is done already with a sentence and the next command, and exits 4 when others went', async () => {
    const done = givenUp('o-1', COMPLETED);
    givenUp('o-2');
    const { code, stdout } = await account.cli(['dlq', 'replay', '--all', '--yes']);
    expect(code).toBe(4);
    expect(stdout).toContain('already-completed');
    expect(stdout).toContain(`npm run andal -- dlq discard ${done} --reason`);
    expect((await account.cli(['dlq', 'replay', '--all', '--yes'])).code).toBe(1);
  });

  // B79
  it('refuses a letter that was brought back five times, until it is told to with --force', async () => {
    account.putItem(discardedOrder('u-1', 'o-1'));
    const id = account.putLetter('capture-payment', captureBody('u-1', 'o-1'), { reason: 'attempts-spent', attempts: 6, replays: 5 });
    const { code, stdout } = await account.cli(['dlq', 'replay', id]);
    expect(code).toBe(1);
    expect(stdout).toContain('replayed-too-often');
    expect(stdout).toContain(`npm run andal -- dlq replay ${id} --force`);
    const { json } = await account.cli(['dlq', 'inspect', id, '--json']);
    expect(json.letters[0].replay).toMatchObject({ act: 'refuse', code: 'replayed-too-often', replaysSoFar: 5 });
    expect((await account.cli(['dlq', 'replay', id, '--force'])).code).toBe(0);
  });

  it('replays no more than --max', async () => {
    for (let index = 0; index < 30; index++) givenUp(`o-${index}`);
    const { code, json } = await account.cli(['dlq', 'replay', '--all', '--yes', '--max', '7', '--json']);
    expect({ code, done: json.done, stillThere: json.stillThere }).toEqual({ code: 0, done: 7, stillThere: 23 });
  });

  it('keeps its rate', async () => {
    for (let index = 0; index < 61; index++) givenUp(`o-${index}`);
    const sentAtMs: number[] = [];
    account.aws.fault = ({ operation, input }) => {
      if (operation === 'SendMessageBatch') for (const _ of input.Entries) sentAtMs.push(Date.now());
      return undefined;
    };
    await account.cli(['dlq', 'replay', '--all', '--yes', '--rate', '40/s']);
    const perSecond = (60 * 1_000) / ((sentAtMs.at(-1) ?? 0) - (sentAtMs[0] ?? 0));
    expect(sentAtMs).toHaveLength(61);
    expect(perSecond).toBeLessThan(40 * 1.2);
  });

  it('sends a canary first, and the others once its operation is done', async () => {
    for (const orderId of ['o-1', 'o-2', 'o-3']) givenUp(orderId);
    const run = account.start(['dlq', 'replay', '--all', '--canary', '--yes', '--json']);
    await expect.poll(() => account.messages('capture-payment').length, { timeout: 20_000 }).toBe(1);
    const first = JSON.parse(account.messages('capture-payment')[0]?.body ?? '{}').payload.orderId;
    account.putItem(discardedOrder('u-1', first, COMPLETED));
    const { code, json } = await run.ended;
    expect(code).toBe(0);
    expect(json).toMatchObject({ done: 3, canary: { key: `capture:u-1/${first}:1`, end: { state: 'well' } } });
  });

  it('moves no letter of a paused kind with --canary, and says how the pause ends', async () => {
    for (const orderId of ['o-1', 'o-2']) givenUp(orderId);
    await account.cli(['pause', 'capture-payment', '--reason', 'investigating']);
    const { code, stderr } = await account.cli(['dlq', 'replay', '--all', '--canary', '--yes']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /capture-payment is paused since .*: investigating\. Nothing was done\. Resume it: npm run andal -- resume capture-payment/,
    );
    expect(account.letters('capture-payment')).toHaveLength(2);
  });

  it('ends the wait for a canary whose kind is paused meanwhile, and tells no error of an earlier attempt', async () => {
    for (const orderId of ['o-1', 'o-2']) givenUp(orderId);
    const run = account.start(['dlq', 'replay', '--all', '--canary', '--yes']);
    await expect.poll(() => account.messages('capture-payment').length, { timeout: 20_000 }).toBe(1);
    await account.cli(['pause', 'capture-payment', '--reason', 'investigating']);
    const { code, stdout } = await run.ended;
    expect(code).toBe(4);
    expect(stdout).toContain('Resume it: npm run andal -- resume capture-payment');
    expect(stdout).not.toContain('provider-answered-500');
    expect(account.letters('capture-payment')).toHaveLength(1);
  });

  it('says that no letter can go first where none of them is a job', async () => {
    account.putLetter('capture-payment', 'not json', { reason: 'malformed' });
    const { code, stderr } = await account.cli(['dlq', 'replay', '--all', '--canary', '--yes']);
    expect({ code, told: stderr.includes('Leave out --canary.') }).toEqual({ code: 1, told: true });
  });

  it('leaves the others alone when the canary fails again, or has no end in time', async () => {
    for (const orderId of ['o-1', 'o-2', 'o-3']) givenUp(orderId);
    const run = account.start(['dlq', 'replay', '--all', '--canary', '--yes', '--json']);
    await expect.poll(() => account.messages('capture-payment').length, { timeout: 20_000 }).toBe(1);
    account.putItem(discardedOrder('u-1', JSON.parse(account.messages('capture-payment')[0]?.body ?? '{}').payload.orderId));
    expect(await run.ended).toMatchObject({
      code: 4,
      json: { done: 1, canary: { end: { state: 'letter-again', reason: 'attempts-spent' } } },
    });
    const late = await account.cli(['dlq', 'replay', '--all', '--canary', '--canary-wait', '1s', '--yes', '--json']);
    expect(late).toMatchObject({ code: 4, json: { done: 1, canary: { end: { state: 'no-end-yet' } } } });
    expect(account.letters('capture-payment')).toHaveLength(1);
  });

  it('stops between two letters on Ctrl-C, gives the others back and exits 4', async () => {
    for (let index = 0; index < 40; index++) givenUp(`o-${index}`);
    const run = account.start(['dlq', 'replay', '--all', '--yes', '--rate', '20/s', '--json']);
    await expect.poll(() => account.messages('capture-payment').length, { timeout: 20_000 }).toBeGreaterThan(3);
    run.kill('SIGINT');
    const { code, json } = await run.ended;
    expect({ code, interrupted: json.interrupted }).toEqual({ code: 4, interrupted: true });
    expect(json.done).toBe(account.messages('capture-payment').length);
    expect(account.letters('capture-payment').length + json.done).toBe(40);
    expect(account.letters('capture-payment').every(({ visibleAtMs }) => visibleAtMs <= Date.now())).toBe(true);
    expect(account.audit().filter(({ outcome }) => outcome === undefined)).toEqual([]);
  });

  it('ends where it is on a second Ctrl-C, and the next run does what is left', async () => {
    for (let index = 0; index < 10; index++) givenUp(`o-${index}`);
    const blocked = Promise.withResolvers<undefined>();
    account.aws.fault = async ({ operation }) => (operation === 'SendMessageBatch' ? blocked.promise : undefined);
    const run = account.start(['dlq', 'replay', '--all', '--yes', '--reason', 'again']);
    await expect.poll(() => account.aws.calls.some(({ operation }) => operation === 'SendMessageBatch'), { timeout: 20_000 }).toBe(true);
    run.kill('SIGINT');
    await expect.poll(() => run.told(), { timeout: 20_000 }).toContain('Stopping after what is under way');
    run.kill('SIGINT');
    expect((await run.ended).code).toBe(130);
    blocked.resolve(undefined);
    account.aws.fault = undefined;
    account.nowMs = () => Date.now() + 121_000;
    expect((await account.cli(['dlq', 'replay', '--all', '--yes', '--reason', 'again'])).code).toBe(0);
    expect(account.letters('capture-payment')).toHaveLength(0);
    expect(new Set(account.messages('capture-payment').map(({ body }) => body)).size).toBe(10);
  });

  it('run by two people at once sends each message once', async () => {
    for (let index = 0; index < 60; index++) givenUp(`o-${index}`);
    const replay = ['dlq', 'replay', '--all', '--yes', '--rate', '40/s', '--json'];
    const both = await Promise.all([account.start(replay).ended, account.start(replay).ended]);
    expect(both.every(({ code }) => code === 0 || code === 3)).toBe(true);
    expect(both.reduce((sum, { json }) => sum + (json.done ?? 0), 0)).toBe(60);
    const bodies = account.messages('capture-payment').map(({ body }) => body);
    expect([bodies.length, new Set(bodies).size]).toEqual([60, 60]);
    expect(account.letters('capture-payment')).toHaveLength(0);
  });

  it('says that a kind is paused or its circuit open, before it acts and after', async () => {
    for (const orderId of ['o-1', 'o-2']) givenUp(orderId);
    await account.cli(['pause', 'capture-payment', '--reason', 'investigating']);
    const planned = await account.cli(['dlq', 'replay', '--all', '--dry-run']);
    expect(planned.stdout).toMatch(/Capture-payment is paused since .*investigating\. What is replayed waits in its queue until then\./);
    const { code, json } = await account.cli(['dlq', 'replay', '--all', '--yes', '--json']);
    expect({ code, json }).toMatchObject({ code: 0, json: { done: 2, heldBack: [{ by: 'pause', kind: 'capture-payment' }] } });
  });

  it('acts on no more than one letter without --yes where nobody can be asked', async () => {
    givenUp('o-1');
    for (const args of [
      ['replay', '--all'],
      ['discard', '--all', '--reason', 'of no use'],
    ])
      expect(await account.cli(['dlq', ...args]), args.join(' ')).toMatchObject({ code: 2, stderr: expect.stringContaining('say --yes') });
    expect(account.letters('capture-payment')).toHaveLength(1);
  });

  it('refuses ages that no letter can have, and money that is said to be known of all', async () => {
    expect(await account.cli(['dlq', 'list', '--older-than', '1h', '--newer-than', '1m'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the first has to be the shorter time'),
    });
    givenUp('o-1');
    expect(await account.cli(['dlq', 'discard', '--all', '--yes', '--money-is-known', '--reason', 'settled'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('give --money-is-known an id or a filter'),
    });
  });

  it('exits 3 where there is nothing to do, whether or not somebody says --yes', async () => {
    for (const args of [
      ['replay', '--all'],
      ['replay', '--kind', 'outbox-failed'],
      ['discard', '--all', '--reason', 'of no use'],
      ['restore', '--all'],
    ])
      expect(await account.cli(['dlq', ...args]), args.join(' ')).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/no (dead )?letter/i),
      });
  });

  // B78
  it.each([
    ['is gone', { error: 'QueueDoesNotExist', status: 400 }, /does not exist any more/],
    ['may not be sent to', { error: 'AccessDeniedException', status: 403 }, /may not send/],
  ])('loses no letter where its queue %s, and says so', async (_, fault, sentence) => {
    givenUp('o-1');
    givenUp('o-2');
    account.aws.fault = ({ operation }) => (operation === 'SendMessageBatch' ? fault : undefined);
    const { code, stdout, stderr } = await account.cli(['dlq', 'replay', '--all', '--yes']);
    expect(code).toBe(1);
    expect(stdout).toMatch(sentence);
    expect(`${stdout}${stderr}`).not.toMatch(/\n\s+at /);
    expect(account.letters('capture-payment')).toHaveLength(2);
    expect(account.letters('capture-payment').every(({ visibleAtMs }) => visibleAtMs <= Date.now())).toBe(true);
  });

  it('says what an expired receipt means: done, and the letter still there', async () => {
    givenUp('o-1');
    account.aws.fault = ({ operation }) =>
      operation === 'DeleteMessageBatch' ? { failedEntries: { '0': { Code: 'ReceiptHandleIsInvalid' } } } : undefined;
    const { code, stdout } = await account.cli(['dlq', 'replay', '--all', '--yes']);
    expect(code).toBe(1);
    expect(stdout).toContain('somebody else received it meanwhile');
    account.aws.fault = undefined;
    expect((await account.cli(['dlq', 'replay', '--all', '--yes'])).code).toBe(0);
    expect(account.letters('capture-payment')).toHaveLength(0);
  });

  it('gives up after twenty failures in a row and leaves the others alone', async () => {
    for (let index = 0; index < 300; index++) givenUp(`o-${index}`);
    account.aws.fault = ({ operation }) => (operation === 'SendMessageBatch' ? { error: 'AccessDeniedException', status: 403 } : undefined);
    const { code, json } = await account.cli(['dlq', 'replay', '--all', '--yes', '--rate', '200/s', '--json']);
    expect({ code, gaveUp: json.gaveUp, done: json.done }).toEqual({ code: 1, gaveUp: true, done: 0 });
    expect(json.failed[0].count).toBeLessThan(200);
    expect(account.letters('capture-payment').every(({ visibleAtMs }) => visibleAtMs <= Date.now())).toBe(true);
  });
});

describe('dlq discard and restore', () => {
  it('archives a body before the letter goes, and a restore brings the same letter back', async () => {
    const id = givenUp('o-1');
    const [before] = account.letters('capture-payment');
    const discarded = await account.cli(['dlq', 'discard', id, '--reason', 'test order', '--json']);
    expect(discarded).toMatchObject({ code: 0, json: { act: 'discard', done: 1, archive: 's3://exports' } });
    expect(account.letters('capture-payment')).toHaveLength(0);
    expect([...account.objects.keys()]).toEqual([`/exports/dead-letters/capture-payment-dlq/${id}.json`]);
    expect(account.audit()).toMatchObject([{ what: 'discard', why: 'test order', outcome: 'discarded' }]);

    const restored = await account.cli(['dlq', 'restore', id.slice(0, 36), '--json']);
    expect(restored).toMatchObject({ code: 0, json: { restored: 1, failed: [] } });
    const [after] = account.letters('capture-payment');
    expect({ body: after?.body, attributes: after?.attributes }).toEqual({ body: before?.body, attributes: before?.attributes });
    expect(account.objects.size).toBe(0);
    expect((await account.cli(['dlq', 'restore', id])).code).toBe(3);
    const replayed = await account.cli(['dlq', 'replay', '--all', '--yes']);
    expect(replayed.code).toBe(0);
  });

  it('restores all letters only when somebody says so, and tells the new name of each', async () => {
    const id = givenUp('o-1');
    const told = await account.cli(['dlq', 'discard', id, '--reason', 'test order']);
    expect(told.stdout).toMatch(/Discarded 1 letter\. Its body is in s3:\/\/exports; .* brings it back\./);
    const unasked = await account.cli(['dlq', 'restore', '--all']);
    expect(unasked).toMatchObject({ code: 2, stderr: expect.stringContaining('say --yes') });
    expect(account.letters('capture-payment')).toHaveLength(0);
    const { code, stdout } = await account.cli(['dlq', 'restore', '--all', '--yes']);
    const [letter] = account.letters('capture-payment');
    expect(code).toBe(0);
    expect(stdout).toContain(`${id} → ${letter?.id}`);
    expect(account.audit().find(({ what }) => what === 'restore')).toMatchObject({ messageId: id, outcome: `restored as ${letter?.id}` });
  });

  it('shows what is in the archive by the names people use, and says when there is no archive', async () => {
    const id = givenUp('o-1');
    await account.cli(['dlq', 'discard', id, '--reason', 'test order']);
    const { stdout } = await account.cli(['dlq', 'restore', '--all', '--dry-run']);
    expect(stdout).toMatch(new RegExp(`${id} +capture-payment +`));
    const nowhere = await account.cli(['dlq', 'restore', '--all', '--dry-run', '--archive', '/nowhere/at/all']);
    expect(nowhere).toMatchObject({ code: 3, stderr: expect.stringContaining('There is no directory /nowhere/at/all') });
  });

  it('keeps the history of a letter without a key, whose id changes when it is restored', async () => {
    const id = account.putLetter('capture-payment', 'not json', { reason: 'malformed' });
    await account.cli(['dlq', 'discard', id, '--reason', 'test order']);
    const { json } = await account.cli(['dlq', 'restore', id, '--reason', 'a mistake', '--json']);
    const [{ was, messageId }] = json.letters;
    expect(was).toBe(id);
    const inspected = await account.cli(['dlq', 'inspect', messageId]);
    expect(inspected.stdout).toMatch(new RegExp(`discard \\(as ${id.slice(0, 8)}\\) by \\S+ \\(test order\\): discarded`));
    expect(inspected.stdout).toContain(`restored as ${messageId}`);
  });

  it('asks the provider about no letter beyond --max, and once more where it gave no answer', async () => {
    for (const orderId of ['o-1', 'o-2', 'o-3', 'o-4']) givenUp(orderId, { 'sent:capture:1': 1 });
    const dry = await account.cli(['dlq', 'discard', '--all', '--max', '2', '--dry-run', '--reason', 'x', '--json']);
    expect(dry.json).toMatchObject({ matched: 4, refused: 0, beyond: 2 });
    expect(new Set(account.asked).size).toBe(2);
    account.asked.length = 0;
    for (const orderId of ['o-1', 'o-2', 'o-3', 'o-4']) account.provider.set(`pi-${orderId}-1`, 'silent-once');
    const { code, json } = await account.cli(['dlq', 'discard', '--all', '--yes', '--max', '3', '--reason', 'x', '--json']);
    expect({ code, done: json.done, refused: json.refused }).toEqual({ code: 0, done: 3, refused: [] });
  });

  it('keeps bodies in files where it is told to, or where the stage has no bucket', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'andal-archive-'));
    try {
      givenUp('o-1');
      givenUp('o-2');
      const named = ['--archive', join(directory, 'mine')];
      expect((await account.cli(['dlq', 'discard', '--key', 'u-1/o-1', '--reason', 'x', '--yes', ...named])).code).toBe(0);
      delete account.outputs[STACK_OUTPUTS.exportBucket];
      const env = { ANDAL_STATE_DIRECTORY: directory };
      const { code, stdout } = await account.cli(['dlq', 'discard', '--all', '--reason', 'x', '--yes'], env);
      expect({ code, told: stdout.includes(join(directory, 'archive', 'local')) }).toEqual({ code: 0, told: true });
      expect((await account.cli(['dlq', 'restore', '--all', '--yes', ...named])).code).toBe(0);
      expect((await account.cli(['dlq', 'restore', '--all', '--yes'], env)).code).toBe(0);
      expect(account.letters('capture-payment')).toHaveLength(2);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('refuses a letter whose money was taken, until a person says that they have settled it', async () => {
    const id = givenUp('o-1', { 'sent:capture:1': 6 });
    account.provider.set('pi-o-1-1', { status: 'captured', captureId: 'c-1', amountMinor: 1250, currency: 'EUR' });
    const { code, stdout } = await account.cli(['dlq', 'discard', id, '--reason', 'x']);
    expect(code).toBe(1);
    expect(stdout).toContain("The customer's money was taken");
    expect(account.letters('capture-payment')).toHaveLength(1);
    expect((await account.cli(['dlq', 'discard', id, '--reason', 'x', '--money-is-known'])).code).toBe(0);
    expect(account.audit()).toContainEqual(expect.objectContaining({ what: 'discard', why: 'money is known: x', outcome: 'discarded' }));
  });
});

describe('wrong input is one sentence and its exit code', () => {
  it.each<[string, string[], number, RegExp]>([
    ['no letters named', ['replay'], 2, /Say which letters/],
    ['all and a filter', ['replay', '--all', '--cause', 'malformed'], 2, /--all means every letter/],
    ['a discard without a reason', ['discard', '--all', '--yes'], 2, /--reason/],
    ['an unknown kind', ['list', '--kind', 'capture'], 2, /Allowed choices/],
    ['a bad age', ['replay', '--older-than', 'yesterday', '--yes'], 2, /a whole number and a unit/],
    ['a bad fingerprint', ['list', '--fingerprint', 'xyz'], 2, /hexadecimal/],
    ['a bad cause', ['list', '--cause', 'Not A Code'], 2, /a code of small letters/],
    ['a bad rate', ['replay', '--all', '--rate', '50/m'], 2, /letters a second/],
    ['a bad id', ['inspect', 'id with blanks'], 2, /message id/],
    ['nothing to replay', ['replay', '--all', '--yes'], 3, /There are no dead letters/],
    ['nothing that matches', ['discard', '--cause', 'malformed', '--reason', 'x', '--yes'], 3, /No letter matches: cause malformed/],
    ['nothing archived', ['restore', '--all', '--yes'], 3, /There are no letters in/],
    ['restore without a choice', ['restore'], 2, /Say which letters/],
    ['an unknown stage', ['list', '--stage', 'nowhere'], 1, /Stage nowhere is not deployed/],
  ])('%s', async (_, args, code, sentence) => {
    const answer = await account.cli(['dlq', ...args]);
    expect(answer.code).toBe(code);
    if (code === 2) expect(answer.stdout).toBe('');
    expect(answer.stderr).toMatch(sentence);
    expect(answer.stderr).not.toMatch(/\n\s+at /);
  });

  it('several letters under one short id', async () => {
    givenUp('o-1');
    givenUp('o-2');
    const { code, stderr } = await account.cli(['dlq', 'replay', '00000000']);
    expect(code).toBe(2);
    expect(stderr).toContain('2 letters have an id that begins with 00000000');
  });

  it('letters that are hidden and a filter, of which nobody knows whether they match', async () => {
    givenUp('o-1');
    const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/capture-payment-dlq';
    account.aws.sqs.handle('ReceiveMessage', { QueueUrl, VisibilityTimeout: 600 });
    const { code, stderr } = await account.cli(['dlq', 'replay', '--older-than', '1h', '--yes']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/About 1 are hidden, .*, and whether they match cannot be known: try again in two minutes/);
  });

  it('a profile that is not there', async () => {
    const { code, stderr } = await account.cli(['dlq', 'list', '--stage', 'test', '--profile', 'nosuch'], { AWS_ENDPOINT_URL: '' });
    expect({ code, told: stderr.includes('There is no AWS profile "nosuch". There are no profiles') }).toEqual({ code: 2, told: true });
  });

  it('no credentials', async () => {
    const env = { AWS_ENDPOINT_URL: '', AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_PROFILE: '' };
    const { code, stderr } = await account.cli(['dlq', 'list', '--stage', 'test'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('No AWS credentials were found');
  });

  it('a dead-letter queue that is gone, in every command', async () => {
    account.outputs[jobOutputs('capture-payment').deadLetterQueueUrl] += '-gone';
    for (const args of [['list'], ['inspect'], ['replay', '--yes'], ['discard', '--yes', '--reason', 'x']]) {
      const { code, stdout, stderr } = await account.cli(['dlq', ...args, '--kind', 'capture-payment']);
      expect(code).toBe(1);
      expect(`${stdout}${stderr}`).toContain('does not exist any more');
      expect(stderr).not.toMatch(/\n\s+at /);
    }
  });
});

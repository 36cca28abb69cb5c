import { expect, it, vi } from 'vitest';
import { captureBody, discardedOrder, type FakeAccount, openFakeAccount } from '../support/fake-account.ts';
import { seededFraction } from '../support/limited-callers.ts';

// The tool is killed outright at one of its requests to the tables or queues, before it is carried out or after; then it is run again.
vi.setConfig({ testTimeout: 60_000 });

const LETTERS = 12;
const FIRST_SEED = Number(process.env['KILL_SEED'] ?? 1);
const seeds = Array.from({ length: Number(process.env['KILL_RUNS'] ?? 4) }, (_, index) => FIRST_SEED + index);
/** Letters a killed run held come back after this. */
const HIDDEN_MS = 121_000;

const orderIds = Array.from({ length: LETTERS }, (_, index) => `o-${index}`);
const idsIn = (messages: readonly { body: string }[]): string[] => messages.map(({ body }) => JSON.parse(body).payload.orderId as string);

async function accountWithLetters(): Promise<FakeAccount> {
  const account = await openFakeAccount();
  for (const [index, orderId] of orderIds.entries()) {
    // Of one in three no code ever came to an end, so a discard has to end it.
    account.putItem(discardedOrder('u-1', orderId, index % 3 === 0 ? { 'op:capture:1': undefined } : {}));
    account.putLetter('capture-payment', captureBody('u-1', orderId), { reason: 'attempts-spent', attempts: 6 });
  }
  return account;
}

const DISCARD = ['dlq', 'discard', '--all', '--yes', '--reason', 'of no use'];

async function accountWithArchive(): Promise<FakeAccount> {
  const account = await accountWithLetters();
  expect((await account.cli(DISCARD)).code).toBe(0);
  account.aws.calls.length = 0;
  return account;
}

const archivedIn = (account: FakeAccount): string[] =>
  [...account.objects.values()].map((text) => JSON.parse(JSON.parse(text.toString()).body).payload.orderId).sort();

/** To kill it while it only looks is no art. */
const LOOKING = ['ReceiveMessage', 'GetQueueAttributes', 'ChangeMessageVisibilityBatch'];

const counted = new Map<string, Promise<number>>();

/** Requests of a whole run that have to do with a letter. */
function requestsOf(args: string[], open: () => Promise<FakeAccount>): Promise<number> {
  const count = async (): Promise<number> => {
    const account = await open();
    const { code } = await account.cli(args);
    expect(code).toBe(0);
    await account.close();
    return account.aws.calls.filter(({ operation }) => !LOOKING.includes(operation)).length;
  };
  const known = counted.get(args.join(' ')) ?? count();
  counted.set(args.join(' '), known);
  return known;
}

/** @returns the request it died at, or undefined when it ended before */
async function runAndKill(account: FakeAccount, args: string[], seed: number, open = accountWithLetters): Promise<string | undefined> {
  const fraction = seededFraction(seed);
  // Spread over the run: each seed of a row has a part of its own.
  const dieAt = Math.floor((((seed - FIRST_SEED) % seeds.length) + fraction()) * ((await requestsOf(args, open)) / seeds.length));
  const isCarriedOut = fraction() < 0.5;
  const run = account.start(args);
  let [calls, diedAt] = [0, undefined as string | undefined];
  account.aws.fault = ({ operation }) => {
    if (LOOKING.includes(operation) || calls++ !== dieAt) return diedAt === undefined ? undefined : 'fail-before';
    run.kill('SIGKILL');
    diedAt = `${operation} ${isCarriedOut ? 'carried out' : 'not carried out'}`;
    return isCarriedOut ? undefined : 'fail-before';
  };
  await run.ended;
  account.aws.fault = undefined;
  account.nowMs = () => Date.now() + HIDDEN_MS;
  return diedAt;
}

/** An entry that says how it ended says the truth; one that does not leaves it open. */
function expectTruth(account: FakeAccount, done: string): void {
  const there = new Set(account.letters('capture-payment').map(({ id }) => id));
  for (const { outcome, messageId } of account.audit())
    if (outcome !== undefined && String(outcome).startsWith(done)) expect(there).not.toContain(messageId);
  const began = new Set(account.audit().map(({ key }) => key));
  for (const orderId of orderIds)
    if (!idsIn(account.letters('capture-payment')).includes(orderId)) expect(began).toContain(`capture:u-1/${orderId}:1`);
}

it.each(seeds)('a replay that is killed loses no letter, and run again sends every one of them (seed %i)', async (seed) => {
  const account = await accountWithLetters();
  const diedAt = await runAndKill(account, ['dlq', 'replay', '--all', '--yes'], seed);
  console.log(`seed ${seed}: ${diedAt ?? 'ended before'}`);
  const everywhere = new Set([...idsIn(account.letters('capture-payment')), ...idsIn(account.messages('capture-payment'))]);
  expect(everywhere).toEqual(new Set(orderIds));
  for (const orderId of idsIn(account.messages('capture-payment')))
    expect(account.item('USER#u-1', `ORDER#${orderId}`)?.['op:capture:1'], 'sent before it was opened again').toBeUndefined();
  expectTruth(account, 'replayed');

  const again = await account.cli(['dlq', 'replay', '--all', '--yes']);
  expect(again.code, again.stderr).toBe(account.letters('capture-payment').length === 0 && again.code === 3 ? 3 : 0);
  expect(account.letters('capture-payment')).toHaveLength(0);
  expect(new Set(idsIn(account.messages('capture-payment')))).toEqual(new Set(orderIds));
  expectTruth(account, 'replayed');
  await account.close();
});

it.each(seeds)('a discard that is killed loses no letter, and run again ends and archives each of them once (seed %i)', async (seed) => {
  const account = await accountWithLetters();
  const diedAt = await runAndKill(account, DISCARD, seed);
  console.log(`seed ${seed}: ${diedAt ?? 'ended before'}`);
  expect(new Set([...idsIn(account.letters('capture-payment')), ...archivedIn(account)])).toEqual(new Set(orderIds));
  expect(account.messages('capture-payment')).toHaveLength(0);
  expectTruth(account, 'discarded');

  const again = await account.cli(DISCARD);
  expect([0, 3]).toContain(again.code);
  expect(account.letters('capture-payment')).toHaveLength(0);
  expect(archivedIn(account)).toEqual([...orderIds].sort());
  for (const orderId of orderIds)
    expect(account.item('USER#u-1', `ORDER#${orderId}`)?.['op:capture:1']).toMatchObject({ status: 'discarded', buried: true });
  expectTruth(account, 'discarded');
  await account.close();
});

it.each(seeds)('a restore that is killed loses no letter, and run again brings back every one of them (seed %i)', async (seed) => {
  const account = await accountWithArchive();
  const restore = ['dlq', 'restore', '--all', '--yes'];
  const diedAt = await runAndKill(account, restore, seed, accountWithArchive);
  // It holds no letters that would have to come back.
  account.nowMs = () => Date.now();
  console.log(`seed ${seed}: ${diedAt ?? 'ended before'}`);
  expect(new Set([...idsIn(account.letters('capture-payment')), ...archivedIn(account)])).toEqual(new Set(orderIds));

  expect([0, 3]).toContain((await account.cli(restore)).code);
  expect(account.objects.size).toBe(0);
  expect(new Set(idsIn(account.letters('capture-payment')))).toEqual(new Set(orderIds));
  // A letter that was sent and still archived is there twice by now; either opens the one operation.
  expect((await account.cli(['dlq', 'replay', '--all', '--yes'])).code).toBe(0);
  expect(new Set(idsIn(account.messages('capture-payment')))).toEqual(new Set(orderIds));
  for (const orderId of orderIds) expect(account.item('USER#u-1', `ORDER#${orderId}`)?.['op:capture:1']).toBeUndefined();
  await account.close();
});

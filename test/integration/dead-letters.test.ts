import { GetQueueAttributesCommand, ReceiveMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { adjustStock } from '#shared/jobs/adjust-stock.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { sendReceipt } from '#shared/jobs/send-receipt.ts';
import { type CliAnswer, startCli } from '../support/cli-process.ts';
import { sqs } from '../support/integration/aws-clients.ts';
import {
  auditOf,
  createOrders,
  emptyDeadLetterQueues,
  fillStock,
  lettersForMissingOrders,
  lettersForMissingStock,
  lettersOfMovedReceipts,
  lettersOfSpentCaptures,
  ordersNamed,
  sendAdjustments,
  stockOf,
} from '../support/integration/dead-letter-run.ts';
import { endpointUrl, outputsOfKind } from '../support/integration/deployment.ts';
import { whileNobodyReceives } from '../support/integration/lambda-api.ts';
import { uniqueName } from '../support/integration/names.ts';
import { captureMessage, depthOf, depths, sendBodies } from '../support/integration/queues.ts';
import { orderFacts } from '../support/integration/run-audit.ts';
import { receipts } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';
import { seededFraction } from '../support/limited-callers.ts';

const LETTERS = Number(process.env['DEAD_LETTERS'] ?? 1_000);
const SEED = Number(process.env['DEAD_LETTERS_SEED'] ?? Date.now() % 1_000_000);
const RATE = 150;
/** An emulator on a busy machine carries some tens of orders a second. */
const ENDED_WITHIN_MS = 120_000 + LETTERS * 150;
const MOST_MB = 200;

const part = (share: number): number => Math.round(LETTERS * share);

const dlq = (...args: string[]): Promise<CliAnswer> => startCli(['dlq', ...args, '--json'], { AWS_ENDPOINT_URL: endpointUrl }).ended;

const lettersLeft = async (): Promise<number> => Object.values(await depths('dead-letter')).reduce((sum, depth) => sum + depth, 0);

const countsOf = (list: CliAnswer): Record<string, number> =>
  Object.fromEntries(
    list.json.queues.flatMap(({ name, groups }: { name: string; groups: { reason: string; count: number }[] }) =>
      groups.map(({ reason, count }) => [`${name} ${reason}`, count]),
    ),
  );

test(`${LETTERS} letters of three kinds and four causes are found, understood, mended, replayed and audited, and every order is right`, {
  timeout: 2 * ENDED_WITHIN_MS + 240_000,
}, async () => {
  const run = uniqueName('letters');
  await emptyDeadLetterQueues();
  const missing = ordersNamed(run, 'missing', part(0.4));
  const spent = ordersNamed(run, 'spent', part(0.35));
  const receipted = ordersNamed(`r${run}`, 'moved', part(0.15));
  await lettersForMissingOrders(missing);
  await lettersOfSpentCaptures(spent);
  const adjusted = await lettersForMissingStock(run, LETTERS - missing.length - spent.length - receipted.length);
  await lettersOfMovedReceipts(receipted);

  const list = await dlq('list');
  const counts = countsOf(list);
  console.log(`listed in ${list.peakMb.toFixed(0)} MB: ${JSON.stringify(counts)}`);
  expect(counts).toMatchObject({
    'capture-payment order-not-found': missing.length,
    'capture-payment attempts-spent': spent.length,
    'send-receipt no-reason': receipted.length,
  });
  // While letters of a FIFO group are hidden, SQS shows no others of it.
  expect(counts['adjust-stock stock-insufficient']).toBeGreaterThan(0);
  expect(await lettersLeft()).toBe(LETTERS);

  // One after the other: two looks at a time hide letters from each other.
  const verdicts: Record<string, string> = {};
  for (const cause of ['order-not-found', 'attempts-spent', 'stock-insufficient', 'no-reason'])
    verdicts[cause] = (await dlq('inspect', '--cause', cause, '--max', '1')).json.letters?.[0]?.replay.act;
  expect(verdicts).toEqual({
    'order-not-found': 'refuse',
    'attempts-spent': 'rearm-and-send',
    'stock-insufficient': 'rearm-and-send',
    'no-reason': 'send',
  });

  await createOrders(missing);
  await fillStock(adjusted.keys(), LETTERS);
  const startedAtMs = Date.now();
  const replay = await dlq(
    'replay',
    '--all',
    '--canary',
    '--canary-wait',
    '60s',
    '--rate',
    `${RATE}/s`,
    '--yes',
    '--reason',
    'the cause is mended',
  );
  const seconds = (Date.now() - startedAtMs) / 1_000;
  console.log(
    `replayed ${replay.json.done} in ${seconds.toFixed(1)} s with ${replay.peakMb.toFixed(0)} MB: ${JSON.stringify(replay.json.canary)}`,
  );
  expect({ code: replay.code, ...replay.json }, replay.stderr).toMatchObject({
    code: 0,
    done: LETTERS,
    refused: [],
    failed: [],
    canary: { end: { state: 'well' } },
  });
  expect(replay.json.done / seconds).toBeLessThan(RATE * 1.05);
  expect(Math.max(list.peakMb, replay.peakMb)).toBeLessThan(MOST_MB);

  const orders = missing.length + spent.length;
  await waitUntil({ what: 'every order to be paid and receipted', withinMs: ENDED_WITHIN_MS, everyMs: 2_000 }, async (note) => {
    const facts = await orderFacts(run);
    expect(facts.filter(({ captures, receipts: sent }) => captures > 1 || sent > 1)).toEqual([]);
    const open = facts.filter(({ status, captures, receipts: sent }) => status !== 'paid' || captures !== 1 || sent !== 1);
    note({ open: open.length, some: open.slice(0, 2) });
    return facts.length === orders && open.length === 0;
  });
  await waitUntil(
    { what: 'every moved receipt', withinMs: 60_000, everyMs: 1_000 },
    async () => (await receipts(`r${run}`)).length >= receipted.length,
  );
  expect((await receipts(`r${run}`)).length).toBe(receipted.length);
  await waitUntil({ what: 'the stock to be right', withinMs: 120_000, everyMs: 1_000 }, async (note) => {
    const stock = await Promise.all([...adjusted].map(async ([sku, taken]) => [await stockOf(sku), LETTERS - taken]));
    note(stock);
    return stock.every(([is, shall]) => is === shall);
  });
  expect(await lettersLeft()).toBe(0);

  const replays = (await auditOf(run)).filter(({ what }) => what === 'replay');
  expect(replays.filter(({ outcome, why }) => outcome?.startsWith('replayed') !== true || why !== 'the cause is mended')).toEqual([]);
  expect(new Set(replays.map(({ key }) => key)).size).toBe(LETTERS);
});

/** Kills a run when it has taken some letters away; what else it has begun by then is up to the machine. */
async function startAndKill(args: string[], deadLetterQueueUrl: string, fraction: number): Promise<void> {
  const dieBelow = (await depthOf(deadLetterQueueUrl)) - Math.floor(fraction * MOST_TAKEN);
  const run = startCli(['dlq', ...args], { AWS_ENDPOINT_URL: endpointUrl });
  const taken = waitUntil(
    { what: 'a moment to kill it', withinMs: 60_000, everyMs: 10 },
    async () => (await depthOf(deadLetterQueueUrl)) < dieBelow,
  );
  await Promise.race([run.ended, taken]);
  run.kill('SIGKILL');
  await Promise.all([run.ended, taken.catch(() => undefined)]);
}

const MOST_TAKEN = 25;
const KILLS = 5;
const KILLED_LETTERS = 200;

test('a tool that is killed again and again while it replays and discards loses no letter, does nothing twice and writes down the truth', {
  timeout: 600_000,
}, async () => {
  const run = uniqueName('killed');
  console.log(`DEAD_LETTERS_SEED=${SEED}`);
  const fraction = seededFraction(SEED);
  await emptyDeadLetterQueues();
  const spent = ordersNamed(run, 'spent', KILLED_LETTERS);
  const moved = ordersNamed(`r${run}`, 'moved', KILLED_LETTERS);
  await lettersOfSpentCaptures(spent);
  await lettersOfMovedReceipts(moved);
  const capture = outputsOfKind(capturePayment.kind).deadLetterQueueUrl;
  const receipt = outputsOfKind(sendReceipt.kind).deadLetterQueueUrl;
  const replay = ['replay', '--kind', capturePayment.kind, '--yes', '--rate', '40/s'];
  const discard = ['discard', '--kind', sendReceipt.kind, '--yes', '--rate', '40/s', '--reason', 'of no use'];

  for (let kills = 0; kills < KILLS; kills++)
    await Promise.all([startAndKill(replay, capture, fraction()), startAndKill(discard, receipt, fraction())]);
  console.log(`after ${KILLS} kills ${await depthOf(capture)} letters are to be replayed, ${await depthOf(receipt)} to be discarded`);
  // What a killed run held is hidden for two minutes. Letters whose message was out already are refused as done, and dropped.
  await waitUntil({ what: 'the last letter to be gone', withinMs: 300_000, everyMs: 5_000 }, async (note) => {
    const answers = await Promise.all([replay, discard].map((args) => dlq(...args)));
    note(answers.map(({ json }) => json));
    const refused: { code: string; count: number }[] = answers[0]?.json.refused ?? [];
    expect(refused.filter(({ code }) => code !== 'already-completed')).toEqual([]);
    const left = await depthOf(capture);
    if (left > 0 && left === refused[0]?.count) {
      console.log(`${left} letters are done already and are dropped`);
      await dlq('discard', '--kind', capturePayment.kind, '--yes', '--reason', 'done');
    }
    return (await depthOf(capture)) + (await depthOf(receipt)) === 0;
  });

  await waitUntil({ what: 'every order to be paid', withinMs: 180_000, everyMs: 2_000 }, async (note) => {
    const facts = await orderFacts(run);
    expect(facts.filter(({ captures, receipts: sent }) => captures > 1 || sent > 1)).toEqual([]);
    const open = facts.filter(({ status, captures }) => status !== 'paid' || captures !== 1);
    note(open.slice(0, 3));
    return facts.length === KILLED_LETTERS && open.length === 0;
  });
  expect(await receipts(`r${run}`)).toEqual([]);
  const entries = await auditOf(run);
  const keysWith = (what: string): number => new Set(entries.filter((entry) => entry.what === what).map(({ key }) => key)).size;
  expect(keysWith('replay')).toBe(KILLED_LETTERS);
  expect(keysWith('discard')).toBeGreaterThanOrEqual(KILLED_LETTERS);
  // No key is said to be discarded twice, and one replayed twice was sent by a run that died before its letter was gone.
  const discards = entries.flatMap(({ what, outcome, messageId }) => (what === 'discard' && outcome === 'discarded' ? [messageId] : []));
  expect(new Set(discards).size).toBe(discards.length);
  const restored = await dlq('restore', '--all', '--dry-run');
  const archived = restored.json.letters.filter(({ deadLetterQueue }: { deadLetterQueue: string }) => receipt.endsWith(deadLetterQueue));
  expect(archived.length).toBeGreaterThanOrEqual(KILLED_LETTERS);
});

/** Received so many times by code that comes to no end with them, messages are moved by SQS itself; nobody wrote a reason. */
async function letSqsMove(kind: string, send: (queueUrl: string) => Promise<unknown>, count: number): Promise<void> {
  const { queueUrl, deadLetterQueueUrl, functionName } = outputsOfKind(kind);
  const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['RedrivePolicy'] }));
  const policy = JSON.parse(Attributes['RedrivePolicy'] ?? '{}');
  const receiveAtMost = (maxReceiveCount: number) =>
    sqs.send(
      new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { RedrivePolicy: JSON.stringify({ ...policy, maxReceiveCount }) } }),
    );
  await whileNobodyReceives(functionName, async () => {
    await receiveAtMost(RECEIVES);
    try {
      await send(queueUrl);
      const receive = new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
      await waitUntil({ what: `${count} messages to be moved by SQS`, withinMs: 60_000, everyMs: 50 }, async (note) => {
        await sqs.send(receive);
        const moved = await depthOf(deadLetterQueueUrl);
        note(moved);
        return moved >= count;
      });
    } finally {
      await receiveAtMost(Number(policy.maxReceiveCount));
    }
  });
}

const RECEIVES = 3;

test('letters that SQS moved by itself are listed as that, understood, and replayed; on a FIFO queue in the group they had', {
  timeout: 300_000,
}, async () => {
  const run = uniqueName('redriven');
  await emptyDeadLetterQueues();
  const orders = ordersNamed(run, 'moved', 4);
  await createOrders(orders);
  const bodies = orders.map(({ userId, orderId }) => captureMessage(userId, orderId));
  await letSqsMove(capturePayment.kind, (queueUrl) => sendBodies(queueUrl, bodies), bodies.length);
  const sku = `${run}-sku`;
  await fillStock([sku], 10);
  await letSqsMove(adjustStock.kind, () => sendAdjustments([sku, sku]), 2);

  const list = await dlq('list', '--cause', 'moved-by-sqs');
  expect(countsOf(list)).toEqual({ 'capture-payment moved-by-sqs': 4, 'adjust-stock moved-by-sqs': 2 });
  const [group] = list.json.queues[0].groups;
  expect(group).toMatchObject({ count: 4, movedBySqs: 4, oldest: { deadSinceMs: null } });
  const { json } = await dlq('inspect', '--kind', capturePayment.kind, '--max', '1');
  expect(json.letters[0]).toMatchObject({
    letter: { movedBySqs: true },
    why: { reason: 'moved-by-sqs', attempts: null, sentence: expect.stringContaining('SQS moved it by itself') },
    item: { operation: { standing: 'open', attemptsSpent: 0 } },
    replay: { act: 'send' },
  });
  expect((await dlq('inspect', '--kind', adjustStock.kind, '--max', '1')).json.letters[0].letter.group).toBe(sku);

  const replay = await dlq('replay', '--cause', 'moved-by-sqs', '--yes', '--reason', 'mended');
  expect({ code: replay.code, ...replay.json }, replay.stderr).toMatchObject({ code: 0, done: 6, refused: [], failed: [] });
  await waitUntil({ what: 'every order to be paid once', withinMs: 120_000, everyMs: 500 }, async (note) => {
    const facts = await orderFacts(run);
    note(facts);
    return facts.length === 4 && facts.every(({ status, captures }) => status === 'paid' && captures === 1);
  });
  await waitUntil({ what: 'both adjustments', withinMs: 60_000, everyMs: 500 }, async () => (await stockOf(sku)) === 8);
  expect(await lettersLeft()).toBe(0);
});

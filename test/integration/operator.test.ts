import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { describe, expect, test } from 'vitest';
import { createDynamoDbClient } from '#shared/aws/dynamodb-client.ts';
import { createItemStore } from '#shared/aws/item-store.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { STACK_OUTPUTS } from '#shared/contract/stack-outputs.ts';
import { newOrder } from '#shared/domain/create-order.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { dynamodb } from '../support/integration/aws-clients.ts';
import { output, outputsOfKind } from '../support/integration/deployment.ts';
import { uniqueName } from '../support/integration/names.ts';
import { getOrder, placeOrder } from '../support/integration/order-client.ts';
import { captureMessage, sendBodies, waitForLetters } from '../support/integration/queues.ts';
import { waitForStatus } from '../support/integration/tables.ts';
import { waitUntil } from '../support/integration/wait-until.ts';

/** The real command line as a process of its own, at the emulator the tests were deployed to. */
async function cli(args: string) {
  const child = spawn(process.execPath, ['cli/andal.ts', ...args.split(' ')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', COLUMNS: '200' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  // biome-ignore lint/suspicious/noExplicitAny: assertions look into documents of every command
  const json: any = args.includes('--json') && stdout !== '' ? JSON.parse(stdout) : undefined;
  return { code, stdout, stderr, json };
}

const HOUR_MS = 3_600_000;

/** An order of an hour ago that nobody ever sent a message for. */
async function forgottenOrder(): Promise<{ userId: string; orderId: string; name: string; key: string }> {
  const [userId, orderId] = [uniqueName('u'), uniqueName('o')];
  const { version: _, ...order } = newOrder(userId, orderId, { amountMinor: 4_999, currency: 'EUR' }, Date.now() - HOUR_MS);
  const store = createItemStore(createDynamoDbClient(), output(STACK_OUTPUTS.stateTable));
  await store.write(acceptWrite(orderItemKey(userId, orderId), order, [], Date.now() - HOUR_MS));
  return { userId, orderId, name: `${userId}/${orderId}`, key: `capture:${userId}/${orderId}:1` };
}

describe('andal sweep', () => {
  test('lists what is overdue without acting, and then has the deployed rescue pay it', async () => {
    const order = await forgottenOrder();
    // As a failure leaves it; the rescue finds it by the index alone.
    const set = { ':shard': '0', ':at': Date.now() - 60_000 };
    await dynamodb.send(
      new UpdateItemCommand({
        TableName: output(STACK_OUTPUTS.stateTable),
        Key: marshall({ ...orderItemKey(order.userId, order.orderId) }),
        UpdateExpression: 'SET overdueShard = :shard, overdueAtMs = :at, lastError = :code',
        ExpressionAttributeValues: marshall({ ...set, ':code': 'provider-timeout' }),
      }),
    );
    const dry = await cli('sweep --dry-run --json');
    // The rescue comes each minute by itself and may be first.
    if (dry.json.overdue.total > 0) expect(dry.json).toMatchObject({ dryRun: true, rescued: null });
    const swept = await cli('sweep');
    expect(swept).toMatchObject({ code: 0, stderr: '' });
    expect(swept.stdout).toContain('The rescue ran');
    const { json } = await cli('audit --what sweep --json');
    expect(json.entries.at(-1)).toMatchObject({ why: 'overdue jobs', outcome: expect.stringContaining('rescued') });
    await waitForStatus(order.userId, order.orderId, 'paid');
  });

  test('finds by a walk over the whole table what no index and no queue knows of', async () => {
    const order = await forgottenOrder();
    const dry = await cli('sweep --dry-run --whole-table --json');
    expect(dry.code).toBe(0);
    expect(dry.json.lost.jobs['capture-payment']).toBeGreaterThan(0);
    expect(dry.json.lost.first).toContain(order.key);
    const walked = await cli('sweep --whole-table --json');
    expect(walked).toMatchObject({ code: 0, json: { walked: true, swept: { sent: expect.any(Number) } } });
    await waitForStatus(order.userId, order.orderId, 'paid');
  });
});

describe('andal explain', () => {
  test('joins item, provider, cache, letters and queues of an order, and ends in a command', async () => {
    const userId = uniqueName('u');
    const { orderId } = await placeOrder({ userId, idempotencyKey: uniqueName('k'), amountMinor: 4_999 });
    await waitForStatus(userId, orderId, 'paid');
    const { deadLetterQueueUrl, queueUrl } = outputsOfKind(capturePayment.kind);
    const calm = await cli(`explain ${userId}/${orderId} --json`);
    expect(calm).toMatchObject({
      code: 0,
      json: { capturesAtProvider: 1, provider: { status: 'captured' }, letters: [], next: [{ command: null }] },
    });
    expect(calm.json.lookedThrough).toHaveLength(7);
    await sendBodies(queueUrl, [captureMessage(userId, orderId, 9)]);
    const isMine = (body: string): boolean => body.includes(orderId);
    const seen = await waitUntil({ what: 'the letter' }, async () => {
      const { json } = await cli(`explain ${userId}/${orderId} --json`);
      return json.letters.length > 0 ? json : undefined;
    });
    expect(seen.letters).toMatchObject([
      { queue: capturePayment.kind, reason: 'attempt-not-opened', key: `capture:${userId}/${orderId}:9` },
    ]);
    expect(seen.next[0].command).toBe(`npm run andal -- dlq inspect --key ${userId}/${orderId}`);
    const { stdout } = await cli(`explain ${userId}/${orderId}`);
    expect(stdout).toMatch(/Provider: .* is captured[\s\S]*Dead letters: capture-payment \(attempt-not-opened\)[\s\S]*Next: /);
    // Looked at twice and taken from nobody.
    expect(await waitForLetters(deadLetterQueueUrl, 1, isMine)).toHaveLength(1);
  });

  test('ends with 3 for an order there is not', async () => {
    expect(await cli('explain nobody/nothing')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('There is no order nobody/nothing'),
    });
  });
});

describe('andal status', () => {
  test('tells the rate limit the workers were deployed with', async () => {
    const { code, json } = await cli('status --json');
    expect(code).toBe(0);
    expect(json.rateLimits).toEqual([{ dependency: 'payment-provider', callsPerSecond: 200, bookedAheadMs: expect.any(Number) }]);
    expect(json.queues.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['capture-payment', 'outbox-failed', 'invalidation-retry']),
    );
  });
});

describe('andal cache verify', () => {
  test('holds what readers filled against the table', async () => {
    const userId = uniqueName('u');
    const { orderId } = await placeOrder({ userId, idempotencyKey: uniqueName('k'), amountMinor: 4_999 });
    await waitForStatus(userId, orderId, 'paid');
    await waitUntil({ what: 'a cached answer' }, async () => (await getOrder(userId, orderId)).cacheStatus?.includes('hit') === true);
    const { code, json } = await cli('cache verify --all --lag 2s --json');
    expect({ code, json }).toMatchObject({ code: 0, json: { mismatches: [] } });
    expect(json.equal).toBeGreaterThan(0);
  });
});

describe('andal tune', () => {
  test('reads the runs of the workers from their logs', async () => {
    const { code, json } = await cli('tune --json');
    const [capture] = json.proposals;
    expect(capture).toMatchObject({ kind: 'capture-payment', declared: capturePayment.timing });
    expect(capture.measured.healthyRuns).toBeGreaterThan(0);
    expect(code).toBe(capture.verdict === 'too-little-data' ? 3 : 0);
  });
});

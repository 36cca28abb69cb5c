import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toAttributeValues } from '#shared/aws/attribute-values.ts';
import { captureBody, discardedOrder, type FakeAccount, openFakeAccount } from '../support/fake-account.ts';

// The command line as a process of its own, over HTTP; with the next release's code where something older is to be found.
vi.setConfig({ testTimeout: 60_000 });

const NEXT_RELEASE = { NODE_OPTIONS: '--import ./test/support/second-version-setup.ts' };
const DAY_MS = 86_400_000;

let account: FakeAccount;
beforeEach(async () => {
  account = await openFakeAccount();
});
afterEach(() => account.close());

const V1 = captureBody('u-1', 'o-1');
const V2 = JSON.stringify({ ...JSON.parse(V1), version: 2, payload: { userId: 'u-1', orderId: 'o-1', attempt: 1, channel: 'web' } });
const put = (item: Record<string, unknown>): void =>
  void account.aws.dynamodb.handle('PutItem', { TableName: 'State', Item: toAttributeValues(item) });
const orderWith = (orderId: string, bodies: readonly string[], outboxAtMs = Date.now()): void => {
  const { 'op:capture:1': _, ...order } = discardedOrder('u-1', orderId);
  put({ ...order, outbox: bodies.map((body) => JSON.parse(body)), outboxAtMs });
};
const send = (name: string, MessageBody: string): void => {
  const QueueUrl = `https://sqs.us-east-1.amazonaws.com/000000000000/${name}`;
  const answer = account.aws.sqs.handle('SendMessage', { QueueUrl, MessageBody });
  if ('error' in answer) throw new Error(answer.error.message);
};
// biome-ignore lint/suspicious/noExplicitAny: the document is looked into as a script would
const capture = (json: any): any => json.kinds.find(({ kind }: { kind: string }) => kind === 'capture-payment');

describe('andal drain-report', () => {
  it('finds nothing where there is nothing, and ends with 0', async () => {
    const { code, json, stderr } = await account.cli(['drain-report', '--json'], NEXT_RELEASE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(json).toMatchObject({ stage: 'local', drained: true, itemsLooked: 0, unknownKinds: [] });
    expect(json.kinds).toHaveLength(5);
    expect(capture(json)).toEqual({
      kind: 'capture-payment',
      version: 2,
      standing: 'drained',
      queue: { waiting: 0, inFlight: 0, delayed: 0 },
      versions: [],
    });
  });

  it('counts old messages in letters, parked letters, outboxes and stored jobs, and ends with 4', async () => {
    for (const body of [V1, V1, V2]) account.putLetter('capture-payment', body, { reason: 'attempts-spent' });
    account.putLetter('outbox-failed', JSON.stringify({ message: JSON.parse(V1) }));
    orderWith('o-1', [V1, V2]);
    put({ pk: 'JOB#capture-payment#k', sk: 'JOB', message: V1, 'try:run': 1 });
    const { code, json } = await account.cli(['drain-report', '--json'], NEXT_RELEASE);
    expect(code).toBe(4);
    expect(json).toMatchObject({ drained: false, itemsLooked: 2 });
    expect(capture(json)).toMatchObject({
      standing: 'older-left',
      versions: [
        { version: 1, age: 'older', letters: 2, parkedLetters: 1, outboxes: 1, storedJobs: 1 },
        { version: 2, age: 'current', letters: 1, parkedLetters: 0, outboxes: 1, storedJobs: 0 },
      ],
    });
  });

  it('leaves out what nothing reads any more: an old leftover in an outbox, and the message of a finished job', async () => {
    orderWith('o-1', [V1], Date.now() - 14 * DAY_MS);
    put({
      pk: 'JOB#capture-payment#k',
      sk: 'JOB',
      message: V1,
      'op:run': { status: 'completed', result: {}, hash: 'h', atMs: 1, by: 'w' },
    });
    expect(await account.cli(['drain-report', '--json'], NEXT_RELEASE)).toMatchObject({ code: 0, json: { drained: true, itemsLooked: 2 } });
    orderWith('o-1', [V1], Date.now() - 13.9 * DAY_MS);
    expect((await account.cli(['drain-report', '--json'], NEXT_RELEASE)).code).toBe(4);
  });

  it('does not know of a queue that is not empty, says so, and never looks into one', async () => {
    send('capture-payment', V2);
    const { code, json } = await account.cli(['drain-report', 'capture-payment', '--json'], NEXT_RELEASE);
    expect({ code, standing: capture(json).standing, kinds: json.kinds.length }).toEqual({
      code: 4,
      standing: 'queue-not-empty',
      kinds: 1,
    });
    const looked = account.aws.calls.filter(({ operation }) => operation === 'ReceiveMessage').map(({ input }) => String(input.QueueUrl));
    expect(looked.length).toBeGreaterThan(0);
    expect(looked.every((url) => /-dlq(\.fifo)?$/.test(url))).toBe(true);
    expect(account.messages('capture-payment')).toMatchObject([{ receives: 0 }]);
    expect((await account.cli(['drain-report'], NEXT_RELEASE)).stdout).toMatch(/capture-payment v2: not known: its queue holds 1,/);
  });

  it('does not know of messages that wait to be sent again, whatever their kind', async () => {
    send('outbox-failed', '{}');
    const { code, stdout } = await account.cli(['drain-report'], NEXT_RELEASE);
    expect(code).toBe(4);
    expect(stdout).toContain('capture-payment v2: not known: outboxes wait to be sent again');
  });

  it('does not know when letters cannot be seen', async () => {
    account.putLetter('capture-payment', V2, { reason: 'malformed' });
    account.aws.fault = ({ operation, input }) =>
      (operation === 'ReceiveMessage' && String(input.QueueUrl).endsWith('/capture-payment-dlq')
        ? { error: 'QueueDoesNotExist' }
        : undefined) as never;
    expect(capture((await account.cli(['drain-report', '--json'], NEXT_RELEASE)).json).standing).toBe('letters-not-all-seen');
  });

  it('says how many letters it could not see, and ends with 4, where no kind has an older version, too', async () => {
    for (let i = 0; i < 3; i++) account.putLetter('capture-payment', V1, { reason: 'malformed' });
    const QueueUrl = 'https://sqs.us-east-1.amazonaws.com/000000000000/capture-payment-dlq';
    account.aws.sqs.handle('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 2, VisibilityTimeout: 600 });
    const { code, stdout } = await account.cli(['drain-report']);
    expect(code).toBe(4);
    expect(stdout).toContain('Letters that could not be seen: about 2 in capture-payment.');
    expect((await account.cli(['drain-report', '--json'])).json).toMatchObject({
      complete: false,
      deadLetterQueues: expect.arrayContaining([{ name: 'capture-payment', state: 'there', seen: 1, unseen: 2 }]),
    });
  });

  it('names a dead-letter queue that is missing', async () => {
    account.aws.fault = ({ operation, input }) =>
      (operation === 'ReceiveMessage' && String(input.QueueUrl).endsWith('/capture-payment-dlq')
        ? { error: 'QueueDoesNotExist' }
        : undefined) as never;
    const { code, stdout } = await account.cli(['drain-report']);
    expect(code).toBe(4);
    expect(stdout).toContain('Missing: the dead-letter queue of capture-payment.');
  });

  it('writes nothing, and gives every letter back', async () => {
    for (let i = 0; i < 25; i++) account.putLetter('capture-payment', V1, { reason: 'malformed' });
    const { json } = await account.cli(['drain-report', '--json'], NEXT_RELEASE);
    expect(capture(json).versions).toMatchObject([{ version: 1, letters: 25 }]);
    expect(account.letters('capture-payment').every(({ visibleAtMs }) => visibleAtMs <= Date.now())).toBe(true);
    const operations = new Set(account.aws.calls.map(({ operation }) => operation));
    expect([...operations].sort()).toEqual(['ChangeMessageVisibilityBatch', 'GetQueueAttributes', 'ReceiveMessage', 'Scan']);
  });

  it('names what newer code wrote and kinds it does not know, which is no reason against removing a reader', async () => {
    account.putLetter('capture-payment', V2, { reason: 'unsupported-version' });
    account.putLetter('send-receipt', V1.replace('capture-payment', 'send-fax'), { reason: 'malformed' });
    account.putLetter('send-receipt', 'no message', { reason: 'malformed' });
    const { code, stdout } = await account.cli(['drain-report']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/capture-payment +v2 +newer +1/);
    expect(stdout).toContain('Newer code wrote messages of capture-payment.');
    expect(stdout).toContain('a kind this code does not know: send-fax');
    expect(stdout).toContain('1 more are no messages');
    expect(stdout).toContain('capture-payment v1: there is no older version.');
  });

  it('says what to do, in plain text where nobody looks', async () => {
    account.putLetter('capture-payment', V1, { reason: 'malformed' });
    const old = await account.cli(['drain-report'], NEXT_RELEASE);
    expect(old.stdout).toContain('capture-payment v2: messages of v1 are left. Keep the reader; replay or discard the letters');
    expect(old.stdout).not.toContain('\u001b');
  });

  it('refuses a kind there is none of, with 2', async () => {
    const { code, stderr } = await account.cli(['drain-report', 'send-fax']);
    expect(code).toBe(2);
    expect(stderr).toContain('The kinds are capture-payment');
  });
});

import { describe, expect, test } from 'vitest';
import { replaysIn } from '#shared/dead-letter/letter.ts';
import { type DeadLetter, readLetter, replaysOf } from '#shared/dead-letter/read-letter.ts';
import { replayLetter } from '#shared/dead-letter/replay-letter.ts';
import { createHandler } from '../../../functions/execute-job/handler.ts';
import { createLetterBench, type LetterBench } from './letter-bench.ts';

// B76 B79
const KIND = 'adjust-stock';
const MINUTE_MS = 60_000;
const adjustment = JSON.stringify({
  kind: KIND,
  version: 1,
  idempotencyKey: 'adjust:bolt/a-1',
  payload: { sku: 'bolt', adjustmentId: 'a-1', delta: -5 },
  enqueuedAt: '2026-11-30T10:00:00.000Z',
});

/** Hands every message of the source queue to the worker's function as its mapping would: with its attributes. */
async function work(bench: LetterBench): Promise<void> {
  const { queueUrl, definition } = bench.source(KIND);
  const handle = createHandler({
    worker: { ...bench.worker(definition), deadLetters: bench.overrides.deadLetters as never },
    handBack: async () => [],
    log: () => undefined,
  });
  for (const { id, body, attributes, system } of bench.messagesOf(KIND)) {
    bench.aws.sqs.handle('ReceiveMessage', { QueueUrl: queueUrl, MaxNumberOfMessages: 10 });
    const receiptHandle = bench.aws.sqs.messages(`${KIND}.fifo`).find((message) => message.id === id)?.receiptHandle;
    const messageAttributes = Object.entries(attributes as Record<string, { DataType: string; StringValue?: string }>).map(
      ([name, { DataType, StringValue }]) => [name, { dataType: DataType, stringValue: StringValue }],
    );
    const times = { ApproximateReceiveCount: '1', ApproximateFirstReceiveTimestamp: String(bench.clock.nowMs()) };
    const record = { messageId: id, receiptHandle, body, attributes: { ...system, ...times } };
    const Records = [{ ...record, messageAttributes: Object.fromEntries(messageAttributes) }];
    expect(await handle({ Records } as never, { getRemainingTimeInMillis: () => 25_000 })).toEqual({ batchItemFailures: [] });
    bench.aws.sqs.handle('DeleteMessage', { QueueUrl: queueUrl, ReceiptHandle: receiptHandle });
  }
}

async function onlyLetter(bench: LetterBench): Promise<DeadLetter> {
  bench.clock.advance(2 * MINUTE_MS);
  const [letter, ...others] = await bench.take(KIND);
  expect(others).toEqual([]);
  return letter as DeadLetter;
}

/** An adjustment of stock that is not there: it dies at its first attempt, however often it is brought back. */
async function hopeless(): Promise<{ bench: LetterBench; letter: DeadLetter }> {
  const bench = createLetterBench();
  const { queueUrl } = bench.source(KIND);
  const fifo = { MessageGroupId: 'bolt', MessageDeduplicationId: 'first' };
  bench.aws.sqs.handle('SendMessage', { QueueUrl: queueUrl, MessageBody: adjustment, ...fifo });
  await work(bench);
  return { bench, letter: await onlyLetter(bench) };
}

/** The same letter with so many attributes of its sender's. */
function withAttributes({ received, source }: DeadLetter, count: number): DeadLetter {
  const others = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, { dataType: 'String', text: `v${index}` }]));
  return readLetter({ ...received, attributes: others }, source);
}

describe('how often a letter was brought back', () => {
  test('is written on the letter it comes back as, round after round', async () => {
    const { bench, letter } = await hopeless();
    expect(replaysOf(letter)).toBe(0);
    expect(letter.why).not.toHaveProperty('replays');
    let again = letter;
    for (let round = 1; round <= 3; round++) {
      expect(await bench.replay(again)).toEqual({ outcome: 'replayed', rearmed: true });
      await work(bench);
      again = await onlyLetter(bench);
      expect(again.why).toMatchObject({ reason: 'stock-insufficient', replays: round });
      expect(replaysOf(again)).toBe(round);
      expect(again.received.body).toBe(adjustment);
      expect(again.why?.fingerprint).toBe(letter.why?.fingerprint);
    }
  });

  test('ends a circle where somebody sets a limit: nothing is changed, and the audit says why', async () => {
    const { bench, letter } = await hopeless();
    await bench.replay(letter);
    await work(bench);
    const again = await onlyLetter(bench);
    const item = bench.item(again.job?.target.key as never);
    const by = { who: 'script', why: 'every minute' };
    const world = bench.operator(KIND);
    expect(await replayLetter(again, { ...by, mostReplays: 1 }, world)).toEqual({ outcome: 'refused', code: 'replayed-too-often' });
    expect(bench.item(again.job?.target.key as never)).toEqual(item);
    expect(bench.lettersOf(KIND)).toHaveLength(1);
    expect(bench.messagesOf(KIND)).toEqual([]);
    expect((await bench.audit()).at(-1)).toMatchObject({ who: 'script', outcome: 'refused: replayed-too-often' });
    expect(await replayLetter(again, { ...by, mostReplays: 2 }, world)).toEqual({ outcome: 'replayed', rearmed: true });
  });

  test('stays on a message that SQS moves by itself afterwards', async () => {
    const { bench, letter } = await hopeless();
    const { attributes } = withAttributes(letter, 2).received;
    const moved = { ...letter.received, attributes: { ...attributes, 'andal-replays': { dataType: 'Number', text: '2' } } };
    expect(await bench.replay(readLetter(moved, letter.source))).toMatchObject({ outcome: 'replayed' });
    expect(bench.messagesOf(KIND)[0]?.attributes).toMatchObject({ 'andal-replays': { DataType: 'Number', StringValue: '3' } });
  });

  test('is none where somebody wrote nonsense', () => {
    for (const text of [undefined, '', '0', '-1', '1.5', 'three', '1e9', '99999999999']) expect(replaysIn(text)).toBe(0);
    expect(replaysIn('3')).toBe(3);
  });
});

describe("a letter full of its sender's attributes", () => {
  test('with ten of them is sent with all ten and nothing of ours', async () => {
    const { bench, letter } = await hopeless();
    expect(await bench.replay(withAttributes(letter, 10))).toEqual({ outcome: 'replayed', rearmed: true });
    expect(Object.keys(bench.messagesOf(KIND)[0]?.attributes ?? {})).toEqual(Array.from({ length: 10 }, (_, index) => `a${index}`));
  });

  test('with nine of them says which discard it left and goes without the count', async () => {
    const { bench, letter } = await hopeless();
    expect(await bench.replay(withAttributes(letter, 9))).toEqual({ outcome: 'replayed', rearmed: true });
    const names = Object.keys(bench.messagesOf(KIND)[0]?.attributes ?? {});
    expect(names).toHaveLength(10);
    expect(names).toContain('andal-replay');
  });
});

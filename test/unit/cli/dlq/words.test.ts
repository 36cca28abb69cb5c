import { describe, expect, it } from 'vitest';
import { writeLetter } from '#shared/dead-letter/letter.ts';
import type { ReceivedLetter } from '#shared/dead-letter/letter-queue-port.ts';
import { type DeadLetter, type LetterSource, readLetter } from '#shared/dead-letter/read-letter.ts';
import { capturePayment } from '#shared/jobs/capture-payment.ts';
import { causeOf, MOVED_BY_SQS, NO_REASON, shortDetail } from '../../../../cli/dead-letters/cause.ts';
import { formatDuration, parseDuration } from '../../../../cli/dead-letters/duration.ts';
import { ageOf } from '../../../../cli/dead-letters/letter-age.ts';
import { describeFilter, isOpenFilter, type LetterFilter, matches } from '../../../../cli/dead-letters/letter-filter.ts';
import { MASK, maskBody } from '../../../../cli/dead-letters/masked-body.ts';
import { createPace } from '../../../../cli/dead-letters/pace.ts';
import { captureBody } from '../../../support/fake-account.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 10, 30);
const source: LetterSource = { deadLetterQueueName: 'capture-dlq', queueUrl: 'https://q/capture', fifo: false, definition: capturePayment };
const received = (changed: Partial<ReceivedLetter> = {}): ReceivedLetter => ({
  messageId: '7d0c41c2-0000-4000-8000-000000000001',
  receiptHandle: 'r',
  body: captureBody('u-1', 'o-1'),
  attributes: {},
  sentAtMs: NOW_MS - 3 * 3_600_000,
  receiveCount: 4,
  ...changed,
});
const reasonOf = (reason: string, detail?: string) =>
  writeLetter({ kind: 'capture-payment', reason, detail, attempts: 6, firstSeenAtMs: NOW_MS, lastSeenAtMs: NOW_MS });
const withReason = (reason: string, detail?: string): DeadLetter =>
  readLetter(received({ attributes: { andal: { dataType: 'String', text: JSON.stringify(reasonOf(reason, detail)) } } }), source);

describe('a duration', () => {
  it.each([
    ['90s', 90_000],
    ['15m', 900_000],
    ['2h', 7_200_000],
    ['3d', 3 * DAY_MS],
  ])('is read from %s', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '2', 'h', '0h', '1.5h', '-2h', '2w', '1e3s', ' 2h', '2h30m', '9999999s'])('is not read from "%s"', (text) =>
    expect(() => parseDuration(text)).toThrow(/a whole number and a unit/),
  );

  it('is told in its two largest units, rounded down', () => {
    expect([0, 999, 61_000, 7_200_000, 3 * DAY_MS + 5 * 3_600_000 + 59_000].map(formatDuration)).toEqual([
      '0 s',
      '0 s',
      '1 min 1 s',
      '2 h',
      '3 d 5 h',
    ]);
  });
});

describe('the cause of a letter', () => {
  it('is what the worker wrote', () => {
    expect(causeOf(withReason('malformed', 'not JSON'))).toEqual({
      reason: 'malformed',
      detail: 'not JSON',
      fingerprint: reasonOf('malformed', 'not JSON').fingerprint,
    });
  });

  it('is SQS itself where SQS moved it and no code wrote why', () => {
    const moved = readLetter(received({ sourceArn: 'arn:aws:sqs:eu-central-1:1:capture' }), source);
    expect(causeOf(moved)).toMatchObject({ reason: MOVED_BY_SQS, detail: null });
    expect(causeOf(moved).fingerprint).toMatch(/^[0-9a-f]{12}$/);
  });

  it('is unknown where somebody put it there by hand, even under the name of our attribute', () => {
    expect(causeOf(readLetter(received({ attributes: { andal: { dataType: 'String', text: '{"reason":7}' } } }), source)).reason).toBe(
      NO_REASON,
    );
  });

  it.each([
    ['not JSON', 'not JSON'],
    ['payload.userId: Invalid input: expected string, received undefined', 'payload.userId: missing'],
    [
      'kind: Invalid input: expected string, received undefined; version: Invalid input; payload: x',
      '3 fields do not fit: kind, version, payload',
    ],
  ])('is told in a table by its essence: %s', (detail, short) => {
    expect(shortDetail(detail)).toBe(short);
    expect(shortDetail(detail).length).toBeLessThanOrEqual(48);
  });

  it('differs in its fingerprint from queue to queue', () => {
    const other = { ...source, deadLetterQueueName: 'refund-dlq', definition: undefined };
    expect(causeOf(readLetter(received(), other)).fingerprint).not.toBe(causeOf(readLetter(received(), source)).fingerprint);
  });
});

describe('a filter', () => {
  const letter = withReason('attempts-spent');
  const { fingerprint } = causeOf(letter);
  const passing: LetterFilter = {
    id: '7d0c41c2',
    fingerprint: fingerprint.slice(0, 4),
    cause: 'attempts-spent',
    olderThanMs: 2 * 3_600_000,
    newerThanMs: 4 * 3_600_000,
    key: 'capture:u-1/o-1:1',
  };

  it('lets a letter pass that all of its parts hold for', () => expect(matches(passing, NOW_MS)(letter)).toBe(true));

  it.each<[string, LetterFilter]>([
    ['another id', { id: '7d0c41c3' }],
    ['another fingerprint', { fingerprint: '0000' }],
    ['another cause', { cause: 'malformed' }],
    ['younger than wanted', { olderThanMs: 3 * 3_600_000 }],
    ['older than wanted', { newerThanMs: 3 * 3_600_000 }],
    ['another key', { key: 'capture:u-1/o-1:2' }],
    ['part of a key', { key: 'o-1' }],
  ])('holds back one that does not hold for it: %s', (_, part) => expect(matches({ ...passing, ...part }, NOW_MS)(letter)).toBe(false));

  it('means every job of an order by its name', () => {
    expect(matches({ key: 'u-1/o-1' }, NOW_MS)(letter)).toBe(true);
    expect(matches({ key: 'u-1/o-12' }, NOW_MS)(letter)).toBe(false);
  });

  it('says what it means', () => {
    expect(describeFilter({})).toBe('all letters');
    expect(isOpenFilter({ kind: undefined })).toBe(true);
    expect(describeFilter({ kind: 'capture-payment', cause: 'malformed', olderThanMs: 7_200_000 })).toBe(
      'kind capture-payment, cause malformed, older than 2 h',
    );
  });
});

// B28
describe('the age of a letter', () => {
  it('counts from the first send where SQS moved it: three days old in a queue of fourteen it has eleven left', () => {
    const moved = readLetter(received({ sentAtMs: NOW_MS - 3 * DAY_MS, sourceArn: 'arn' }), source);
    expect(ageOf(moved, 14 * DAY_MS, NOW_MS)).toMatchObject({
      ageMs: 3 * DAY_MS,
      leftMs: 11 * DAY_MS,
      deletedAtMs: NOW_MS + 11 * DAY_MS,
      deadSinceMs: null,
    });
  });

  it('counts from the letter where a worker wrote it, which is a message of its own', () => {
    expect(ageOf(withReason('malformed'), 14 * DAY_MS, NOW_MS).deadSinceMs).toBe(NOW_MS - 3 * 3_600_000);
  });

  it('is never past its end', () => {
    expect(ageOf(withReason('malformed'), 3_600_000, NOW_MS).leftMs).toBe(0);
  });
});

describe('a body that is shown', () => {
  it('keeps its shape and covers the values of its payload, however deep', () => {
    const body = JSON.stringify({
      kind: 'k',
      version: 1,
      payload: { userId: 'u-17', to: [{ mail: 'a@b' }], nested: { card: '4242' } },
      extra: 'secret',
    });
    expect(maskBody(body)).toEqual({
      kind: 'k',
      version: 1,
      payload: { userId: MASK, to: [MASK], nested: { card: MASK } },
      extra: MASK,
    });
  });

  it.each(['4242 4242 4242 4242', '["4242"]', '"4242"', '{ "kind": ', 'null'])('covers altogether what is no object: %s', (body) =>
    expect(maskBody(body)).toBe(MASK),
  );

  it('covers names of fields that are none, and known fields that hold something else', () => {
    const text = JSON.stringify(maskBody(JSON.stringify({ '4242 4242': 1, kind: { card: '4242' }, trace: '4'.repeat(300) })));
    expect(text).not.toContain('42');
    expect(text).not.toContain('444');
  });
});

describe('a pace', () => {
  const run = async (perSecond: number, count: number, hold: (index: number) => number): Promise<number> => {
    let nowMs = 0;
    const sleep = async (durationMs: number): Promise<void> => {
      nowMs += durationMs;
    };
    const pace = createPace(perSecond, { nowMs: () => nowMs, sleep });
    for (let index = 0; index < count; index++) {
      await pace.pass(1, new AbortController().signal);
      nowMs += hold(index);
    }
    return (count * 1_000) / nowMs;
  };

  it('is kept within five in a hundred', async () => {
    const rate = await run(50, 500, () => 0);
    expect(rate).toBeGreaterThan(47.5);
    expect(rate).toBeLessThan(52.5);
  });

  it('is kept, too, when calls in between take time', async () => {
    const rate = await run(50, 500, (index) => (index % 10 === 0 ? 100 : 0));
    expect(rate).toBeGreaterThan(47.5);
    expect(rate).toBeLessThan(52.5);
  });

  it('does not make up for a standstill', async () => {
    const rate = await run(50, 100, (index) => (index === 50 ? 60_000 : 0));
    expect(rate).toBeLessThan(2);
  });

  it('lets nothing through once the run is broken off', async () => {
    const pace = createPace(1, { nowMs: () => 0, sleep: async () => undefined });
    expect(await pace.pass(1, AbortSignal.abort())).toBe(false);
  });
});

it('covers what stands where a key, a kind or a trace should be and is none', () => {
  const fields = {
    kind: 'jane@example.org',
    version: '4000 0000 0000 0002',
    idempotencyKey: 'DE89 3704 0044',
    enqueuedAt: 'tomorrow',
    trace: '4000000000000002',
  };
  expect(maskBody(JSON.stringify(fields))).toEqual(Object.fromEntries(Object.keys(fields).map((name) => [name, MASK])));
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromAttributeValues, toAttributeValues } from '#shared/aws/attribute-values.ts';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import { fenceOf, type ItemImage, type OperationRecord } from '#shared/item/attributes.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { commitWrite } from '#shared/item/commit.ts';
import type { ItemWrite } from '#shared/item/expression.ts';
import { extendWrite } from '#shared/item/extend.ts';
import { requestWrite } from '#shared/item/request.ts';
import { buriedWrite, discardWrite, settleWrite } from '#shared/item/settle.ts';
import { createFakeDynamodb } from '../../support/fake-aws/fake-dynamodb.ts';
import { stateTable } from '../../support/fake-aws/project-tables.ts';

const key = orderItemKey('u-1', 'ord-1');
const CAPTURE = 'capture:1';
const LEASE_MS = 10;

/** The item under its real expressions, with time in hand and no SDK in between. */
function createItem() {
  const dynamodb = createFakeDynamodb({ now: () => 0 });
  dynamodb.createTable(stateTable('State'));
  const image = (): ItemImage => fromAttributeValues((dynamodb.item('State', toAttributeValues({ ...key }) as never) ?? {}) as never);
  const apply = ({ update, item, condition, names, values }: ItemWrite): boolean => {
    const common = {
      TableName: 'State',
      ConditionExpression: condition,
      ExpressionAttributeNames: names,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: toAttributeValues(values) }),
    };
    const answer = item
      ? dynamodb.handle('PutItem', { ...common, Item: toAttributeValues(item) })
      : dynamodb.handle('UpdateItem', { ...common, Key: toAttributeValues({ ...key }), UpdateExpression: update });
    if ('error' in answer && answer.error.name !== 'ConditionalCheckFailedException') throw answer.error;
    return !('error' in answer);
  };
  apply(acceptWrite(key, { status: 'paid', attempt: 1 }, [], 0));
  return { image, apply };
}

/** An execution of one owner: what it believes it holds, right or wrong. */
interface Believer {
  readonly owner: string;
  readonly operation: string;
  readonly fence: number;
}

type Step = {
  readonly kind: 'claim' | 'commit' | 'settle' | 'discard' | 'bury' | 'extend' | 'request' | 'wait';
  readonly who: number;
  readonly operation: 0 | 1;
  readonly amount: number;
};
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'claim',
    'claim',
    'claim',
    'commit',
    'commit',
    'settle',
    'discard',
    'bury',
    'extend',
    'request',
    'request',
    'wait',
    'wait',
  ),
  who: fc.nat({ max: 2 }),
  operation: fc.constantFrom(0, 1),
  amount: fc.nat({ max: 25 }),
});

const record = ({ owner, fence }: Believer, status: OperationRecord['status'], nowMs: number): OperationRecord => ({
  status,
  hash: 'h',
  atMs: nowMs,
  by: owner,
  fence,
  tries: 1,
  ...(status === 'discarded' ? { reason: 'x' } : {}),
});

function ownersWrite(kind: Step['kind'], believer: Believer, nowMs: number, amount: number): ItemWrite | undefined {
  const { operation, owner, fence } = believer;
  const base = { key, operation, holder: { owner, fence } };
  if (kind === 'extend') return extendWrite(key, base.holder, nowMs + amount);
  if (kind === 'settle')
    return settleWrite({
      ...base,
      dueAtMs: nowMs + (amount % 5),
      notSent: amount % 2 === 0,
      deferred: amount % 3 === 0,
      lastError: 'e',
      overdueAtMs: nowMs + 50,
    });
  if (kind === 'discard')
    return discardWrite({ ...base, record: record(believer, 'discarded', nowMs), notSent: false, overdueAtMs: nowMs + 50 });
  if (kind === 'commit')
    return commitWrite({
      ...base,
      record: record(believer, 'completed', nowMs),
      outbox: [],
      keepOverdue: false,
      ownItem: false,
      recordOnly: false,
      nowMs,
    });
  return undefined;
}

/** A request decided on, or a job made for, an attempt that another request has meanwhile moved on. */
const isStale = ({ kind, operation, amount }: Step): boolean =>
  (kind === 'request' || (kind === 'claim' && operation === 1)) && amount % 4 === 3;

const requestOf = (attempt: number, { amount }: Step, requestId: string, nowMs: number): ItemWrite =>
  requestWrite({
    key,
    requestId,
    token: 't',
    at: { attribute: 'attempt', value: attempt },
    opens: `refund:${attempt + 1}`,
    fromStatus: 'paid',
    set: { wish: amount, attempt: attempt + 1 },
    captureOperation: CAPTURE,
    outbox: [],
    nowMs,
  });

function play(
  steps: readonly Step[],
  check: (seen: {
    before: ItemImage;
    after: ItemImage;
    step: Step;
    accepted: boolean;
    believer: Believer | undefined;
    nowMs: number;
  }) => void,
): void {
  const item = createItem();
  const believers: (Believer | undefined)[] = [];
  let nowMs = 100;
  let names = 0;
  for (const step of steps) {
    if (step.kind === 'wait') nowMs += step.amount;
    const before = item.image();
    const attempt = Number(before['attempt']);
    // Each accepted request opens the next operation, as a second payment attempt does.
    const operation = step.operation === 0 ? CAPTURE : `refund:${attempt}`;
    const believed = { attribute: 'attempt', value: isStale(step) ? attempt - 1 : attempt };
    let believer = believers[step.who];
    let accepted = false;
    if (step.kind === 'claim') {
      const owner = `owner-${++names}`;
      const current = operation === CAPTURE ? undefined : believed;
      accepted = item.apply(claimWrite({ key, operation, owner, intentHash: 'h', nowMs, leaseUntilMs: nowMs + LEASE_MS, current }));
      believer = accepted ? { owner, operation, fence: fenceOf(item.image()) } : undefined;
      // Only an accepted claim makes a believer; a refused one leaves the earlier belief, which may be stale.
      if (accepted) believers[step.who] = believer;
    } else if (step.kind === 'request') {
      accepted = item.apply(requestOf(believed.value, step, `r-${++names}`, nowMs));
    } else if (step.kind === 'bury') {
      const { by = 'nobody' } = (before[`op:${operation}`] ?? {}) as { by?: string };
      accepted = item.apply(buriedWrite(key, operation, { by, keepOverdue: false }));
    } else if (believer !== undefined) {
      const write = ownersWrite(step.kind, believer, nowMs, step.amount);
      accepted = write !== undefined && item.apply(write);
    }
    check({ before, after: item.image(), step, accepted, believer, nowMs });
  }
}

const forAllInterleavings = (check: Parameters<typeof play>[1], options: fc.Parameters<[Step[]]> = {}): void =>
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => play(steps, check)),
    { numRuns: 300, ...options },
  );

test('the interleavings tried are not tame: takeovers, late owners, requests in between and refused ones all occur', () => {
  const seen = new Set<string>();
  forAllInterleavings(
    ({ before, step, accepted, believer }) => {
      if (step.kind === 'claim' && isStale(step)) seen.add('stale claim');
      if (step.kind === 'claim' && accepted && before.lease === 'held') seen.add('takeover');
      if (step.kind === 'commit' && believer !== undefined) seen.add(accepted ? 'commit' : 'late commit');
      if (step.kind === 'settle' && believer !== undefined) seen.add(accepted ? 'settle' : 'late settle');
      if (step.kind === 'request') seen.add(accepted ? 'request' : isStale(step) ? 'stale request' : 'refused request');
      if (step.kind === 'request' && accepted && before.attempt !== 1) seen.add('second request');
      if (step.kind === 'request' && accepted && before.lease === 'held') seen.add('request past a deadline');
      if (step.kind === 'request' && accepted && before[`op:${CAPTURE}`] !== undefined) seen.add('request after the capture');
    },
    { seed: 1 },
  );
  expect([...seen].sort()).toEqual([
    'commit',
    'late commit',
    'late settle',
    'refused request',
    'request',
    'request after the capture',
    'request past a deadline',
    'second request',
    'settle',
    'stale claim',
    'stale request',
    'takeover',
  ]);
});

describe('however claims, commits, settles, extensions and requests interleave', () => {
  test('the fence only rises, by one at each claim and each request', () => {
    forAllInterleavings(({ before, after, step, accepted }) => {
      const raises = accepted && (step.kind === 'claim' || step.kind === 'request');
      expect(fenceOf(after)).toBe(fenceOf(before) + (raises ? 1 : 0));
    });
  });

  test('no write by anybody but the live owner is accepted', () => {
    forAllInterleavings(({ before, accepted, step, believer }) => {
      if (!accepted || !['commit', 'settle', 'discard', 'extend'].includes(step.kind)) return;
      expect(before).toMatchObject({ lease: 'held', leaseOwner: believer?.owner, fence: believer?.fence });
    });
  });

  test('an operation ends once, and its record never changes but for the mark that its letter is out', () => {
    forAllInterleavings(({ before, after }) => {
      for (const name of Object.keys(before).filter((one) => one.startsWith('op:'))) {
        const { buried: _, ...was } = before[name] as OperationRecord;
        expect(after[name]).toMatchObject(was);
      }
    });
  });

  test('a held item is claimed or changed by a request only after its deadline, and a lease always has a deadline and an owner', () => {
    forAllInterleavings(({ before, after, step, accepted, nowMs }) => {
      if (accepted && (step.kind === 'claim' || step.kind === 'request') && before.lease === 'held')
        expect(before.leaseUntilMs).toBeLessThan(nowMs);
      const marks = ['leaseOwner', 'leaseOp', 'leaseUntilMs'].map((name) => after[name] !== undefined);
      expect(marks).toEqual(after.lease === 'held' ? [true, true, true] : [false, false, false]);
    });
  });

  test('every write that raises the version leaves the item free, or the stream would miss it', () => {
    forAllInterleavings(({ before, after }) => {
      const raised = Number(after.version) - Number(before.version);
      expect([0, 1]).toContain(raised);
      if (raised === 1) expect(after.lease).toBe('free');
    });
  });

  test('no request and no claim passes that is about an attempt since moved on, and each request that passes moves it on by one', () => {
    forAllInterleavings(({ before, after, accepted, step }) => {
      if (isStale(step)) expect(accepted).toBe(false);
      expect(after.attempt).toBe(Number(before.attempt) + (accepted && step.kind === 'request' ? 1 : 0));
    });
  });

  test('a deferral gives its attempt back and no count ever falls below nothing', () => {
    forAllInterleavings(({ before, after, accepted, step, believer }) => {
      for (const name of Object.keys(after).filter((one) => /^(try|sent):/.test(one))) expect(after[name]).toBeGreaterThanOrEqual(0);
      if (step.kind !== 'settle' || !accepted || believer === undefined) return;
      const spent = `try:${believer.operation}`;
      expect(after[spent]).toBe(Number(before[spent]) - (step.amount % 3 === 0 ? 1 : 0));
    });
  });

  test('no request passes while an attempt of the capture may be out', () => {
    forAllInterleavings(({ before, accepted, step }) => {
      if (!accepted || step.kind !== 'request') return;
      const completed = (before['op:capture:1'] as OperationRecord | undefined)?.status === 'completed';
      expect(completed || Number(before['sent:capture:1'] ?? 0) === 0).toBe(true);
    });
  });
});

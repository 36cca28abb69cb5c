import { describe, expect, test } from 'vitest';
import { orderItemKey } from '#shared/contract/item-keys.ts';
import type { JobMessage } from '#shared/contract/message.ts';
import { acceptWrite } from '#shared/item/accept.ts';
import type { OperationRecord } from '#shared/item/attributes.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { commitWrite } from '#shared/item/commit.ts';
import { leaseIsFree } from '#shared/item/conditions.ts';
import { type ItemWrite, updateWrite } from '#shared/item/expression.ts';
import { extendWrite } from '#shared/item/extend.ts';
import { rearmWrite } from '#shared/item/rearm.ts';
import { requestWrite } from '#shared/item/request.ts';
import { buriedWrite, discardWrite, settleWrite } from '#shared/item/settle.ts';
import { check } from '../../support/fake-aws/dynamodb/validate.ts';
import { readable, requestOf } from './readable.ts';

const key = orderItemKey('u-1', 'ord-1');
const holder = { owner: 'owner-1', fence: 3 };
const operation = 'capture:1';
const message: JobMessage = {
  kind: 'send-receipt',
  version: 1,
  idempotencyKey: 'receipt:u-1/ord-1:1',
  payload: { orderId: 'ord-1' },
  enqueuedAt: '2026-11-30T10:00:00.000Z',
};
const record = (status: 'completed' | 'discarded'): OperationRecord => ({
  status,
  result: { captureId: 'cap-1', declineReason: undefined },
  hash: 'h',
  atMs: 5,
  by: 'owner-1',
  fence: 3,
  tries: 1,
});
const base = { key, operation, holder };
const claim = { key, operation, owner: 'owner-1', intentHash: 'hash-1', nowMs: 1_000, leaseUntilMs: 28_000 };
const commit = {
  ...base,
  record: record('completed'),
  outbox: [message],
  keepOverdue: false,
  ownItem: false,
  recordOnly: false,
  nowMs: 2_000,
};

/** Every combination of options, as objects. */
function combinations<T extends Record<string, readonly unknown[]>>(options: T): { [Name in keyof T]: T[Name][number] }[] {
  return Object.entries(options).reduce<Record<string, unknown>[]>(
    (made, [name, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as never;
}

const change = [
  undefined,
  {},
  { set: { status: 'paid', note: undefined } },
  { remove: ['declineReason'] },
  { set: { status: 'paid', amount: 1.5, list: [1, { a: null }] }, remove: ['declineReason', 'captureId'] },
];
const writes: Record<string, ItemWrite[]> = {
  accept: [acceptWrite(key, { status: 'pending_payment', note: undefined }, [message], 1), acceptWrite(key, {}, [], 1)],
  claim: combinations({
    ownItemMessage: [undefined, '{}'],
    operation: ['run', 'capture:1', 'a/b.c#d'],
    current: [undefined, { attribute: 'attempt', value: 2 }],
  }).map((options) => claimWrite({ ...claim, ...options })),
  extend: [extendWrite(key, holder, 9)],
  commit: combinations({
    change,
    outbox: [[], [message], [message, message]],
    guard: [undefined, { attribute: 'status', equals: 'pending_payment' }],
    keepOverdue: [true, false],
    ownItem: [true, false],
    recordOnly: [true, false],
  }).map((options) => commitWrite({ ...commit, ...options })),
  settle: combinations({
    notSent: [true, false],
    deferred: [true, false],
    lastError: [undefined, 'provider-timeout'],
    overdueAtMs: [undefined, 7],
  }).map((options) => settleWrite({ ...base, dueAtMs: 5, ...options })),
  discard: combinations({
    notSent: [true, false],
    record: [record('discarded'), { ...record('discarded'), reason: 'attempts-spent' }],
  }).map((options) => discardWrite({ ...base, overdueAtMs: 7, ...options })),
  buried: [true, false].map((keepOverdue) => buriedWrite(key, operation, { by: 'owner-1', keepOverdue })),
  request: combinations({
    remove: [[], ['captureId']],
    outbox: [[], [message]],
    set: [{ status: 'refund_pending' }, { status: 'pending_payment', attempt: 2 }],
  }).map((options) =>
    requestWrite({
      key,
      requestId: 'r',
      token: 't',
      at: { attribute: 'attempt', value: 1 },
      opens: 'capture:2',
      fromStatus: 'paid',
      captureOperation: operation,
      nowMs: 4,
      ...options,
    }),
  ),
  rearm: [rearmWrite(key, operation)],
};

describe('every write the protocol can build', () => {
  test.each(Object.entries(writes))('%s is accepted by the checks DynamoDB makes before it looks at an item', async (_name, built) => {
    for (const write of built) {
      const { operation, input } = await requestOf(write);
      expect(() => check(operation, input), JSON.stringify(readable(write))).not.toThrow();
    }
  });

  test('names and values are all used, so that no placeholder is left over', () => {
    for (const { update = '', condition, names, values } of Object.values(writes).flat()) {
      for (const placeholder of [...Object.keys(names), ...Object.keys(values)])
        expect(`${update} ${condition} `).toMatch(new RegExp(`${placeholder}(?![0-9])`));
    }
  });

  test('the checks themselves refuse what the emulator lets through', async () => {
    const { input } = await requestOf(extendWrite(key, holder, 9));
    expect(() => check('UpdateItem', { ...input, UpdateExpression: 'SET #n0 = :v0 REMOVE #n0' })).toThrow(/overlap/);
    expect(() => check('UpdateItem', { ...input, UpdateExpression: 'SET #n0 = :v0 SET #n1 = :v0' })).toThrow(/SET/);
  });
});

describe('a write that would be ambiguous', () => {
  const write = (effect: Parameters<typeof updateWrite>[1]) => () => updateWrite(key, effect, leaseIsFree(1));
  test.each([
    ['SET and REMOVE', { set: { a: 1 }, remove: ['a'] }],
    ['SET and ADD', { set: { a: 1 }, add: { a: 1 } }],
    ['SET twice', { set: { a: 1 }, setIfAbsent: { a: 1 } }],
    ['REMOVE twice', { remove: ['a', 'a'] }],
    ['ADD and REMOVE', { add: { a: 1 }, remove: ['a'] }],
  ])('is refused by name when one attribute stands in %s', (_clauses, effect) => {
    expect(write(effect)).toThrow(new RangeError('one write names a in two clauses'));
  });

  test('is refused when a job both sets and removes an attribute', () => {
    expect(() => commitWrite({ ...commit, change: { set: { status: 'paid' }, remove: ['status'] } })).toThrow(RangeError);
  });
});

const PROTOCOL_NAMES = [
  'pk',
  'sk',
  'version',
  'fence',
  'lease',
  'leaseOwner',
  'leaseOp',
  'leaseUntilMs',
  'outbox',
  'outboxAtMs',
  'overdueShard',
  'overdueAtMs',
  'lastError',
  'message',
  'expiresAt',
  'requests',
  'req:x',
  'op:capture:1',
  'op:other',
  'try:x',
  'sent:x',
  'due:x',
  'hash:x',
];

test.each(PROTOCOL_NAMES)('a change may not touch %s, neither from a job nor from a request', (name) => {
  const request = {
    key,
    requestId: 'r',
    token: 't',
    at: { attribute: 'attempt', value: 1 },
    opens: 'capture:2',
    fromStatus: 'paid',
    captureOperation: operation,
    outbox: [],
    nowMs: 1,
  };
  expect(() => commitWrite({ ...commit, change: { set: { [name]: 'x' } } })).toThrow(`may not touch ${name}`);
  expect(() => commitWrite({ ...commit, change: { remove: [name] } })).toThrow(`may not touch ${name}`);
  expect(() => requestWrite({ ...request, set: { [name]: 'x' } })).toThrow(`may not touch ${name}`);
  expect(() => requestWrite({ ...request, set: {}, remove: [name] })).toThrow(`may not touch ${name}`);
});

describe('the two writes of a healthy job read', () => {
  test('as the claim', () => {
    expect(readable(claimWrite(claim))).toEqual({
      update:
        'SET lease = "held", leaseOwner = "owner-1", leaseOp = "capture:1", leaseUntilMs = 28000, hash:capture:1 = if_not_exists(hash:capture:1, "hash-1"), version = if_not_exists(version, 0)' +
        ' REMOVE outbox, outboxAtMs ADD try:capture:1 1, sent:capture:1 1, fence 1',
      condition:
        'attribute_exists(pk) AND attribute_not_exists(op:capture:1) AND (attribute_not_exists(lease) OR lease = "free" OR leaseUntilMs < 1000)' +
        ' AND (attribute_not_exists(due:capture:1) OR due:capture:1 <= 1000) AND (attribute_not_exists(hash:capture:1) OR hash:capture:1 = "hash-1")',
    });
  });

  test('as the claim of a job that its item must be at', () => {
    const condition = readable(claimWrite({ ...claim, current: { attribute: 'attempt', value: 2 } })).condition;
    expect(condition).toContain('attribute_not_exists(op:capture:1) AND attempt = 2 AND (attribute_not_exists(lease) OR ');
  });

  test('as the claim of an item of its own, which it may bring into being', () => {
    const own = readable(claimWrite({ ...claim, operation: 'run', ownItemMessage: 'body' }));
    expect(own.update).toContain('message = "body", expiresAt = 3888001');
    expect(own.condition).toMatch(/^attribute_not_exists\(op:run\) AND /);
  });

  test('as the commit', () => {
    const write = commitWrite({
      ...commit,
      outbox: [],
      record: { ...record('completed'), result: { captureId: 'c' } },
      change: { set: { status: 'paid' } },
      guard: { attribute: 'status', equals: 'pending_payment' },
    });
    expect(readable(write)).toEqual({
      update:
        'SET status = "paid", lease = "free", op:capture:1 = {"status":"completed","result":{"captureId":"c"},"hash":"h","atMs":5,"by":"owner-1","fence":3,"tries":1}' +
        ' REMOVE leaseOwner, leaseOp, leaseUntilMs, try:capture:1, sent:capture:1, due:capture:1, hash:capture:1, overdueShard, overdueAtMs, lastError ADD version 1',
      condition: 'leaseOwner = "owner-1" AND fence = 3 AND status = "pending_payment"',
    });
  });

  test('as the commit of a job that no longer matters: recorded, with no new version and no business condition', () => {
    const write = readable(
      commitWrite({ ...commit, outbox: [], recordOnly: true, guard: { attribute: 'status', equals: 'pending_payment' } }),
    );
    expect(write.update).not.toContain('version');
    expect(write.condition).toBe('leaseOwner = "owner-1" AND fence = 3');
  });
});

describe('the release of a job read', () => {
  const settle = { ...base, dueAtMs: 5 };

  test('as a failure: the attempt stays spent and the rescue is told when to look', () =>
    expect(readable(settleWrite({ ...settle, notSent: true, deferred: false, lastError: 'later', overdueAtMs: 7 }))).toEqual({
      update:
        'SET lease = "free", due:capture:1 = 5, lastError = "later", overdueShard = "0", overdueAtMs = 7' +
        ' REMOVE leaseOwner, leaseOp, leaseUntilMs ADD sent:capture:1 -1',
      condition: 'leaseOwner = "owner-1" AND fence = 3',
    }));

  test('as a deferral: attempt and mark of sending are given back, earlier marks are not touched', () =>
    expect(readable(settleWrite({ ...settle, notSent: true, deferred: true }))).toEqual({
      update: 'SET lease = "free", due:capture:1 = 5 REMOVE leaseOwner, leaseOp, leaseUntilMs ADD sent:capture:1 -1, try:capture:1 -1',
      condition: 'leaseOwner = "owner-1" AND fence = 3',
    }));
});

test('leaves an undefined value out of a change instead of building a write nobody accepts', () => {
  expect(readable(commitWrite({ ...commit, change: { set: { status: 'paid', note: undefined } } })).update).not.toContain('note');
});

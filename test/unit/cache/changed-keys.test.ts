import { describe, expect, it } from 'vitest';
import { changedKeys, type StreamRecord } from '#shared/cache/changed-keys.ts';

// Cases: B43, B97.

const ORDER = { pk: { S: 'USER#u-1' }, sk: { S: 'ORDER#ord-1' } };
const JOB = { pk: { S: 'JOB#send-receipt#receipt:u-1/ord-1:1' }, sk: { S: 'JOB' } };
const EXPIRY = { type: 'Service', principalId: 'dynamodb.amazonaws.com' };
const version = (number: string) => ({ ...ORDER, version: { N: number } });

const ORDER_KEYS = { kind: 'keys', keys: ['order:u-1/ord-1', 'order_summary:user:u-1'] };
const NO_KEYS = { kind: 'keys', keys: [] };

const record = (eventName: string, dynamodb: StreamRecord['dynamodb'], userIdentity?: StreamRecord['userIdentity']): StreamRecord => ({
  eventName,
  dynamodb,
  userIdentity,
});

describe('the cache keys of a stream record', () => {
  it('are the order’s and its user’s summary when an order is new or its version changed', () => {
    expect(changedKeys(record('INSERT', { Keys: ORDER, NewImage: version('1') }))).toEqual(ORDER_KEYS);
    expect(changedKeys(record('MODIFY', { Keys: ORDER, OldImage: version('1'), NewImage: version('2') }))).toEqual(ORDER_KEYS);
  });

  it('are none when the version stayed: a claim, an extension, a settle', () => {
    expect(changedKeys(record('MODIFY', { Keys: ORDER, OldImage: version('2'), NewImage: version('2') }))).toEqual(NO_KEYS);
  });

  it('tell versions apart that are too large for a number', () => {
    const images = { OldImage: version('9007199254740992'), NewImage: version('9007199254740993') };
    expect(changedKeys(record('MODIFY', { Keys: ORDER, ...images }))).toEqual(ORDER_KEYS);
  });

  it('are the order’s when there is no version to compare', () => {
    expect(changedKeys(record('MODIFY', { Keys: ORDER, OldImage: version('1'), NewImage: ORDER }))).toEqual(ORDER_KEYS);
    expect(changedKeys(record('MODIFY', { Keys: ORDER }))).toEqual(ORDER_KEYS);
  });

  it('are the order’s when the application deleted it, named or not', () => {
    expect(changedKeys(record('REMOVE', { Keys: ORDER, OldImage: version('3') }))).toEqual(ORDER_KEYS);
    expect(changedKeys(record('REMOVE', { Keys: ORDER, OldImage: version('3') }, null))).toEqual(ORDER_KEYS);
    expect(changedKeys(record('REMOVE', { Keys: ORDER }, { type: 'AssumedRole', principalId: 'A:operator' }))).toEqual(ORDER_KEYS);
  });

  it('are none for what expired', () => {
    expect(changedKeys(record('REMOVE', { Keys: ORDER, OldImage: version('3') }, EXPIRY))).toEqual(NO_KEYS);
    expect(changedKeys(record('REMOVE', { Keys: JOB, OldImage: JOB }, EXPIRY))).toEqual(NO_KEYS);
  });

  it('are none for items without a cached form, whoever changed or removed them', () => {
    expect(changedKeys(record('REMOVE', { Keys: JOB, OldImage: JOB }))).toEqual(NO_KEYS);
    expect(changedKeys(record('INSERT', { Keys: JOB, NewImage: JOB }))).toEqual(NO_KEYS);
    expect(changedKeys(record('INSERT', { Keys: { pk: { S: 'USER#u-1' }, sk: { S: 'PROFILE' } } }))).toEqual(NO_KEYS);
    expect(changedKeys(record('INSERT', { Keys: { pk: { S: 'SKU#1' }, sk: { S: 'ORDER#ord-1' } } }))).toEqual(NO_KEYS);
  });

  it('cannot be told without the item’s keys', () => {
    expect(changedKeys(record('INSERT', {}))).toEqual({ kind: 'unreadable' });
    expect(changedKeys(record('INSERT', { Keys: { pk: { N: '1' }, sk: { S: 'ORDER#1' } } }))).toEqual({ kind: 'unreadable' });
    expect(changedKeys({})).toEqual({ kind: 'unreadable' });
  });
});

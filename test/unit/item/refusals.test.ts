import { describe, expect, test } from 'vitest';
import type { ItemNumber } from '#shared/item/conditions.ts';
import { readClaimRefusal, readLateRefusal } from '#shared/item/refusal.ts';

const identity = { operation: 'capture:1', owner: 'me', intentHash: 'hash', nowMs: 1_000 };
const completed = { status: 'completed', result: { captureId: 'c' }, hash: 'hash', atMs: 1, by: 'other', fence: 1, tries: 1 };
const discarded = { ...completed, status: 'discarded', reason: 'attempts-spent' };
const held = { lease: 'held', leaseOwner: 'other', leaseOp: 'capture:1', leaseUntilMs: 2_000, 'hash:capture:1': 'hash', fence: 4 };

describe('a refused claim is read', () => {
  const read = (old: Record<string, unknown> | undefined, current?: ItemNumber) => readClaimRefusal(old, { ...identity, current });
  const second = { attribute: 'attempt', value: 2 };

  test('as not found when there is no item', () => expect(read(undefined)).toEqual({ kind: 'not-found' }));

  test('as our own write repeated when the lease already carries our name', () => {
    const ours = { ...held, leaseOwner: 'me' };
    expect(read(ours)).toEqual({ kind: 'ours', image: ours });
  });

  test('as somebody else’s when only the operation, or only the owner, is ours', () => {
    expect(read(held)).toMatchObject({ kind: 'busy' });
    expect(read({ ...held, leaseOwner: 'me', leaseOp: 'refund:1' })).toMatchObject({ kind: 'busy', sameOperation: false });
  });

  test('as finished, with the stored result', () =>
    expect(read({ lease: 'free', 'op:capture:1': completed })).toMatchObject({ kind: 'completed', record: completed }));

  test('as finished even while another operation holds the item', () =>
    expect(read({ ...held, leaseOp: 'refund:1', 'op:capture:1': completed })).toMatchObject({ kind: 'completed' }));

  test('as discarded, with the reason', () =>
    expect(read({ lease: 'free', 'op:capture:1': discarded })).toMatchObject({ kind: 'discarded', record: { reason: 'attempts-spent' } }));

  // B06
  test.each([
    ['before the first run ended', { lease: 'free', 'hash:capture:1': 'another' }],
    ['while it runs', { ...held, 'hash:capture:1': 'another' }],
    ['after it finished', { lease: 'free', 'op:capture:1': { ...completed, hash: 'another' } }],
    ['after it was discarded', { lease: 'free', 'op:capture:1': { ...discarded, hash: 'another' } }],
  ])('as another payload under the same key %s', (_when, old) => expect(read(old)).toEqual({ kind: 'payload-mismatch' }));

  test('as busy behind the same operation, and behind another', () => {
    expect(read(held)).toEqual({ kind: 'busy', sameOperation: true, leaseUntilMs: 2_000 });
    expect(read({ ...held, leaseOp: 'refund:1' })).toEqual({ kind: 'busy', sameOperation: false, leaseUntilMs: 2_000 });
  });

  test('as busy in the last millisecond of a lease and no longer after it', () => {
    expect(read({ ...held, leaseUntilMs: 1_000 })).toMatchObject({ kind: 'busy' });
    expect(read({ ...held, leaseUntilMs: 999 })).toEqual({ kind: 'changed-meanwhile' });
  });

  test.each([
    ['ahead of its item', { attempt: 1 }, 'ahead'],
    ['ahead of an item that has no such number yet', {}, 'ahead'],
    ['behind its item', { attempt: 3 }, 'superseded'],
  ])('as %s, whether that is free, busy or early', (_where, at, kind) => {
    for (const rest of [{ lease: 'free' }, held, { lease: 'free', 'due:capture:1': 1_001 }])
      expect(read({ ...rest, ...at }, second)).toEqual({ kind });
  });

  test('as what its record says and not as ahead or behind once it ended; at its number as any other', () => {
    expect(read({ attempt: 3, 'op:capture:1': completed }, second)).toMatchObject({ kind: 'completed' });
    expect(read({ attempt: 1, 'op:capture:1': discarded }, second)).toMatchObject({ kind: 'discarded' });
    expect(read({ ...held, attempt: 2 }, second)).toMatchObject({ kind: 'busy' });
    expect(read({ ...held, attempt: 1, leaseOwner: 'me' }, second)).toMatchObject({ kind: 'ours' });
  });

  test('as early while the backoff lasts', () =>
    expect(read({ lease: 'free', 'due:capture:1': 1_001 })).toEqual({ kind: 'early', dueAtMs: 1_001 }));

  test('as changed meanwhile when nothing stands in the way any more', () =>
    expect(read({ lease: 'free', 'due:capture:1': 1_000 })).toEqual({ kind: 'changed-meanwhile' }));
});

describe('a refused commit or settle is read', () => {
  const read = (old: Record<string, unknown> | undefined) => readLateRefusal(old, 'capture:1', { owner: 'me', fence: 4 });

  test('as our commit when the record carries our name', () =>
    expect(read({ fence: 4, 'op:capture:1': { ...completed, by: 'me' } })).toBe('committed'));
  test('as our commit even when successors have worked on the item since', () =>
    expect(read({ ...held, fence: 9, leaseOp: 'refund:1', 'op:capture:1': { ...completed, by: 'me' } })).toBe('committed'));
  test('as our discard when the record carries our name', () =>
    expect(read({ fence: 4, 'op:capture:1': { ...discarded, by: 'me' } })).toBe('discarded'));
  test('as our release when the item lies free at our own fence', () => expect(read({ fence: 4, lease: 'free' })).toBe('freed'));
  test('as a broken business condition when lease and fence are still ours', () =>
    expect(read({ ...held, leaseOwner: 'me' })).toBe('guard-failed'));
  test.each([
    ['there is no item any more', undefined],
    ['a successor holds it', { ...held, fence: 5 }],
    ['a successor has finished it', { lease: 'free', fence: 5, 'op:capture:1': completed }],
    ['a successor has freed it', { lease: 'free', fence: 5 }],
    ['a request has changed it', { lease: 'free', fence: 5, status: 'refund_pending' }],
    ['somebody else holds it at our number', held],
    ['somebody else finished it at our number', { lease: 'free', fence: 4, 'op:capture:1': completed }],
  ])('as fenced when %s', (_when, old) => expect(read(old)).toBe('fenced'));
});

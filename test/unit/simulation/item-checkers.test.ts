import { describe, expect, it } from 'vitest';
import { jobItemKey, stockItemKey } from '#shared/contract/item-keys.ts';
import { alsoWrite } from '#shared/item/also.ts';
import { claimWrite } from '#shared/item/claim.ts';
import { commitWrite } from '#shared/item/commit.ts';
import { updateWrite } from '#shared/item/expression.ts';
import { rearmWrite } from '#shared/item/rearm.ts';
import { buriedWrite, settleWrite } from '#shared/item/settle.ts';
import { oneCommit } from '../../simulation/invariants/s05-one-commit.ts';
import { oneEffect } from '../../simulation/invariants/s06-one-effect.ts';
import { fencing } from '../../simulation/invariants/s07-fencing.ts';
import { legalEdges } from '../../simulation/invariants/s08-legal-edges.ts';
import {
  acceptOrder,
  claim,
  commitDeclined,
  commitPaid,
  discard,
  message,
  ORDER,
  unconditional,
  type WatchedAccount,
  watchAccount,
  withCondition,
} from './watched-account.ts';

const settled = (nowMs: number, holder = { owner: 'owner-1', fence: 1 }) =>
  settleWrite({
    key: ORDER,
    operation: 'capture:1',
    holder,
    dueAtMs: nowMs,
    notSent: false,
    deferred: false,
    lastError: 'x',
    overdueAtMs: nowMs,
  });

function begun(account: WatchedAccount): WatchedAccount {
  account.write(acceptOrder(account.now()), 'accept-order#1');
  account.write(claim(account.now()));
  return account;
}

describe('S5, one commit', () => {
  it('takes a payment that is state, record and receipt in one version', () => {
    const account = begun(watchAccount(oneCommit));
    account.write(commitPaid(account.now()));
    expect(account.violations).toEqual([]);
  });

  it('misses the receipt in the outbox', () => {
    const account = begun(watchAccount(oneCommit));
    account.write(commitPaid(account.now(), { outbox: [] }));
    expect(account.violations[0]).toContain('the outbox holds [], not [receipt:u-1/ord-1:1]');
  });

  it('misses the record behind a new state', () => {
    const account = begun(watchAccount(oneCommit));
    account.write(updateWrite(ORDER, { set: { status: 'paid', captureId: 'cap-1', lease: 'free' }, add: { version: 1 } }, () => ''));
    expect(account.violations[0]).toContain('pending_payment → paid without the record of an operation');
  });

  it('takes an adjustment of stock with its part on the other item, and misses it', () => {
    for (const [delta, said] of [
      [-1, []],
      [-2, ['JOB#adjust-stock#sku-1|JOB#adjust:sku-1/a-1: the record says -1, the stock of sku-1 changed by -2']],
    ] as const) {
      const account = watchAccount(oneCommit);
      const key = jobItemKey('adjust-stock', 'adjust:sku-1/a-1', 'sku-1');
      const nowMs = account.now();
      const { idempotencyKey } = message('adjust-stock', { sku: 'sku-1', adjustmentId: 'a-1', delta: -1 });
      account.write(
        claimWrite({ key, operation: 'run', owner: 'o', intentHash: 'h', nowMs, leaseUntilMs: nowMs, ownItemMessage: idempotencyKey }),
      );
      const record = { status: 'completed' as const, result: { delta: -1 }, hash: 'h', atMs: nowMs, by: 'o', fence: 1, tries: 1 };
      const own = commitWrite({
        key,
        operation: 'run',
        holder: { owner: 'o', fence: 1 },
        record,
        outbox: [],
        keepOverdue: false,
        ownItem: true,
        recordOnly: false,
        nowMs,
      });
      account.writeTogether([own, alsoWrite({ key: stockItemKey('sku-1'), add: { quantity: delta } }, nowMs)]);
      expect(account.violations).toEqual(said);
    }
  });
});

describe('S6, one effect', () => {
  it('takes an operation that was discarded, armed again and then finished', () => {
    const account = begun(watchAccount(oneEffect));
    account.write(discard(account.now(), 'unresolved'));
    account.write(buriedWrite(ORDER, 'capture:1', { by: 'owner-1', keepOverdue: false }));
    account.write(rearmWrite(ORDER, 'capture:1'), 'operator');
    account.write(claim(account.now(), 'owner-2'));
    account.write(commitPaid(account.now(), { holder: { owner: 'owner-2', fence: 2 } }));
    expect(account.violations).toEqual([]);
  });

  it('sees a finished operation end once more', () => {
    const account = begun(watchAccount(oneEffect));
    account.write(commitPaid(account.now()));
    account.write(unconditional(discard(account.now(), 'attempts-spent')));
    expect(account.violations[0]).toContain('capture:1 of USER#u-1|ORDER#ord-1 was completed and is rewritten as discarded');
  });

  it('sees a record that is gone and written again, but for what a restore took', () => {
    const account = begun(watchAccount(oneEffect));
    const before = account.imageOf(ORDER);
    account.write(commitPaid(account.now()));
    account.restore(ORDER, before);
    account.write(commitPaid(account.now()));
    expect(account.violations).toEqual([]);
    account.write(
      updateWrite(ORDER, { remove: ['op:capture:1'] }, () => ''),
      'operator',
    );
    expect(account.violations[0]).toContain('was completed and is open again');
    account.write(unconditional(commitPaid(account.now())));
    expect(account.violations[1]).toContain('is finished a second time');
  });
});

describe('S7, fencing', () => {
  it('takes a claim, an owner that settles, a successor after the deadline, and marks of others', () => {
    const account = begun(watchAccount(fencing));
    account.write(settled(account.now()));
    account.write(claim(account.now(), 'owner-2'));
    account.write(
      updateWrite(ORDER, { set: { overdueAtMs: 1 } }, () => ''),
      'rescue-jobs#1',
    );
    account.pass(30_000);
    account.write(claim(account.now(), 'owner-3'));
    account.write(commitPaid(account.now(), { holder: { owner: 'owner-3', fence: 3 } }));
    expect(account.violations).toEqual([]);
  });

  it('sees a commit that names nobody', () => {
    const account = begun(watchAccount(fencing));
    account.write(unconditional(commitPaid(account.now())));
    expect(account.violations[0]).toContain('writes a held item without naming its owner');
  });

  it('sees a release that names its owner and not its fence', () => {
    const account = begun(watchAccount(fencing));
    const write = settled(account.now());
    account.write(withCondition(write, write.condition.split(' AND ')[0] ?? ''));
    expect(account.violations[0]).toContain('without naming its fence');
  });

  it('sees a claim over a living lease', () => {
    const account = begun(watchAccount(fencing));
    account.pass(5_000);
    account.write(unconditional(claim(account.now(), 'owner-2')));
    expect(account.violations[0]).toContain('takes a held item without asking for its deadline');
  });

  it('sees a commit after the item was freed', () => {
    const account = begun(watchAccount(fencing));
    account.write(settled(account.now()));
    account.write(unconditional(commitPaid(account.now())));
    expect(account.violations[0]).toMatch(/changes .*status.* without a lease/);
  });
});

describe('S8, legal edges', () => {
  it('takes the way from new to declined', () => {
    const account = begun(watchAccount(legalEdges));
    account.write(commitDeclined(account.now(), 'card-declined'));
    expect(account.violations).toEqual([]);
  });

  it('sees a move the graph does not have, and a version that does not follow', () => {
    const account = begun(watchAccount(legalEdges));
    account.write(updateWrite(ORDER, { set: { status: 'refunded' }, add: { version: 1 } }, () => ''));
    account.write(updateWrite(ORDER, { add: { version: 2 } }, () => ''));
    expect(account.violations).toEqual(['u-1/ord-1 moves pending_payment → refunded', 'u-1/ord-1 goes from version 2 to 4']);
  });
});

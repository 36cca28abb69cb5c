import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { captureBody, discardedOrder, type FakeAccount, openFakeAccount } from '../support/fake-account.ts';
import { CANARIES, canaryIn } from '../unit/privacy/canaries.ts';

// The command line as a process of its own, over HTTP.
vi.setConfig({ testTimeout: 120_000 });

let account: FakeAccount;
beforeEach(async () => {
  account = await openFakeAccount();
});
afterEach(() => account.close());

const controlRows = (): string => JSON.stringify(account.aws.dynamodb.items('Control'));

// In which spellings: test/unit/cli/personal-data.test.ts.
describe('a reason with a card number or an e-mail address', () => {
  it.each([
    ['pause capture-payment', '4000 0012 3456 7899'],
    ['resume capture-payment --json', 'kanari.vogelsang@example.test'],
    ['dlq replay --all --yes', '5555-5555-5555-4444'],
    ['dlq discard --all --yes --json', 'KANARI+order@Example.TEST'],
  ])('is refused by %s with 2 before anything is done, and repeated nowhere', async (command, canary) => {
    account.putItem(discardedOrder('u-1', 'o-1'));
    account.putLetter('capture-payment', captureBody('u-1', 'o-1'), { reason: 'attempts-spent', attempts: 6 });
    const { code, stdout, stderr } = await account.cli([...command.split(' '), '--reason', `the customer, ${canary}, rang`]);
    expect(code).toBe(2);
    expect(stderr).toContain('leave card numbers and e-mail addresses out of it');
    expect(canaryIn(stdout + stderr)).toBeUndefined();
    expect(account.aws.calls.filter(({ operation }) => /Put|Update|Delete|Send|Transact/.test(operation))).toEqual([]);
    expect(canaryIn(controlRows())).toBeUndefined();
  });
});

describe('a letter full of personal data', () => {
  it('is listed, inspected, planned, given up, reported on and kept in the audit without a word of it', async () => {
    const { 'op:capture:1': _, ...order } = discardedOrder('u-1', 'o-1', { note: CANARIES.join(' ') });
    account.putItem(order);
    for (const canary of CANARIES) {
      account.putLetter('capture-payment', canary, { reason: 'malformed', detail: 'not-json' });
      account.putLetter(
        'send-receipt',
        JSON.stringify({ [canary]: canary, kind: canary, payload: { userId: canary, [canary]: 1 }, trace: canary }),
        {
          reason: 'malformed',
          detail: '1 unknown field(s)',
        },
      );
      account.putLetter('adjust-stock', `{"kind":"adjust-stock","payload":{"sku":"${canary}`, { reason: 'malformed', detail: 'not-json' });
    }
    const id = account.putLetter('refund-payment', JSON.stringify({ note: CANARIES }), {
      reason: 'malformed',
      detail: '1 unknown field(s)',
    });
    for (const text of [
      'dlq list --json',
      `dlq inspect ${id}`,
      'dlq inspect --cause malformed --max 50 --json',
      'dlq replay --all --dry-run',
      'dlq discard --all --reason broken-client --dry-run --json',
      'status',
      'explain u-1/o-1 --json',
      'drain-report --json',
      'dlq discard --all --reason broken-client --yes',
      'audit --json',
    ]) {
      const { stdout, stderr } = await account.cli(text.split(' '));
      expect([text, (stdout + stderr).length > 0, canaryIn(stdout + stderr)]).toEqual([text, true, undefined]);
    }
    expect(account.audit().length).toBeGreaterThan(0);
    expect(canaryIn(controlRows())).toBeUndefined();
  });
});

import { expect, it } from 'vitest';
import { captureBody, discardedOrder, openFakeAccount } from '../support/fake-account.ts';

const LETTERS = 3_000;
const MOST_MB = 200;

it(`a tool that lists, plans and replays ${LETTERS} letters keeps below ${MOST_MB} MB`, { timeout: 120_000 }, async () => {
  const account = await openFakeAccount();
  for (let index = 0; index < LETTERS; index++) {
    account.putItem(discardedOrder('u-1', `o-${index}`));
    account.putLetter('capture-payment', captureBody('u-1', `o-${index}`), { reason: 'attempts-spent', attempts: 6 });
  }
  for (const args of [['list'], ['replay', '--all', '--dry-run'], ['replay', '--all', '--yes']]) {
    const { code, json, peakMb } = await account.cli(['dlq', ...args, '--json']);
    expect({ code, met: json.matched ?? json.done }).toEqual({ code: 0, met: LETTERS });
    expect(peakMb, args.join(' ')).toBeLessThan(MOST_MB);
    account.aws.calls.length = 0;
  }
  await account.close();
});

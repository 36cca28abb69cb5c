import { describe, expect, it } from 'vitest';
import { updateWrite } from '#shared/item/expression.ts';
import type { Invariant } from '../../simulation/invariant.ts';
import { capturedIsKnown } from '../../simulation/invariants/q03-captured-is-known.ts';
import { oneCharge } from '../../simulation/invariants/s01-one-charge.ts';
import { rightCharge } from '../../simulation/invariants/s02-right-charge.ts';
import { paidNeedsCharge } from '../../simulation/invariants/s03-paid-needs-charge.ts';
import { stableKey } from '../../simulation/invariants/s11-stable-key.ts';
import { unknownHeld } from '../../simulation/invariants/s12-unknown-held.ts';
import { restore } from '../../simulation/invariants/s24-restore.ts';
import {
  AMOUNT,
  acceptOrder,
  CAPTURE_KEY,
  captureMessage,
  charge,
  claim,
  commitDeclined,
  commitPaid,
  discard,
  ORDER,
  REFERENCE,
  unconditional,
  type WatchedAccount,
  WORKER,
  watchAccount,
} from './watched-account.ts';

const HOUR_MS = 3_600_000;

function begun(invariant: Invariant): WatchedAccount {
  const account = watchAccount(invariant);
  account.write(acceptOrder(account.now()), 'accept-order#1');
  account.write(claim(account.now()));
  return account;
}

describe('S2, right charge', () => {
  it("takes the order's amount", async () => {
    const account = begun(rightCharge);
    account.calls({ operation: 'capture' });
    await account.move(charge(), CAPTURE_KEY);
    expect(account.violations).toEqual([]);
  });

  it('sees another amount asked for, and another booked', async () => {
    const account = begun(rightCharge);
    account.calls({ operation: 'capture', body: JSON.stringify({ reference: REFERENCE, ...AMOUNT, amountMinor: 5_000 }) });
    await account.move(charge('cap-1', { ...AMOUNT, currency: 'USD' }), CAPTURE_KEY);
    expect(account.violations).toEqual([
      'capture of u-1/ord-1 asks for 5000 EUR instead of 4999 EUR',
      'charge of u-1/ord-1 booked 4999 USD instead of 4999 EUR',
    ]);
  });
});

describe('S3, paid needs charge', () => {
  it('takes an order that is paid by the one capture there is', async () => {
    const account = begun(paidNeedsCharge);
    await account.move(charge(), CAPTURE_KEY);
    account.write(commitPaid(account.now()));
    expect(account.violations).toEqual([]);
  });

  it('sees an order that is paid by none, or by another', async () => {
    const none = begun(paidNeedsCharge);
    none.write(commitPaid(none.now()));
    const other = begun(paidNeedsCharge);
    await other.move(charge('cap-2'), CAPTURE_KEY);
    other.write(commitPaid(other.now()));
    expect([...none.violations, ...other.violations]).toEqual([
      'u-1/ord-1 is paid with 0 captures',
      'u-1/ord-1 is paid by cap-1, the provider knows cap-2',
    ]);
  });
});

describe('S3, the money of a paid order', () => {
  it('is seen in another currency', async () => {
    const account = begun(paidNeedsCharge);
    await account.move(charge('cap-1', { ...AMOUNT, currency: 'USD' }), CAPTURE_KEY);
    account.write(commitPaid(account.now()));
    expect(account.violations).toEqual(['u-1/ord-1 is paid with 4999 USD, and costs 4999 EUR']);
  });

  it.each([
    ['other money', { status: 'captured', ...AMOUNT, currency: 'USD' }, 1],
    ['its own', { status: 'captured', ...AMOUNT }, 0],
    ['nothing that can be read', undefined, 0],
  ])('may not be taken from an answer that tells of %s', async (_, told, violations) => {
    const account = begun(paidNeedsCharge);
    await account.move(charge(), CAPTURE_KEY);
    const call = { operation: 'capture', paymentIntentId: 'pi-ord-1-1', from: WORKER } as never;
    account.observer.providerAnswered?.(call, {
      status: 200,
      retryAfterSeconds: undefined,
      body: told === undefined ? '{"sta' : JSON.stringify(told),
    });
    account.write(commitPaid(account.now()));
    expect(account.violations).toHaveLength(violations);
  });
});

describe('S1, one charge', () => {
  it('counts by the order, whatever it is called at the provider', async () => {
    const account = begun(oneCharge);
    await account.move(charge(), CAPTURE_KEY);
    expect(account.violations).toEqual([]);
    await account.move({ ...charge('cap-2'), reference: 'u-1/ord-1-again' } as never, `${CAPTURE_KEY}-again`);
    expect(account.violations).toEqual(['u-1/ord-1 was captured 2 times, 0 of them refunded']);
  });
});

describe('S12, calling again', () => {
  const calledAgain = (status: number, { asking = false, by = WORKER } = {}): readonly string[] => {
    const account = begun(unknownHeld);
    account.calls({ operation: 'capture' }, status);
    account.pass(60_000);
    // The item has forgotten the first call: `sent` says that this is the only one.
    account.write(unconditional(updateWrite(ORDER, { set: { lease: 'free', 'sent:capture:1': 0, 'try:capture:1': 0 } }, () => '')));
    account.write(unconditional(claim(account.now(), 'owner-2')), by);
    if (asking) account.calls({ operation: 'find', from: by });
    account.calls({ operation: 'capture', from: by });
    return account.violations;
  };

  it.each([WORKER, 'execute-job/capture-payment#2'])('without asking is seen, whatever the item says: %s', (by) => {
    expect(calledAgain(200, { by })).toEqual([expect.stringContaining('again and has not asked')]);
    expect(calledAgain(500, { by })).toEqual([expect.stringContaining('again and has not asked')]);
  });

  it('may be done after asking, or when the first call was refused', () => {
    expect(calledAgain(200, { asking: true })).toEqual([]);
    expect(calledAgain(429)).toEqual([]);
  });
});

describe('S11, stable key', () => {
  it('takes the same call again, and one that was under way when a successor finished', () => {
    const account = begun(stableKey);
    account.calls({ operation: 'capture' });
    account.pass(30_000);
    account.write(claim(account.now(), 'owner-2'), 'execute-job/capture-payment#2');
    account.write(commitPaid(account.now(), { holder: { owner: 'owner-2', fence: 2 } }), 'execute-job/capture-payment#2');
    account.pass(1_000);
    account.calls({ operation: 'capture' });
    expect(account.violations).toEqual([]);
  });

  it('sees another key, and another body under the same key', () => {
    const account = begun(stableKey);
    account.calls({ operation: 'capture', key: `${CAPTURE_KEY}-2` });
    account.calls({ operation: 'capture' });
    account.calls({ operation: 'capture', body: '{}' });
    expect(account.violations).toEqual([
      expect.stringContaining(`its key is ${CAPTURE_KEY}-2`),
      expect.stringContaining(`${CAPTURE_KEY} comes with another body`),
    ]);
  });

  it('sees a call under a claim that came after the end', () => {
    const account = begun(stableKey);
    account.write(commitPaid(account.now()));
    account.pass(1_000);
    account.write(unconditional(claim(account.now(), 'owner-2')), 'execute-job/capture-payment#2');
    account.calls({ operation: 'capture', from: 'execute-job/capture-payment#2' });
    expect(account.violations[0]).toContain(`claimed 1000 ms after ${CAPTURE_KEY} was finished`);
  });

  it('sees a charge in the quiet hour, and takes the closing of the intent', () => {
    const account = begun(stableKey);
    account.pass(23 * HOUR_MS + 30 * 60_000);
    account.calls({ operation: 'void', key: `void:${CAPTURE_KEY}`, body: '{}' });
    expect(account.violations).toEqual([]);
    account.calls({ operation: 'capture' });
    expect(account.violations[0]).toContain('sent 30 min into the quiet hour');
  });
});

describe('S12, unknown held', () => {
  it('takes a decline the provider gave, and a second call after asking', () => {
    const account = begun(unknownHeld);
    account.calls({ operation: 'capture' }, 500);
    account.pass(30_000);
    account.write(claim(account.now(), 'owner-1'));
    account.calls({ operation: 'find' });
    account.calls({ operation: 'capture' });
    account.write(withFence(commitDeclined(account.now(), 'card-declined'), 2));
    expect(account.violations).toEqual([]);
  });

  it('sees a timeout taken for a decline, before the money moves and after', async () => {
    const account = begun(unknownHeld);
    account.calls({ operation: 'capture' }, 500);
    account.write(commitDeclined(account.now(), 'card-declined'));
    await account.move(charge(), CAPTURE_KEY);
    expect(account.violations).toEqual([
      expect.stringContaining('declined as card-declined, which the provider never said'),
      expect.stringContaining('happened after it was declined as card-declined'),
    ]);
  });

  it('sees a job given up as failed although it was charged, and takes unresolved', async () => {
    for (const [reason, count] of [
      ['unresolved', 0],
      ['attempts-spent', 1],
    ] as const) {
      const account = begun(unknownHeld);
      await account.move(charge(), CAPTURE_KEY);
      account.write(discard(account.now(), reason));
      expect(account.violations).toHaveLength(count);
    }
  });

  it('sees a second call without asking', () => {
    const account = begun(unknownHeld);
    account.calls({ operation: 'capture' }, 500);
    account.pass(30_000);
    account.write(claim(account.now(), 'owner-2'), 'execute-job/capture-payment#2');
    account.calls({ operation: 'capture', from: 'execute-job/capture-payment#2' });
    expect(account.violations[0]).toContain('calls capture of pi-ord-1-1 again and has not asked');
  });
});

const withFence = (write: ReturnType<typeof commitDeclined>, fence: number) => {
  const name = write.condition.match(/AND #\w+ = (:\w+)/)?.[1] ?? '';
  return { ...write, values: { ...write.values, [name]: fence } };
};

describe('Q3, captured is known', () => {
  it('takes a paid order, and a letter', async () => {
    const paid = begun(capturedIsKnown);
    await paid.move(charge(), CAPTURE_KEY);
    paid.write(commitPaid(paid.now()));
    paid.observer.rested?.();
    const letter = begun(capturedIsKnown);
    await letter.move(charge(), CAPTURE_KEY);
    letter.send('capture-payment-dlq', JSON.stringify(captureMessage));
    letter.observer.rested?.();
    expect([...paid.violations, ...letter.violations]).toEqual([]);
  });

  it('sees money that nobody knows of', async () => {
    const account = begun(capturedIsKnown);
    await account.move(charge(), CAPTURE_KEY);
    account.observer.rested?.();
    expect(account.violations[0]).toContain('u-1/ord-1 is pending_payment with 1 captures and 0 refunds, and no dead letter says so');
  });
});

describe('S24, restore', () => {
  it('takes an order that is paid again by asking', async () => {
    const account = begun(restore);
    const before = account.imageOf(ORDER);
    await account.move(charge(), CAPTURE_KEY);
    account.write(commitPaid(account.now()));
    account.observer.disturbed?.('restore');
    account.restore(ORDER, before);
    account.write(commitPaid(account.now()));
    account.observer.finished?.();
    expect(account.violations).toEqual([]);
  });

  it('sees a second charge after the table was put back, and an order that stays forgotten', async () => {
    const account = begun(restore);
    await account.move(charge(), CAPTURE_KEY);
    account.observer.disturbed?.('restore');
    account.restore(ORDER, undefined);
    account.observer.finished?.();
    await account.move(charge('cap-2'), `${CAPTURE_KEY}-2`);
    expect(account.violations).toEqual([
      'u-1/ord-1 is unknown with 1 captures and 0 refunds, and no dead letter says so',
      'u-1/ord-1 was captured again after the table was put back',
    ]);
  });
});
